"""Tables of any length, read in chunks with the columns that a model expects."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from .column_types import ARROW_TYPES, is_text
from .csv_parsing import arrow_options, read_header, readable_errors
from .messages import UserError, counted, nearest
from .table_files import TableFormat, TableSource, open_table

_CHUNK_ROWS = 65_536  # of a Parquet file that are read at once


@dataclass(frozen=True)
class ExpectedColumns:
    """The columns that a model expects, with their kinds: "number", "truth" or "text".

    target: the name and the kind of the target column, to count errors where a file has it; None if it is not known.
    with_others: whether to read all other columns, too, as text.
    """

    kinds: dict[str, str]
    target: tuple[str, str] | None = None
    with_others: bool = False

    @property
    def names(self) -> list[str]:
        return list(self.kinds)


@contextmanager
def open_chunks(
    path: str, table_format: TableFormat, expected: ExpectedColumns
) -> Iterator[tuple[TableSource, Iterator[pa.Table]]]:
    """The rows of a file in chunks: the expected columns in their order, then the target; or all columns of the file
    in its order, if the others are wanted, too.
    """
    with open_table(path) as source:
        yield source, _chunks(source, table_format, expected)


def _chunks(source: TableSource, table_format: TableFormat, expected: ExpectedColumns) -> Iterator[pa.Table]:
    with readable_errors(source, table_format):
        if source.is_parquet:
            file = pa.parquet.ParquetFile(source.stream)
            columns = _columns_to_read(file.schema_arrow.names, source, expected)
            for batch in parquet_batches(file, _CHUNK_ROWS, columns):
                yield _as_expected(pa.Table.from_batches([batch]).select(columns), expected, source)
            return
        columns = _columns_to_read(read_header(source, table_format), source, expected)
        kinds = {**expected.kinds, **(dict([expected.target]) if expected.target else {})}
        types = {name: ARROW_TYPES[kinds[name]] if name in kinds else pa.string() for name in columns}
        for batch in pa.csv.open_csv(source.stream, **arrow_options(source, table_format, types, columns)):
            if batch.num_rows:
                yield pa.Table.from_batches([batch])


def parquet_batches(file: Any, rows: int, columns: list[str] | None = None) -> Iterator[Any]:
    """The rows of a Parquet file in batches.

    One row group is read after the other: if Arrow is given all of them at once, they stay in memory.
    """
    for group in range(file.num_row_groups):
        yield from file.iter_batches(rows, row_groups=[group], columns=columns)


def _columns_to_read(names: Sequence[str], source: TableSource, expected: ExpectedColumns) -> list[str]:
    absent = [name for name in expected.kinds if name not in names]
    if absent:
        raise _absent_column(absent, names, source, expected)
    twice = {name for name in expected.kinds if list(names).count(name) > 1}
    if twice:
        raise UserError(f"{source.name} has two columns named {min(twice)!r}; rename one of them.")
    columns = expected.names
    if expected.target and expected.target[0] in names:
        columns.append(expected.target[0])
    if expected.with_others:
        columns = [name for name in names if name]
    return columns


def _absent_column(
    absent: list[str], names: Sequence[str], source: TableSource, expected: ExpectedColumns
) -> UserError:
    others = len(absent) - 1
    more = f" ({counted(others, 'other')} {'is' if others == 1 else 'are'} missing, too)" if others else ""
    close = nearest(absent[0], [name for name in names if name not in expected.kinds])
    hint = close if close.startswith("did") else "the model needs it."
    return UserError(f"{source.name} has no column {absent[0]!r}{more}; {hint}")


def _as_expected(table: pa.Table, expected: ExpectedColumns, source: TableSource) -> pa.Table:
    """Parquet columns in the types of the file that the model was trained on."""
    for place, name in enumerate(table.column_names):
        kind = expected.kinds.get(name)
        column = table[name]
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if kind is not None:
            if kind != "text" and is_text(column.type):
                raise UserError(
                    f"Column {name!r} of {source.name} holds text, but the model was trained on numbers there."
                )
            if not (kind == "number" and column.type == pa.float32()):  # which needs half the memory
                column = column.cast(ARROW_TYPES[kind])
        table = table.set_column(place, name, column)
    return table
