"""Parquet files as partitions: row groups, taken from all over the files so that each partition is a mixture."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from .._printable import listed
from ..cli.column_types import missing_as_nan, to_readable_type
from ..cli.messages import UserError

_VALUES = 2**24  # of a partition: 64 MB as float32
_FEWEST = 16  # partitions, if there are at least as many row groups: work for several workers


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
        return self._table([*self.columns, *self._others])

    def read(self) -> tuple[Any, Any, Any]:
        """The columns as a data frame, labels and weights of the rows that have a label."""
        others = self._table(self._others)
        try:
            X = self._numbers() if self._is_numeric() else self._readable(self._table(self.columns))
        except UserError as error:
            raise ValueError(str(error)) from None
        is_labelled = others[self.target].is_valid()
        if not pc.all(is_labelled).as_py():
            X = X[is_labelled.to_numpy()] if isinstance(X, pd.DataFrame) else X.filter(is_labelled)
            others = others.filter(is_labelled)
        weights = others[self.weight].to_numpy() if self.weight else None
        return X, labels_of(others[self.target]), weights

    @property
    def _others(self) -> list[str]:
        return [self.target, *([self.weight] if self.weight else [])]

    def _table(self, columns: Sequence[str]) -> Any:
        read = self.reader or _as_it_is
        groups = (read(_read_group(*group, columns)) for group in self.groups)
        return pa.concat_tables(groups, promote_options="permissive")

    def _readable(self, table: Any) -> Any:
        """The columns of a table in the types that classifiers read."""
        columns = {name: to_readable_type(table[name], name, name in self.text) for name in table.column_names}
        return missing_as_nan(pa.table(columns))

    def _is_numeric(self) -> bool:
        """Whether the types of all columns are those of numbers."""
        schemas = [_open(path, self.columns).schema_arrow for path in dict(self.groups)]
        empty = (self._readable(schema.empty_table().select(self.columns)) for schema in schemas)
        return all(
            pa.types.is_floating(kind) or pa.types.is_integer(kind) for table in empty for kind in table.schema.types
        )

    def _numbers(self) -> pd.DataFrame:
        """The columns as one matrix, filled column by column: an Arrow table beside it would take the same memory."""
        files = [(_open(path, self.columns), group) for path, group in self.groups]
        types = {file.schema_arrow.field(name).type for file, _ in files for name in self.columns}
        counts = [file.metadata.row_group(group).num_rows for file, group in files]
        matrix = np.empty((sum(counts), len(self.columns)), np.float32 if types == {pa.float32()} else np.float64)
        rows = iter(np.split(matrix, np.cumsum(counts)[:-1]))
        for file, group in files:
            own = next(rows)
            for k, name in enumerate(self.columns):
                column = self._readable(file.read_row_group(group, [name], use_threads=False))
                own[:, k] = column[name].to_numpy()
        pa.default_memory_pool().release_unused()  # or it would keep the memory of compressed pages
        return pd.DataFrame(matrix, columns=list(self.columns), copy=False)


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

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import pyarrow as pa
    >>> import pyarrow.parquet as pq
    >>> from ldnn.dask import parquet_parts
    >>> table = pa.table({"size": [1.0, 2.0, 3.0, 4.0], "kind": ["a", "a", "b", "b"]})
    >>> with TemporaryDirectory() as folder:
    ...     pq.write_table(table, f"{folder}/rows.parquet", row_group_size=2)
    ...     parts = parquet_parts([f"{folder}/*.parquet"], target="kind")
    ...     [part.columns for part in parts]
    [('size',), ('size',)]
    """
    files = expanded(paths)
    metadata = {path: _open(path).metadata for path in files}
    names = _open(files[0]).schema_arrow.names
    for name in (target, *([weight] if weight else []), *ignored, *text):
        if name not in names:
            raise ValueError(f"{files[0]} has no column {name!r}; it has {listed([*map(repr, names)], 8)}.")
    groups = [(path, k) for path in files for k in range(metadata[path].num_row_groups)]
    rows = sum(each.num_rows for each in metadata.values())
    if not groups or not rows:
        raise ValueError(f"{files[0]} has no rows.")
    columns = tuple(name for name in names if name not in (target, weight, *ignored))
    wanted = max(_FEWEST, -(-rows * len(columns) // _VALUES))
    groups_of_part = max(1, len(groups) // wanted)
    count = -(-len(groups) // groups_of_part)  # rather more partitions than some that are twice as large
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


def _open(path: str, columns: Sequence[str] = ()) -> Any:
    """A file that has these columns."""
    try:
        file = pq.ParquetFile(path, pre_buffer=False)
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {path}.") from None
    except pa.ArrowInvalid:
        raise ValueError(f"{path} is not a Parquet file.") from None
    lacking = [name for name in columns if name not in file.schema_arrow.names]
    if lacking:
        raise ValueError(f"{path} has no column {lacking[0]!r}, which other files have.")
    return file


def _read_group(path: str, group: int, columns: Sequence[str]) -> Any:
    """Some columns of a row group, read one after the other: all at once would take four times their memory."""
    file = _open(path, columns)
    table = pa.table({name: file.read_row_group(group, [name], use_threads=False)[name] for name in columns})
    pa.default_memory_pool().release_unused()
    return table


def _as_it_is(table: Any) -> Any:
    return table
