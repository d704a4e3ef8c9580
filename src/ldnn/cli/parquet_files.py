"""Parquet files that are read as if they were one."""

import os
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .csv_parsing import unreadable
from .file_lists import check_same_columns, is_parquet

_SAMPLED_GROUPS = 64  # row groups that some rows are taken from, at most
_MEMORY_SHARE = 0.25  # files that need more of the memory are fitted in parts
_BYTES_PER_VALUE = 40  # in all the copies that a fit of a whole table makes


def needs_parts(paths: Sequence[str]) -> bool:
    """Whether files are Parquet and so large that fitting them as a whole would take too much memory."""
    if not all(map(is_parquet, paths)) or not hasattr(os, "sysconf"):
        return False
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    files = ParquetFiles(paths)
    return files.num_rows * len(files.schema_arrow) * _BYTES_PER_VALUE > _MEMORY_SHARE * memory


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

    def some_rows(self, count: int) -> pa.Table:
        """About this number of rows, from row groups all over the files."""
        wanted = min(self.num_row_groups, _SAMPLED_GROUPS)
        chosen = sorted({k * self.num_row_groups // wanted for k in range(wanted)})
        batches = (next(self.iter_batches(-(-count // wanted), [group]), None) for group in chosen)
        return pa.Table.from_batches([batch for batch in batches if batch is not None])


def _open(path: str) -> Any:
    try:
        return pq.ParquetFile(path, buffer_size=1 << 16)
    except pa.ArrowException as error:
        raise unreadable(path, error) from None
