"""CSV and Parquet files as Arrow tables: whole, to learn from, or in pieces that never fill the memory."""

import csv
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from .messages import UserError, counted, nearest

MISSING = ("", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "?")
_FIRST = 1 << 20  # bytes from the beginning, to find the names of the columns in
_BLOCK = 2 << 20  # bytes of a CSV file that are read at once
_PIECE = 65_536  # rows of a Parquet file that are read at once
_COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
_NUMBER = r"^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$"
_DECIMAL_COMMA = r"^\s*[-+]?\d+,\d+\s*$"


@dataclass(frozen=True)
class Reading:
    """How a file is to be read. text: columns that are categories even if they look like numbers."""

    delimiter: str | None = None
    decimal: str = "."
    encoding: str = "utf8"
    missing: tuple[str, ...] = MISSING
    text: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


@dataclass
class Source:
    """A file that was opened to be read."""

    name: str
    is_parquet: bool
    stream: Any  # what Arrow reads from
    raw: BinaryIO  # the file itself, or standard input
    size: int | None  # bytes, if known
    first: bytes  # some bytes of text from its beginning; empty where there are none to see

    @property
    def done(self) -> int:
        """Bytes read so far."""
        return self.raw.tell() if self.size is not None else 0


@contextmanager
def opened(path: str) -> Iterator[Source]:
    """A file by its name, or standard input by "-"; refused if it is not what its name says."""
    if path == "-":
        content = sys.stdin.buffer
        first = content.read(_FIRST)
        if first.startswith(b"PAR1"):  # its index stands at its end
            yield Source("standard input", True, pa.BufferReader(first + content.read()), content, None, b"")
        elif first == b"":
            raise UserError("Nothing came on standard input.")
        else:
            yield Source("standard input", False, _Prefixed(first, content), content, None, first)
        return
    file = Path(path)
    if not file.exists():
        folder = file.parent
        others = [other.name for other in folder.iterdir() if other.is_file()] if folder.is_dir() else []
        close = nearest(file.name, others)
        raise UserError(f"There is no file {path}" + (f"; {close}" if close.startswith("did") else "."))
    if file.is_dir():
        raise UserError(f"{path} is a folder; give a CSV or Parquet file.")
    with file.open("rb") as raw:
        first = raw.read(8)
        raw.seek(0)
        is_parquet = _check_kind(file, first)
        if is_parquet:
            yield Source(path, True, raw, raw, file.stat().st_size, b"")
            return
        codec = _COMPRESSED.get(file.suffix.lower())
        if codec is None:
            start = raw.read(_FIRST)
            raw.seek(0)
            yield Source(path, False, raw, raw, file.stat().st_size, start)
            return
        with pa.CompressedInputStream(pa.PythonFile(raw, "r"), codec) as stream:
            start = stream.read(_FIRST)
            yield Source(path, False, _Prefixed(start, stream), raw, file.stat().st_size, start)


class _Prefixed:
    """A stream with what was read from its beginning put back."""

    closed = False

    def __init__(self, first: bytes, rest: Any):
        self._first = first
        self._rest = rest

    def read(self, size: int) -> bytes:
        if not self._first:
            return self._rest.read(size)
        part, self._first = self._first[:size], self._first[size:]
        return part


def _check_kind(file: Path, first: bytes) -> bool:
    """Whether a file is Parquet, by its first bytes; refuse what is neither that nor text."""
    suffixes = [suffix.lower() for suffix in file.suffixes]
    named_parquet = bool({".parquet", ".pq"} & set(suffixes[-1:]))
    if first == b"":
        raise UserError(f"{file} is empty.")
    if first.startswith(b"PAR1"):
        if {".csv", ".tsv"} & set(suffixes):
            raise UserError(f"{file} is a Parquet file, not CSV as its name says; rename it to end in .parquet.")
        return True
    if named_parquet:
        raise UserError(
            f"{file} is not a Parquet file, whatever its name says; if it is text, rename it to end in .csv."
        )
    if first.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise UserError(f"{file} is a spreadsheet or an archive, not CSV; save the sheet as CSV (UTF-8) first.")
    packed = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\x28\xb5\x2f\xfd": ".zst"}
    for magic, suffix in packed.items():
        if first.startswith(magic) != (suffixes[-1:] == [suffix]):
            is_packed = first.startswith(magic)
            raise UserError(
                f"{file} is compressed; rename it to end in {suffix}." if is_packed
                else f"{file} is not compressed, whatever its name says; rename it to end in .csv."
            )  # fmt: skip
    return False


