"""Writing predictions as CSV, Parquet or JSON lines, some rows at a time."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from .._io.atomic import atomic_write
from .._printable import printable
from .column_types import is_text
from .messages import UserError
from .outputs import Output

PREDICTION, PROBABILITY = "prediction", "probability_"
_FORMULA = r"^[=+\-@\t\r]"  # texts that spreadsheets execute, but for signed numbers and dashes:
_HARMLESS = r"^[-+][\s$€£¥]*[\d.,'\s]*(\d[eE][-+]?\d+)?\s*[%$€£¥]?$|^-+$"
_NEEDS_QUOTES = r'[",\r\n]|^\s|\s$'


@contextmanager
def open_writer(output: Output, schema: pa.Schema) -> Iterator[Callable[[pa.Table], None]]:
    """A function that writes some more rows; a file gets its name when it is complete."""
    with ExitStack() as stack:
        if output.path == "-":
            file: BinaryIO = sys.stdout.buffer
        else:
            part = stack.enter_context(atomic_write(Path(output.path)))
            file = stack.enter_context(part.open("wb"))
        if output.format == "jsonl":
            yield lambda table: _write_lines(file, _like_the_first(table, schema))
        elif output.format == "parquet":
            parquet = stack.enter_context(pa.parquet.ParquetWriter(file, schema))
            yield lambda table: parquet.write_table(_like_the_first(table, schema))
        else:
            _write_csv(file, [pa.chunked_array([[name]]) for name in schema.names])
            yield lambda table: _write_csv(file, _rounded(_with_columns_of(table, schema)).columns)


def _with_columns_of(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """A table with the columns of the first one that was written, in their order: another file may have others."""
    if table.column_names == schema.names:
        return table
    if difference := set(table.column_names) ^ set(schema.names):
        raise UserError(f"The files have different columns: some lack {min(difference)!r}. Leave out --with-input.")
    return table.select(schema.names)


def _like_the_first(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The same with their types, too."""
    if table.schema.equals(schema):
        return table
    try:
        return _with_columns_of(table, schema).cast(schema)
    except pa.ArrowException as error:
        raise UserError(f"The files hold columns of different types ({error}). Leave out --with-input.") from None


def _write_csv(file: BinaryIO, columns: Sequence[pa.ChunkedArray]) -> None:
    """Write columns as lines of a CSV file, in quotation marks only where these are needed.

    An apostrophe is put before texts that a spreadsheet would take for formulas; numbers stay numbers. A terminal gets
    no control characters.
    """
    cells = [_as_text(column) for column in columns]
    empty_for_null = pc.JoinOptions(null_handling="replace", null_replacement="")
    lines = pc.binary_join_element_wise(*cells, ",", options=empty_for_null)
    text = "".join(f"{line}\n" for line in lines.to_pylist())
    file.write((printable(text) if file.isatty() else text).encode())


def _as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column as it is written; times without zeros at their end."""
    text = column.cast(pa.string())
    if is_text(column.type):
        return _quoted(_without_formulas(text))
    if pa.types.is_timestamp(column.type):
        text = pc.replace_substring_regex(text, r"\.0+(Z?)$", r"\1")
        return pc.replace_substring_regex(text, " 00:00:00$", "")
    return text


def _without_formulas(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    is_formula = pc.and_(
        pc.match_substring_regex(texts, _FORMULA), pc.invert(pc.match_substring_regex(texts, _HARMLESS))
    )
    return pc.if_else(is_formula, pc.binary_replace_slice(texts, 0, 0, "'"), texts)


def _quoted(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    doubled = pc.replace_substring(texts, '"', '""')
    quoted = pc.binary_join_element_wise('"', doubled, '"', "")
    return pc.if_else(pc.match_substring_regex(texts, _NEEDS_QUOTES), quoted, texts)


def _rounded(table: pa.Table) -> pa.Table:
    """Probabilities with six digits, for formats that people read."""
    for place, name in enumerate(table.column_names):
        if name.startswith(PROBABILITY) and pa.types.is_floating(table[name].type):
            table = table.set_column(place, name, pc.round(table[name], 6))
    return table


def _shortest(table: pa.Table) -> pa.Table:
    """Numbers of 32 bits as the shortest decimals that stand for them: 17.99, not 17.989999771118164."""
    for place, (name, kind) in enumerate(zip(table.column_names, table.schema.types, strict=True)):
        if pa.types.is_float32(kind):
            table = table.set_column(place, name, table[name].cast(pa.string()).cast(pa.float64()))
    return table


def _write_lines(file: BinaryIO, table: pa.Table) -> None:
    for row in _shortest(_rounded(table)).to_pylist():
        file.write(json.dumps(row).encode() + b"\n")
