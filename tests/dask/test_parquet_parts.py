"""Parquet files as partitions that mix the files."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ldnn.dask.parquet_parts import ParquetPart, parquet_parts


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


def test_partitions_are_of_similar_sizes(tmp_path):
    """20 row groups for 16 partitions: rather 20 of them than some that are twice as large as others."""
    table = pa.table({"a": np.arange(2000.0), "y": np.arange(2000) % 2})
    pq.write_table(table, tmp_path / "part.parquet", row_group_size=100)
    assert {len(part.groups) for part in parquet_parts([str(tmp_path / "part.parquet")], "y")} == {1}


def test_numbers_are_one_matrix(tmp_path):
    """Which keeps float32, has NaN for what is missing, and lacks rows without a label."""
    a, labels = pa.array([1.5, None, 2.5, 3.5], pa.float32()), pa.array([0, 1, None, 1])
    table = pa.table({"a": a, "b": pa.array([1, 2, 3, 4], pa.float32()), "w": [1.0, 2, 3, 4], "y": labels})
    path = str(tmp_path / "part.parquet")
    pq.write_table(table, path, row_group_size=3)
    part = ParquetPart(((path, 0), (path, 1)), ("a", "b"), "y", "w")
    X, y, weights = part.read()
    assert set(X.dtypes) == {np.dtype(np.float32)} and list(X.columns) == ["a", "b"]
    np.testing.assert_array_equal(X, [[1.5, 1], [np.nan, 2], [3.5, 4]])
    assert y.tolist() == [0, 1, 1] and weights.tolist() == [1, 2, 4]
    pq.write_table(table.set_column(1, "b", pa.array([1, 2, 2**40, 4])), path)
    X, _, _ = ParquetPart(((path, 0),), ("a", "b"), "y").read()
    assert set(X.dtypes) == {np.dtype(np.float64)} and X["b"].tolist() == [1, 2, 4]