# --- whole tables -----------------------------------------------------------------------------------------------------


def read_table(path: str, reading: Reading, note: Callable[[str], None]) -> pa.Table:
    """A whole file; `note` is told what is worth knowing about it."""
    with opened(path) as source, _sentences(source, reading):
        if source.is_parquet:
            table = pa.parquet.read_table(source.stream)
        else:
            columns = _header(source, reading)
            table = pa.csv.read_csv(
                source.stream,
                **_csv_options(source, reading, dict.fromkeys(set(reading.text) & set(columns), pa.string())),
            )
            if any(pa.types.is_binary(kind) for kind in table.schema.types):
                raise _wrong_encoding(source, reading)
        name = source.name
    if table.num_rows == 0:
        raise UserError(f"{name} has a header but no rows.")
    return tidy(table, name, reading, note)


def tidy(table: pa.Table, name: str, reading: Reading, note: Callable[[str], None]) -> pa.Table:
    """The columns to learn from, of types that a classifier can read."""
    known = [column for column in table.column_names if column]
    for column in (*reading.ignore, *reading.text):
        if column not in known:
            raise UserError(f"{name} has no column {column!r}; {nearest(column, known)}")
    unnamed = len(table.column_names) - len(known)
    if unnamed:
        note(f"{counted(unnamed, 'column')} without a name left out.")
    twice = {column for column in known if known.count(column) > 1}
    if twice:
        raise UserError(f"{name} has two columns named {min(twice)!r}; rename one of them.")
    kept = [column for column in known if column not in reading.ignore]
    return pa.table({column: _plain(table[column], column, column in reading.text) for column in kept})


