"""Opening CSV and Parquet files, also compressed ones and standard input; files of other kinds are refused."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from .messages import UserError, nearest

MISSING_VALUES = ("", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "?")
_FIRST_BYTES = 1 << 20  # read from the beginning of a file, to find the names of the columns
_COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}


@dataclass(frozen=True)
class TableFormat:
    """How a file is to be read.

    decimal, date_order ("dmy" or "mdy"): as the user gives them; None: as the columns tell. text_columns: categories
    even if they look like numbers; kept_columns: learned from even if they identify single rows.
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


@dataclass
class TableSource:
    """A file that was opened for reading."""

    name: str
    is_parquet: bool
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
        is_parquet = _is_parquet(file, raw.read(8))
        raw.seek(0)
        codec = _COMPRESSED.get(file.suffix.lower())
        if is_parquet:
            yield TableSource(path, True, raw, raw, size, b"")
        elif codec is None:
            first = raw.read(_FIRST_BYTES)
            raw.seek(0)
            yield TableSource(path, False, raw, raw, size, first)
        else:
            with pa.CompressedInputStream(pa.PythonFile(raw, "r"), codec) as stream:
                first = stream.read(_FIRST_BYTES)
                yield TableSource(path, False, _Rewound(first, stream), raw, size, first)


def check_table_file(path: str) -> None:
    """Refuse a file that `open_table` would refuse; standard input is not touched."""
    if path != "-":
        with open_table(path):
            pass


def _standard_input() -> TableSource:
    content = sys.stdin.buffer
    first = content.read(_FIRST_BYTES)
    if first == b"":
        raise UserError("Standard input is empty.")
    if first.startswith(b"PAR1"):  # all of it, since the index of a Parquet file is at its end
        whole = pa.BufferReader(first + content.read())
        return TableSource("standard input", True, whole, content, None, b"")
    return TableSource("standard input", False, _Rewound(first, content), content, None, first)


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
        folder = file.parent
        others = [other.name for other in folder.iterdir() if other.is_file()] if folder.is_dir() else []
        close = nearest(file.name, others)
        raise UserError(f"There is no file {file}" + (f"; {close}" if close.startswith("did") else "."))
    if file.is_dir():
        raise UserError(f"{file} is a folder; give a CSV or Parquet file.")


def _is_parquet(file: Path, first: bytes) -> bool:
    """Whether a file is Parquet, by its first bytes; files that are neither that nor text are refused."""
    suffixes = [suffix.lower() for suffix in file.suffixes]
    if first == b"":
        raise UserError(f"{file} is empty.")
    if first.startswith(b"PAR1"):
        if {".csv", ".tsv"} & set(suffixes):
            raise UserError(f"{file} is a Parquet file, not CSV as its name says; rename it to end in .parquet.")
        return True
    if suffixes[-1:] in ([".parquet"], [".pq"]):
        raise UserError(
            f"{file} is not a Parquet file, although its name says so; if it is text, rename it to end in .csv."
        )
    if first.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise UserError(f"{file} is a spreadsheet or an archive, not CSV; save the sheet as CSV (UTF-8) first.")
    _check_compression(file, first)
    return False


def _check_compression(file: Path, first: bytes) -> None:
    magic_numbers = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\x28\xb5\x2f\xfd": ".zst"}
    for magic, suffix in magic_numbers.items():
        is_compressed, is_named_so = first.startswith(magic), file.suffix.lower() == suffix
        if is_compressed and not is_named_so:
            raise UserError(f"{file} is compressed; rename it to end in {suffix}.")
        if is_named_so and not is_compressed:
            raise UserError(f"{file} is not compressed, although its name says so; rename it to end in .csv.")
