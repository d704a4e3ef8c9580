"""Parquet files that are read as if they were one."""

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .csv_parsing import unreadable
from .file_lists import check_same_columns


class ParquetFiles:
    """Parquet files that are read like one, row group by row group."""

    def __init__(self, paths: Sequence[str]):
        self._files = [_open(path) for path in paths]
        self.schema_arrow = self._files[0].schema_arrow
        for path, file in zip(paths, self._files, strict=True):
            check_same_columns(paths[0], self.schema_arrow.names, path, file.schema_arrow.names)
        self._groups = [(file, k) for file in self._files for k in range(file.num_row_groups)]

    @property
    def num_rows(self) -> int:
        return sum(file.metadata.num_rows for file in self._files)

    @property
    def num_row_groups(self) -> int:
        return len(self._groups)

    @property
    def largest_group(self) -> int:
        """Bytes of the largest row group."""
        return max(file.metadata.row_group(k).total_byte_size for file, k in self._groups)

    def iter_batches(self, rows: int, row_groups: Sequence[int], columns: list[str] | None = None) -> Iterator[Any]:
        """The rows of some row groups in batches, with the columns in the order of the first file."""
        names = self.schema_arrow.names if columns is None else columns
        for group in row_groups:
            file, k = self._groups[group]
            for batch in file.iter_batches(rows, row_groups=[k], columns=names):
                yield batch.select(names).cast(pa.schema([self.schema_arrow.field(name) for name in names]))

    def read(self, columns: list[str]) -> Any:
        """Some columns of all rows."""
        return pa.concat_tables([file.read(columns) for file in self._files], promote_options="permissive")


def _open(path: str) -> Any:
    try:
        return pq.ParquetFile(path, buffer_size=1 << 16)
    except pa.ArrowException as error:
        raise unreadable(path, error) from None