def _plain(column: pa.ChunkedArray, name: str, is_text: bool) -> pa.ChunkedArray:
    """A column as numbers, truth values or text."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_null(kind):
        return column.cast(pa.float64())
    if pa.types.is_decimal(kind) or pa.types.is_float16(kind):
        column = column.cast(pa.float64())
    elif pa.types.is_temporal(kind):
        raise UserError(
            f"Column {name!r} holds dates or times; turn it into numbers first (the year, the hour, ...), or leave it "
            f"out with --ignore {shell(name)}."
        )
    elif not (
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
    ):
        raise UserError(f"Column {name!r} holds values of type {kind}; leave it out with --ignore {shell(name)}.")
    return column.cast(pa.string()) if is_text else column


def check_mixed(table: pa.Table, reading: Reading, note: Callable[[str], None]) -> None:
    """Refuse columns that are numbers but for a few texts: they would silently become categories."""
    for name in table.column_names:
        column = table[name]
        if name in reading.text or not is_text(column.type):
            continue
        known = column.drop_null()
        if len(known) == 0:
            continue
        numbers = pc.match_substring_regex(known, _NUMBER)
        share = pc.mean(numbers).as_py()
        if 0.5 <= share < 1:
            where = pc.fill_null(pc.invert(pc.match_substring_regex(column, _NUMBER)), False)
            row = pc.index(where, True).as_py()
            odd = column[row].as_py()
            raise UserError(
                f"Column {name!r} mixes numbers and text: {odd!r} in row {row + 1:,} is no number. Count it as missing "
                f"with --missing {shell(odd)}, or take the whole column as text with --text {shell(name)}."
            )
        if reading.decimal == "." and pc.mean(pc.match_substring_regex(known, _DECIMAL_COMMA)).as_py() > 0.5:
            raise UserError(f"Column {name!r} has decimal commas ({known[0].as_py()!r}); say so with --decimal ,")
        different = pc.count_distinct(known).as_py()
        if different > 255:
            note(
                f"Column {name!r} has {different:,} different texts; only the 255 most frequent ones are told apart. "
                f"Leave it out with --ignore {shell(name)} if it is a name or a number of a row."
            )


def is_text(kind: Any) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def shell(text: str) -> str:
    """A text as it is typed at a command line."""
    return shlex.quote(text)


# --- pieces of tables -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wanted:
    """The columns that a model needs, and what they hold: "number", "truth" or "text".

    target: its name and what it holds, to count the errors where it is there; None if it is not known.
    """

    kinds: dict[str, str]
    target: tuple[str, str] | None = None
    others: bool = False  # whether all other columns are wanted, too, as text
    types: dict[str, Any] = field(
        default_factory=lambda: {"number": pa.float64(), "truth": pa.bool_(), "text": pa.string()}, init=False
    )


@contextmanager
def pieces(path: str, reading: Reading, wanted: Wanted) -> Iterator[tuple[Source, Iterator[pa.Table]]]:
    """The rows of a file, some at a time, with the wanted columns in the wanted order, then the others."""
    with opened(path) as source:
        yield source, _pieces(source, reading, wanted)


def _pieces(source: Source, reading: Reading, wanted: Wanted) -> Iterator[pa.Table]:
    with _sentences(source, reading):
        if source.is_parquet:
            file = pa.parquet.ParquetFile(source.stream)
            columns = _order(file.schema_arrow.names, source, wanted)
            for batch in batches_of(file, _PIECE, columns):
                yield _of_kinds(pa.Table.from_batches([batch]).select(columns), wanted, source)
            return
        columns = _order(_header(source, reading), source, wanted)
        kinds = {**wanted.kinds, **(dict([wanted.target]) if wanted.target else {})}
        types = {name: wanted.types[kinds[name]] if name in kinds else pa.string() for name in columns}
        options = _csv_options(source, reading, types, columns)
        for batch in pa.csv.open_csv(source.stream, **options):
            if batch.num_rows:
                yield pa.Table.from_batches([batch])


def batches_of(file: Any, rows: int, columns: list[str] | None = None) -> Iterator[Any]:
    """The rows of a Parquet file, so many at a time; one row group after the other, or all of them stay in memory."""
    for group in range(file.num_row_groups):
        yield from file.iter_batches(rows, row_groups=[group], columns=columns)


def _order(names: Sequence[str], source: Source, wanted: Wanted) -> list[str]:
    """The columns to read: what the model needs, the target if it is there, and the others if they are wanted."""
    absent = [name for name in wanted.kinds if name not in names]
    if absent:
        more = f" ({counted(len(absent) - 1, 'other')} missing, too)" if len(absent) > 1 else ""
        unused = [name for name in names if name not in wanted.kinds]
        close = nearest(absent[0], unused)
        hint = f"; {close}" if close.startswith("did") else "; the model needs it."
        raise UserError(f"{source.name} has no column {absent[0]!r}{more}{hint}")
    twice = {name for name in wanted.kinds if list(names).count(name) > 1}
    if twice:
        raise UserError(f"{source.name} has two columns named {min(twice)!r}; rename one of them.")
    columns = list(wanted.kinds)
    if wanted.target and wanted.target[0] in names:
        columns.append(wanted.target[0])
    if wanted.others:
        columns += [name for name in names if name and name not in columns]
    return columns


def _of_kinds(table: pa.Table, wanted: Wanted, source: Source) -> pa.Table:
    """Parquet columns as a model's training file had them."""
    for place, name in enumerate(table.column_names):
        kind = wanted.kinds.get(name)
        column = table[name]
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if kind is not None:
            is_number = not is_text(column.type)
            if kind != "text" and not is_number:
                raise UserError(
                    f"Column {name!r} of {source.name} holds text, but the model was trained on numbers there."
                )
            if not (kind == "number" and column.type == pa.float32()):  # which needs half the memory
                column = column.cast(wanted.types[kind])
        table = table.set_column(place, name, column)
    return table


