"""Parquet files that are read as if they were one."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ldnn.cli.parquet_files import ParquetFiles


def test_files_are_read_like_one(tmp_path):
    table = pa.table({"a": np.arange(300.0), "b": np.arange(300) % 7})
    for k in range(3):
        piece = table.slice(100 * k, 100)
        pq.write_table(piece.select(["b", "a"] if k == 2 else ["a", "b"]), tmp_path / f"part-{k}.parquet")
    files = ParquetFiles([str(tmp_path / f"part-{k}.parquet") for k in range(3)])
    assert (files.num_rows, files.num_row_groups) == (300, 3)
    assert pa.Table.from_batches(batch for batch in files.iter_batches(40, range(3))).equals(table)
