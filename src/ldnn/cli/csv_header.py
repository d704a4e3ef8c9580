"""The first lines of a CSV file, read without Arrow: the names of its columns and the character between them."""

import csv
import re
from collections.abc import Iterator

from .messages import UserError
from .table_files import TableFormat, TableSource

_IN_NO_TEXT = "\x1f"  # the separator of units in ASCII


def read_header(source: TableSource, table_format: TableFormat) -> list[str]:
    """The names of the columns as the first line of a CSV file has them, with spaces around them."""
    return next(first_rows(source, table_format))


def clean_name(name: str) -> str:
    """The name of a column without spaces around it, and without quotation marks after a space."""
    quoted = re.fullmatch(r'\s+"(.*)"\s*', name)
    return (quoted[1] if quoted else name).strip()


def first_rows(source: TableSource, table_format: TableFormat) -> Iterator[list[str]]:
    encoding = table_format.encoding
    if encoding == "utf8" and source.first.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UserError(f"{source.name} is written in UTF-16; read it with --encoding utf-16.")
    try:
        text = source.first.decode(encoding if encoding != "utf8" else "utf-8-sig", errors="replace")
    except LookupError:
        raise UserError(f"There is no encoding {encoding!r}; try latin-1 or utf-16.") from None
    if "\0" in text:
        raise UserError(f"{source.name} is not a text file; give CSV (UTF-8) or Parquet.")
    if not text.strip():
        raise UserError(f"{source.name} is empty.")
    reader = csv.reader(text.splitlines(keepends=True), delimiter=find_delimiter(source, table_format))
    try:
        yield from reader
    except csv.Error:
        raise UserError(
            f"A cell of {source.name} that ends in line {reader.line_num:,} or later has more than "
            f"{csv.field_size_limit():,} characters: a quotation mark is probably missing before."
        ) from None


def find_delimiter(source: TableSource, table_format: TableFormat) -> str:
    """The character between columns: the given one, or the most frequent candidate in the first line.

    If there is none, the table has one column, whose values may contain these characters (`7,322`).
    """
    if table_format.delimiter is not None:
        return table_format.delimiter
    line = re.sub(r'"[^"]*"', "", source.first.decode(errors="replace").lstrip().partition("\n")[0])
    best = max(",;\t|", key=line.count)
    return best if best in line else _IN_NO_TEXT
