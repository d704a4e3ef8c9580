"""Parquet files as partitions: row groups, taken from all over the files so that each partition is a mixture."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..cli.column_types import missing_as_nan, to_readable_type
from ..cli.messages import UserError

_VALUES = 2**24  # of a partition: 64 MB as float32
_FEWEST = 16  # partitions, if there are so many row groups: work for several workers


@dataclass(frozen=True)
class ParquetPart:
    """Row groups that make one partition, each as its path and number.

    columns: to learn from, in their order. text: columns of numbers that are categories. reader: makes the columns and
    labels of a row group what they mean (numbers of texts, say); None if they are what their types say.
    """

    groups: tuple[tuple[str, int], ...]
    columns: tuple[str, ...]
    target: str
    weight: str | None = None
    text: tuple[str, ...] = ()
    reader: Callable[[Any], Any] | None = None

    def rows(self) -> Any:
        """All rows as an Arrow table of the columns, the labels and the weights."""
        wanted = [*self.columns, self.target, *([self.weight] if self.weight else [])]
        groups = (_read_group(*group, wanted) for group in self.groups)
        return pa.concat_tables(
            groups if self.reader is None else map(self.reader, groups), promote_options="permissive"
        )

    def read(self) -> tuple[Any, Any, Any]:
        """The columns as an Arrow table, labels and weights of the rows that have a label."""
        try:
            table = self.rows()
            table = table.filter(pc.is_valid(table[self.target]))
            readable = {name: to_readable_type(table[name], name, name in self.text) for name in self.columns}
        except UserError as error:
            raise ValueError(str(error)) from None
        weights = table[self.weight].to_numpy() if self.weight else None
        return missing_as_nan(pa.table(readable)), labels_of(table[self.target]), weights


def labels_of(column: Any) -> np.ndarray:
    """Labels as an array: text as text; numbers without fractions as integers."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return np.array(column.to_pylist(), dtype=str)
    if pa.types.is_floating(column.type) and pc.all(pc.equal(pc.floor(column), column)).as_py():
        column = column.cast(pa.int64())
    return column.to_numpy()


def parquet_parts(
    paths: Sequence[str],
    target: str,
    weight: str | None = None,
    ignored: Sequence[str] = (),
    text: Sequence[str] = (),
) -> list[ParquetPart]:
    """The partitions of Parquet files; paths may have wildcards.

    Their number depends on the files only. A partition takes every n-th row group: files that are sorted by time or by
    class are mixed like this.

    Parameters
    ----------
    paths : sequence of str
        Files, or patterns of their names.
    target, weight : str
        The columns of the labels and, unless None, of the weights.
    ignored : sequence of str, default=()
        Columns that are left out.
    text : sequence of str, default=()
        Columns of numbers that are categories.

    Returns
    -------
    list of ParquetPart
        Which a worker reads when it needs them.
    """
    files = expanded(paths)
    metadata = {path: _open(path).metadata for path in files}
    names = _open(files[0]).schema_arrow.names
    for name in (target, *([weight] if weight else []), *ignored, *text):
        if name not in names:
            raise ValueError(f"{files[0]} has no column {name!r}; it has {', '.join(map(repr, names[:8]))}.")
    groups = [(path, k) for path in files for k in range(metadata[path].num_row_groups)]
    rows = sum(each.num_rows for each in metadata.values())
    if not groups or not rows:
        raise ValueError(f"{files[0]} has no rows.")
    columns = tuple(name for name in names if name not in (target, weight, *ignored))
    count = min(len(groups), max(_FEWEST, -(-rows * len(columns) // _VALUES)))
    return [ParquetPart(tuple(groups[k::count]), columns, target, weight, tuple(text)) for k in range(count)]


def expanded(paths: Sequence[str]) -> list[str]:
    """All files that are named, directly or by wildcards, each once and in the order of their names."""
    found: list[str] = []
    for path in paths:
        matches = sorted(glob(path)) if has_magic(path) else [path]  # noqa: PTH207, paths are texts here
        if not matches:
            raise FileNotFoundError(f"There is no file {path}.")
        found += matches
    return list(dict.fromkeys(found))


def _open(path: str) -> Any:
    try:
        return pq.ParquetFile(path)
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {path}.") from None
    except pa.ArrowInvalid:
        raise ValueError(f"{path} is not a Parquet file.") from None


def _read_group(path: str, group: int, columns: list[str]) -> Any:
    file = _open(path)
    lacking = [name for name in columns if name not in file.schema_arrow.names]
    if lacking:
        raise ValueError(f"{path} has no column {lacking[0]!r}, which other files have.")
    return file.read_row_group(group, columns=columns)
