"""Several files that are one table: names, wildcards, and Parquet files that are read as if they were one."""

from collections.abc import Iterator, Sequence
from glob import glob, has_magic
from os.path import commonprefix
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .csv_parsing import unreadable
from .messages import UserError


def named_files(names: Sequence[str]) -> list[str]:
    """All files that are named, directly or by wildcards, each once."""
    found: list[str] = []
    for name in names:
        matches = sorted(glob(name)) if has_magic(name) and not Path(name).exists() else [name]  # noqa: PTH207
        if not matches:
            raise UserError(f"No file matches {name}.")
        found += matches
    if len(found) > 1 and "-" in found:
        raise UserError("Standard input cannot be one of several files.")
    return list(dict.fromkeys(found))


def common_name(files: Sequence[str]) -> str:
    """A name for the table of these files: what their names have in common, without numbers at the end."""
    names = [Path(file).name.partition(".")[0] for file in files]
    prefix = commonprefix(names) if len(names) > 1 else ""  # noqa: RUF071, letter by letter is what we want
    return prefix.rstrip("-_0123456789") or names[0]


def check_same_columns(first: str, names: Sequence[str], other: str, other_names: Sequence[str]) -> None:
    """Refuse two files whose columns have different names; their order does not matter."""
    if difference := set(names) ^ set(other_names):
        raise UserError(f"{first} and {other} have different columns: only one of them has {min(difference)!r}.")


def is_parquet(path: str) -> bool:
    """Whether a path names a Parquet file, by its first bytes."""
    if path == "-" or not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(4) == b"PAR1"


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
