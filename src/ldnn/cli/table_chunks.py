"""Tables of any length, read in chunks with the columns that a model expects."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from shlex import quote
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from .._table.dates import date_text
from .column_types import is_text
from .csv_header import clean_name, read_header
from .csv_parsing import arrow_options, readable_errors
from .date_texts import possible_orders
from .json_lines import json_chunks, json_names
from .messages import UserError, counted, nearest
from .number_texts import is_a_number
from .readings import EXPECTED, OddValueError, Reading
from .spreadsheets import read_sheet
from .table_files import TableFormat, TableSource, open_table

_CHUNK_ROWS = 65_536  # of a Parquet file that are read at once


@dataclass(frozen=True)
class ExpectedColumns:
    """The columns that a model expects, and how they are read.

    target: the name and the reading of the target column, to count errors where a file has it; None if it is not known.
    missing: further texts that mean a missing value. ranges: of the values in training, by column. with_others: whether
    all columns of the file are wanted as well, to be written again; as_typed: as text, even those of numbers.
    """

    readings: dict[str, Reading]
    target: tuple[str, Reading] | None = None
    missing: tuple[str, ...] = ()
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)
    with_others: bool = False
    as_typed: bool = True

    @property
    def all_readings(self) -> dict[str, Reading]:
        """Of all expected columns and the target."""
        return {**self.readings, **(dict([self.target]) if self.target else {})}

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


@dataclass(frozen=True)
class Chunk:
    """Some rows of a file. rows: the columns that the model expects, as it reads them, then the target if the file has
    it. written: all columns as the file has them, if these are wanted.
    """

    rows: pa.Table
    written: pa.Table | None = None


@contextmanager
def open_chunks(
    path: str, table_format: TableFormat, expected: ExpectedColumns
) -> Iterator[tuple[TableSource, Iterator[Chunk]]]:
    """The rows of a file in chunks."""
    with open_table(path) as source:
        yield source, _chunks(source, table_format, expected)


def _chunks(source: TableSource, table_format: TableFormat, expected: ExpectedColumns) -> Iterator[Chunk]:
    table_format = _with_missing(table_format, expected)
    row = 0
    with readable_errors(source, table_format):
        for table in _tables(source, table_format, expected):
            yield _as_expected(table, expected, table_format, source, row)
            row += table.num_rows


def _tables(source: TableSource, table_format: TableFormat, expected: ExpectedColumns) -> Iterator[pa.Table]:
    """The rows of a file in tables with the columns to read, in the types that the file has them in."""
    if source.kind == "csv":
        yield from _csv_tables(source, table_format, expected)
    elif source.kind == "parquet":
        file = pa.parquet.ParquetFile(source.stream)
        columns = _columns_to_read(file.schema_arrow.names, source, expected)
        for batch in parquet_batches(file, _CHUNK_ROWS, columns):
            yield pa.Table.from_batches([batch]).select(columns)
    elif source.kind == "jsonl":
        yield from json_chunks(source, _columns_to_read(json_names(source), source, expected))
    else:
        table = read_sheet(source, table_format)
        table = table.select(_columns_to_read(table.column_names, source, expected))
        yield from (table.slice(k, _CHUNK_ROWS) for k in range(0, table.num_rows, _CHUNK_ROWS))


def _with_missing(table_format: TableFormat, expected: ExpectedColumns) -> TableFormat:
    """The format with the missing values of the model, too."""
    return replace(table_format, missing_values=(*table_format.missing_values, *expected.missing))


def column_names(source: TableSource, table_format: TableFormat) -> list[str]:
    """The names of a file's columns."""
    if source.kind == "parquet":
        return pa.parquet.ParquetFile(source.stream).schema_arrow.names
    if source.kind == "jsonl":
        return json_names(source)
    if source.kind == "sheet":
        return read_sheet(source, table_format).column_names
    return [clean_name(name) for name in read_header(source, table_format)]


def _csv_tables(source: TableSource, table_format: TableFormat, expected: ExpectedColumns) -> Iterator[pa.Table]:
    """The same of a CSV file, all columns as text. Those that are written again are exactly as in the file: columns
    without a name are there, and texts that mean a missing value.
    """
    names = column_names(source, table_format)
    columns = _columns_to_read(names, source, expected)
    place_of = {name: place for place, name in enumerate(names)}
    places = list(range(len(names))) if expected.with_others else [place_of[name] for name in columns]
    options = arrow_options(source, table_format, {str(k): pa.string() for k in places}, list(map(str, places)))
    options["read_options"].column_names = [str(k) for k in range(len(names))]
    options["read_options"].skip_rows_after_names = 1
    options["convert_options"].strings_can_be_null = not expected.with_others
    for batch in pa.csv.open_csv(source.stream, **options):
        if batch.num_rows:
            yield pa.Table.from_batches([batch]).rename_columns(columns)


def read_row_group(
    path: str, group: int, first_row: int, table_format: TableFormat, expected: ExpectedColumns
) -> Chunk:
    """One row group of a Parquet file, as `open_chunks` gives it.

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
    counts = Counter(names)
    absent = [name for name in expected.readings if name not in counts]
    if absent:
        raise _absent_column(absent, names, source, expected)
    twice = {name for name in expected.readings if counts[name] > 1}
    if twice:
        raise UserError(f"{source.name} has two columns named {min(twice)!r}; rename one of them.")
    if expected.with_others:
        return list(names)
    return [name for name in expected.all_readings if name in counts]


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
) -> Chunk:
    """The columns in the types that the model was trained on. first_row: the number of rows before this chunk."""
    rows = {}
    missing, names = table_format.missing_values, set(table.column_names)
    for name, reading in expected.all_readings.items():
        if name not in names:
            continue
        column = table[name]
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if expected.with_others and is_text(column.type):
            column = pc.if_else(pc.is_in(column, pa.array(missing, pa.string())), None, column)
        reading = reading.with_options(table_format.decimal, table_format.date_order)
        rows[name] = read_column(column, name, reading, missing, source.name, first_row)
    return Chunk(pa.table(rows), _written(table, rows, expected) if expected.with_others else None)


def _written(table: pa.Table, rows: dict[str, pa.ChunkedArray], expected: ExpectedColumns) -> pa.Table:
    """All columns as the file has them, with null for empty texts; plain numbers as numbers, unless they are to be
    written as they were typed.
    """
    columns = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        if is_text(column.type):
            is_number = name in rows and expected.all_readings[name].is_plain_number
            column = (
                rows[name] if is_number and not expected.as_typed else pc.if_else(pc.equal(column, ""), None, column)
            )
        columns.append(column)
    return pa.table(columns, names=table.column_names)


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
            f"expected; {_remedy(reading, odd.text)}"
        ) from None
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise UserError(f"Column {name!r} of {file} holds {column.type}, but the model expects {expected}.") from None


def _remedy(reading: Reading, text: str) -> str:
    """What to do about a text that cannot be read as in training."""
    if reading.kind == "date" and text[:1].isdigit() and reading.separator not in ("", *text):
        return f"the dates of the training table have the separator {reading.separator!r}. Give the order with --dates."
    if reading.kind == "date" and (orders := possible_orders(text)):
        return f"if it is one, give the order of day and month with --dates {' or --dates '.join(orders)}."
    if reading.kind != "number" or not is_a_number(text):
        return f"correct it, or count it as missing with --missing {quote(text)}."
    other = "," if reading.decimal == "." else "."
    if other in text:
        return f"write it as in the training table, or use --decimal {other} if {other!r} is the decimal point."
    return f"write it as in the training table{f', with {reading.sign}' if reading.sign not in ('', *text) else ''}."
