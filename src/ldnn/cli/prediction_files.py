"""Writing predictions as CSV, Parquet or JSON lines, some rows at a time."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from .._io.atomic import atomic_write, output_path
from .column_types import is_text
from .messages import UserError

PREDICTION, PROBABILITY = "prediction", "probability_"
_FORMULA, _NUMBER = r"^[=+\-@\t\r]", r"^[-+](\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$"  # texts that spreadsheets execute
_FORMATS = {".csv": "csv", ".parquet": "parquet", ".pq": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl"}


@dataclass(frozen=True)
class Output:
    """Where predictions are written. path: "-" for standard output; format: "csv", "parquet" or "jsonl"."""

    path: str
    format: str

    @classmethod
    def at(cls, path: str, as_json: bool) -> "Output":
        """The output with the format that its name determines; refused if nothing can be written there.

        as_json: whether standard output is JSON lines instead of CSV.
        """
        if path == "-":
            return cls(path, "jsonl" if as_json else "csv")
        file = output_path("the predictions", path)
        if file.exists() and not file.is_file():
            return cls(path, "csv")  # a pipe or a device
        if file.suffix.lower() not in _FORMATS:
            raise UserError(f"{path} ends in none of {', '.join(_FORMATS)}; the name determines the format.")
        return cls(path, _FORMATS[file.suffix.lower()])


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
            options = pa.csv.WriteOptions(quoting_style="needed", quoting_header="needed")
            csv = stack.enter_context(pa.csv.CSVWriter(_KeptOpen(file), _plain_names(schema), write_options=options))
            yield lambda table: csv.write_table(_without_formulas(_rounded(_like_the_first(table, schema))))


def _like_the_first(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """A table with the columns and types of the first one that was written: another file may have others."""
    if table.schema.equals(schema):
        return table
    if difference := set(table.column_names) ^ set(schema.names):
        raise UserError(f"The files have different columns: some lack {min(difference)!r}. Leave out --with-input.")
    try:
        return table.select(schema.names).cast(schema)
    except pa.ArrowException as error:
        raise UserError(f"The files hold columns of different types ({error}). Leave out --with-input.") from None


class _KeptOpen:
    """A file that Arrow cannot close, and that reports a broken pipe with Python's own error."""

    closed = False

    def __init__(self, file: BinaryIO):
        self._file = file

    def write(self, data: Any) -> int:
        return self._file.write(data)

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        pass


def _plain_names(schema: pa.Schema) -> pa.Schema:
    """The schema with names that are no formulas."""
    names = pa.array(schema.names, pa.string())
    return pa.schema([field.with_name(name) for field, name in zip(schema, _quoted(names).to_pylist(), strict=True)])


def _without_formulas(table: pa.Table) -> pa.Table:
    """The table with an apostrophe before texts that a spreadsheet would take for formulas; numbers stay numbers."""
    names = _plain_names(table.schema).names
    columns = [_quoted(column) if is_text(column.type) else column for column in table.columns]
    return pa.table(columns, names=names)


def _quoted(texts: Any) -> Any:
    is_formula = pc.and_(pc.match_substring_regex(texts, _FORMULA), pc.invert(pc.match_substring_regex(texts, _NUMBER)))
    return pc.if_else(is_formula, pc.binary_replace_slice(texts, 0, 0, "'"), texts)


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
