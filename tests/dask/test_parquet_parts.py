"""Parquet files as partitions that mix the files."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ldnn.dask.parquet_parts import parquet_parts


@pytest.fixture
def folder(tmp_path):
    """Two files of 400 rows in row groups of 100; a few rows have no class."""
    random = np.random.default_rng(0)
    for k in range(2):
        y = random.choice(["yes", "no"], 400).astype(object)
        y[:5] = None
        colour = random.choice(["red", "blue"], 400)
        table = pa.table({"id": np.arange(400), "a": random.normal(size=400), "colour": colour, "y": y.tolist()})
        pq.write_table(table, tmp_path / f"part-{k}.parquet", row_group_size=100)
    return tmp_path


def test_partitions(folder):
    parts = parquet_parts([str(folder / "part-*.parquet")], "y", ignored=["id"])
    assert len(parts) == 8
    X, y, weights = parts[0].read()
    assert X.column_names == ["a", "colour"] and len(y) == 95 and weights is None
    assert sum(len(part.read()[1]) for part in parts) == 790


def test_errors(folder):
    with pytest.raises(FileNotFoundError, match="There is no file"):
        parquet_parts([str(folder / "other-*.parquet")], "y")
    with pytest.raises(ValueError, match="has no column 'z'"):
        parquet_parts([str(folder / "part-0.parquet")], "z")
    (folder / "part-2.parquet").write_bytes(b"a,b\n1,2\n")
    with pytest.raises(ValueError, match="is not a Parquet file"):
        parquet_parts([str(folder / "part-*.parquet")], "y")
    pq.write_table(pa.table({"b": [1.0], "y": ["no"]}), folder / "part-2.parquet")
    parts = parquet_parts([str(folder / "part-*.parquet")], "y")
    with pytest.raises(ValueError, match="has no column 'id', which other files have"):
        [part.read() for part in parts]
