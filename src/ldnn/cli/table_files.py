"""Opening files of tables, also compressed ones and standard input; files of other kinds are refused.

Nothing heavy is imported before a file was found and is what its name says.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, BinaryIO

from .messages import UserError

MISSING_VALUES = ("", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "?")
ORDERS = {"day-first": "dmy", "month-first": "mdy", "year-first": "ymd"}  # of dates, by what the option --dates may be
ALLOWED = "CSV, Parquet, Excel or JSON lines"
_FIRST_BYTES = 1 << 20  # read from the beginning of a file, to find the names of the columns
_COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
_MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\x28\xb5\x2f\xfd": ".zst"}
_JSON_LINES = (".jsonl", ".ndjson")
_SHEETS = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")
_ZIP, _OLD_EXCEL = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"


@dataclass(frozen=True)
class TableFormat:
    """How a file is to be read.

    decimal, date_order (of ORDERS): as the user gives them; None: as the columns tell. text_columns: categories
    even if they look like numbers; kept_columns: learned from even if they identify single rows. sheet: of an Excel
    file; None: the first.
    """

    delimiter: str | None = None
    decimal: str | None = None
    encoding: str = "utf8"
    missing_values: tuple[str, ...] = MISSING_VALUES
    date_order: str | None = None
    ignore_case: bool = False
    text_columns: tuple[str, ...] = ()
    ignored_columns: tuple[str, ...] = ()
    kept_columns: tuple[str, ...] = ()
    sheet: str | None = None


@dataclass
class TableSource:
    """A file that was opened for reading. kind: "csv", "parquet", "jsonl" or "sheet"."""

    name: str
    kind: str
    stream: Any  # what Arrow reads from
    raw: BinaryIO  # the file itself, or standard input
    size: int | None  # bytes, if known
    first: bytes  # the first bytes of a text file

    @property
    def bytes_read(self) -> int:
        return self.raw.tell() if self.size is not None else 0


@contextmanager
def open_table(path: str) -> Iterator[TableSource]:
    """Open a file by its name, or standard input by "-"; refused if it is not what its name says."""
    if path == "-":
        yield _standard_input()
        return
    file = Path(path)
    _check_exists(file)
    with file.open("rb") as raw:
        size = file.stat().st_size
        kind = _kind(file, raw.read(8))
        raw.seek(0)
        if kind == "zip":
            with _member(file, raw) as (member, stream):
                yield _text_source(path, _kind_of_text(member), stream, raw, size)
        elif kind in ("parquet", "sheet"):
            yield TableSource(path, kind, raw, raw, size, b"")
        elif codec := _COMPRESSED.get(file.suffix.lower()):
            import pyarrow as pa

            with pa.CompressedInputStream(pa.PythonFile(raw, "r"), codec) as stream:
                yield _text_source(path, kind, stream, raw, size)
        else:
            first = raw.read(_FIRST_BYTES)
            raw.seek(0)
            yield TableSource(path, kind, raw, raw, size, first)


def check_table_file(path: str) -> None:
    """Refuse a file that `open_table` would refuse; standard input is not touched."""
    if path == "-":
        return
    file = Path(path)
    _check_exists(file)
    with file.open("rb") as raw:
        if _kind(file, raw.read(8)) == "zip":
            with _member(file, raw):
                pass


def _text_source(name: str, kind: str, stream: Any, raw: BinaryIO, size: int | None) -> TableSource:
    """The source of a stream that cannot be rewound."""
    first = stream.read(_FIRST_BYTES)
    return TableSource(name, kind, _Rewound(first, stream), raw, size, first)


def _standard_input() -> TableSource:
    content = sys.stdin.buffer
    source = _text_source("standard input", "csv", content, content, None)
    if source.first == b"":
        raise UserError("Standard input is empty.")
    if source.first.startswith(b"PAR1"):  # all of it, since the index of a Parquet file is at its end
        import pyarrow as pa

        return TableSource(source.name, "parquet", pa.BufferReader(source.first + content.read()), content, None, b"")
    if source.first.lstrip().startswith(b'{"'):
        source.kind = "jsonl"
    return source


class _Rewound:
    """A stream from which the first bytes were read, with these put back."""

    closed = False

    def __init__(self, first: bytes, rest: Any):
        self._first = first
        self._rest = rest

    def read(self, size: int) -> bytes:
        if not self._first:
            return self._rest.read(size)
        part, self._first = self._first[:size], self._first[size:]
        return part


def _check_exists(file: Path) -> None:
    if not file.exists():
        there = file.parent.iterdir() if file.parent.is_dir() else ()
        others = [other.name for other in there if other.is_file()]
        stems = get_close_matches(_stem(file.name), map(_stem, others), n=1)  # endings alone make no names similar
        close = get_close_matches(file.name, [name for name in others if _stem(name) in stems], n=1)
        raise UserError(f"There is no file {file}" + (f"; did you mean {close[0]!r}?" if close else "."))
    if file.is_dir():
        raise UserError(f"{file} is a folder; give a file: {ALLOWED}.")


def _stem(name: str) -> str:
    return name.partition(".")[0]


def _kind(file: Path, first: bytes) -> str:
    """What a file is, by its first bytes and its name: "csv", "parquet", "jsonl", "sheet" or "zip"; refused if these
    contradict each other.
    """
    suffix = file.suffix.lower()
    if first == b"":
        raise UserError(f"{file} is empty.")
    if first.startswith(b"PAR1"):
        if {".csv", ".tsv", *_JSON_LINES} & {part.lower() for part in file.suffixes}:
            raise UserError(f"{file} is a Parquet file, not text as its name says; rename it to end in .parquet.")
        return "parquet"
    if suffix in (".parquet", ".pq"):
        raise UserError(
            f"{file} is not a Parquet file, although its name says so; if it is text, rename it to end in .csv."
        )
    if first.startswith((_ZIP, _OLD_EXCEL)):
        return "sheet" if suffix in _SHEETS or first.startswith(_OLD_EXCEL) else "zip"
    if suffix in (*_SHEETS, ".zip"):
        what = "an archive" if suffix == ".zip" else "an Excel file"
        raise UserError(f"{file} is not {what}, although its name says so; if it is text, rename it to end in .csv.")
    _check_compression(file, first)
    return _kind_of_text(str(file))


def _kind_of_text(name: str) -> str:
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    if ".json" in suffixes[-2:]:
        raise UserError(
            f"{name} is JSON; write one object for each row, in a line of its own, and rename it to end in .jsonl."
        )
    return "jsonl" if {*_JSON_LINES} & {*suffixes[-2:]} else "csv"


def _check_compression(file: Path, first: bytes) -> None:
    for magic, suffix in _MAGIC.items():
        is_compressed, is_named_so = first.startswith(magic), file.suffix.lower() == suffix
        if is_compressed and not is_named_so:
            raise UserError(f"{file} is compressed; rename it to end in {suffix}.")
        if is_named_so and not is_compressed:
            raise UserError(f"{file} is not compressed, although its name says so; rename it to end in .csv.")


@contextmanager
def _member(file: Path, raw: BinaryIO) -> Iterator[tuple[str, Any]]:
    """The name and the stream of the only file in an archive, which must be text."""
    from zipfile import BadZipFile, ZipFile

    try:
        archive = ZipFile(raw)
    except BadZipFile:
        raise UserError(f"{file} is damaged: it cannot be read as a zip archive.") from None
    with archive:
        names = [name for name in archive.namelist() if not name.endswith("/") and "__MACOSX" not in name]
        if "[Content_Types].xml" in names:
            raise UserError(f"{file} is an Excel file; rename it to end in .xlsx.")
        if len(names) != 1:
            found = f"{len(names):,} files" if names else "no file"
            raise UserError(f"{file} holds {found}; give an archive of one CSV file.")
        if archive.getinfo(names[0]).flag_bits & 1:
            raise UserError(f"{file} is encrypted; unpack it first.")
        if Path(names[0]).suffix.lower() in (*_SHEETS, *_COMPRESSED, ".parquet", ".pq", ".zip"):
            raise UserError(f"{file} holds {names[0]}; unpack it first.")
        with archive.open(names[0]) as stream:
            yield names[0], stream