# --- CSV --------------------------------------------------------------------------------------------------------------


def _header(source: Source, reading: Reading) -> list[str]:
    """The names of the columns, from the first line."""
    try:
        text = source.first.decode(reading.encoding if reading.encoding != "utf8" else "utf-8-sig", errors="replace")
    except LookupError:
        raise UserError(f"There is no encoding {reading.encoding!r}; try latin-1 or utf-16.") from None
    if "\0" in text:
        raise UserError(f"{source.name} is no text file; give CSV (UTF-8) or Parquet.")
    if not text.strip():
        raise UserError(f"{source.name} is empty.")
    return next(csv.reader(text.splitlines(keepends=True), delimiter=_delimiter(source, reading)))


def _delimiter(source: Source, reading: Reading) -> str:
    """What separates the columns: as it was said, or what the first line has most of."""
    if reading.delimiter is not None:
        return reading.delimiter
    line = re.sub(r'"[^"]*"', "", source.first.decode(errors="replace").lstrip().partition("\n")[0])
    return max(",;\t|", key=line.count)


def _csv_options(
    source: Source, reading: Reading, types: dict[str, Any], columns: list[str] | None = None
) -> dict[str, Any]:
    return {
        "read_options": pa.csv.ReadOptions(encoding=reading.encoding, block_size=_BLOCK),
        "parse_options": pa.csv.ParseOptions(delimiter=_delimiter(source, reading), newlines_in_values=True),
        "convert_options": pa.csv.ConvertOptions(
            column_types=types,
            null_values=list(reading.missing),
            strings_can_be_null=True,
            decimal_point=reading.decimal,
            include_columns=columns,
        ),
    }


@contextmanager
def _sentences(source: Source, reading: Reading) -> Iterator[None]:
    """Turn what Arrow says about a damaged file into a sentence."""
    try:
        yield
    except (pa.ArrowInvalid, pa.ArrowException, UnicodeDecodeError) as error:
        said = str(error)
    else:
        return
    odd = re.search(r"In CSV column #(\d+):.*?(?:Row #(\d+): )?.*conversion error to (\w+): invalid value '(.*)'", said)
    if odd and odd[3] in ("double", "bool"):
        expected = "a number" if odd[3] == "double" else "true or false"
        column = _header(source, reading)[int(odd[1])]
        where = f" (row {int(odd[2]):,})" if odd[2] else ""
        raise UserError(
            f"Column {column!r} of {source.name} holds {odd[4]!r}{where} where {expected} was expected; correct it, or "
            f"count it as missing with --missing {shell(odd[4])}."
        )
    if "UTF" in said or "codec can't decode" in said:
        raise _wrong_encoding(source, reading)
    width = re.search(r"Expected (\d+) columns, got (\d+)(?:: (.*))?", said)
    if width:
        line = f" ({width[3][:60]!r})" if width[3] else ""
        raise UserError(
            f"A row of {source.name}{line} has {counted(int(width[2]), 'column')} instead of {width[1]}; correct it, "
            "or name what separates the columns with --delimiter."
        )
    raise unreadable(source.name, said)


def unreadable(name: str, reason: object) -> UserError:
    """What there is to say where only Arrow knows what is wrong."""
    return UserError(f"{name} cannot be read: {str(reason).splitlines()[0].rstrip('.')}.")


def _wrong_encoding(source: Source, reading: Reading) -> UserError:
    return UserError(
        f"{source.name} is not written in {reading.encoding}; name its encoding, for example --encoding latin-1."
    )
