"""Tables of any length, read in chunks with the columns that a model expects."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from shlex import quote
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from .._table.dates import date_text
from .csv_parsing import arrow_options, read_header, readable_errors
from .messages import UserError, counted, nearest
from .readings import EXPECTED, OddValueError, Reading
from .table_files import TableFormat, TableSource, open_table

_CHUNK_ROWS = 65_536  # of a Parquet file that are read at once


@dataclass(frozen=True)
class ExpectedColumns:
    """The columns that a model expects, and how they are read.

    target: the name and the reading of the target column, to count errors where a file has it; None if it is not known.
    missing: further texts that mean a missing value. ranges: of the values in training, by column. with_others: whether
    to read all other columns, too, as text.
    """

    readings: dict[str, Reading]
    target: tuple[str, Reading] | None = None
    missing: tuple[str, ...] = ()
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)
    with_others: bool = False

    @property
    def names(self) -> list[str]:
        return list(self.readings)

    def range_text(self, name: str) -> str:
        """The range of a column in training."""
        low, high = self.ranges[name]
        shown = date_text if self.readings[name].kind == "date" else "{:.6g}".format
        return f"{shown(low)} to {shown(high)}"

    def unused(self, names: Collection[str]) -> list[str]:
        """Those of a file's columns that the model does not use."""
        target = self.target[0] if self.target else None
        return [name for name in names if name and name not in self.readings and name != target]


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
    table_format = _with_missing(table_format, expected)
    row = 0
    with readable_errors(source, table_format):
        for table in (
            _parquet_chunks(source, expected) if source.is_parquet else _csv_chunks(source, table_format, expected)
        ):
            yield _as_expected(table, expected, table_format, source, row)
            row += table.num_rows


def _with_missing(table_format: TableFormat, expected: ExpectedColumns) -> TableFormat:
    """The format with the missing values of the model, too."""
    return replace(table_format, missing_values=(*table_format.missing_values, *expected.missing))


def column_names(source: TableSource, table_format: TableFormat) -> list[str]:
    """The names of a file's columns."""
    if source.is_parquet:
        return pa.parquet.ParquetFile(source.stream).schema_arrow.names
    return [name.strip() for name in read_header(source, table_format)]


def _parquet_chunks(source: TableSource, expected: ExpectedColumns) -> Iterator[pa.Table]:
    file = pa.parquet.ParquetFile(source.stream)
    columns = _columns_to_read(file.schema_arrow.names, source, expected)
    for batch in parquet_batches(file, _CHUNK_ROWS, columns):
        yield pa.Table.from_batches([batch]).select(columns)


def _csv_chunks(source: TableSource, table_format: TableFormat, expected: ExpectedColumns) -> Iterator[pa.Table]:
    """All columns as text."""
    header = {name.strip(): name for name in reversed(read_header(source, table_format))}
    columns = _columns_to_read(column_names(source, table_format), source, expected)
    in_file = [header[name] for name in columns]
    options = arrow_options(source, table_format, dict.fromkeys(in_file, pa.string()), in_file)
    for batch in pa.csv.open_csv(source.stream, **options):
        if batch.num_rows:
            yield pa.Table.from_batches([batch]).rename_columns(columns)


def read_row_group(
    path: str, group: int, first_row: int, table_format: TableFormat, expected: ExpectedColumns
) -> pa.Table:
    """One row group of a Parquet file, with the columns as `open_chunks` gives them.

    first_row: the number of rows before this group.
    """
    table_format = _with_missing(table_format, expected)
    with open_table(path) as source, readable_errors(source, table_format):
        file = pa.parquet.ParquetFile(source.stream)
        columns = _columns_to_read(file.schema_arrow.names, source, expected)
        table = file.read_row_group(group, columns=columns).select(columns)
        return _as_expected(table, expected, table_format, source, first_row)


def parquet_batches(file: Any, rows: int, columns: list[str] | None = None) -> Iterator[Any]:
    """The rows of a Parquet file in batches.

    One row group is read after the other: if Arrow is given all of them at once, they stay in memory.
    """
    for group in range(file.num_row_groups):
        yield from file.iter_batches(rows, row_groups=[group], columns=columns)


def _columns_to_read(names: Sequence[str], source: TableSource, expected: ExpectedColumns) -> list[str]:
    absent = [name for name in expected.readings if name not in names]
    if absent:
        raise _absent_column(absent, names, source, expected)
    twice = {name for name in expected.readings if list(names).count(name) > 1}
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
    close = nearest(absent[0], [name for name in names if name not in expected.readings])
    hint = close if close.startswith("did") else "the model needs it."
    return UserError(f"{source.name} has no column {absent[0]!r}{more}; {hint}")


def _as_expected(
    table: pa.Table, expected: ExpectedColumns, table_format: TableFormat, source: TableSource, first_row: int
) -> pa.Table:
    """The columns in the types that the model was trained on. first_row: the number of rows before this chunk."""
    readings = {**expected.readings, **(dict([expected.target]) if expected.target else {})}
    for place, name in enumerate(table.column_names):
        column = table[name]
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if name in readings:
            reading = readings[name].with_options(table_format.decimal, table_format.date_order)
            column = read_column(column, name, reading, table_format.missing_values, source.name, first_row)
        table = table.set_column(place, name, column)
    return table


def read_column(
    column: pa.ChunkedArray, name: str, reading: Reading, missing: Collection[str], file: str, first_row: int | None
) -> pa.ChunkedArray:
    """A column as the reading says; UserError where it holds something else. first_row: its place in the file."""
    expected = EXPECTED.get(reading.kind, "text")
    try:
        return reading.cast(column, missing)
    except OddValueError as odd:
        row = "" if first_row is None else f" (row {first_row + odd.row + 1:,})"
        raise UserError(
            f"Column {name!r} of {file} holds {odd.text!r}{row} where {expected} was "
            f"expected; correct it, or count it as missing with --missing {quote(odd.text)}."
        ) from None
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise UserError(f"Column {name!r} of {file} holds {column.type}, but the model expects {expected}.") from None
