"""The first lines of a CSV file, read without Arrow: the names of its columns and the character between them."""

import csv
import re
from collections.abc import Iterator

from .messages import UserError
from .table_files import TableFormat, TableSource

_SAMPLE = 100_000  # characters in which the delimiter is looked for
_LINES = 50  # in which it is, and names of columns
_IN_NO_TEXT = "\x1f"  # the separator of units in ASCII


def read_header(source: TableSource, table_format: TableFormat) -> list[str]:
    """The names of the columns as the first line of a CSV file has them, with spaces around them."""
    return next(first_rows(source, table_format))


def clean_name(name: str) -> str:
    """The name of a column without spaces around it, and without quotation marks after a space."""
    quoted = re.fullmatch(r'\s+"(.*)"\s*', name)
    return (quoted[1] if quoted else name).strip()


def first_rows(source: TableSource, table_format: TableFormat) -> Iterator[list[str]]:
    text = _head(source, table_format)
    if not text.strip():
        raise UserError(f"{source.name} is empty.")
    lines = text.splitlines(keepends=True)[lines_before(source, table_format) :]
    reader = csv.reader(lines, delimiter=find_delimiter(source, table_format))
    try:
        yield from reader
    except csv.Error:
        raise UserError(
            f"A cell of {source.name} that ends in line {reader.line_num:,} or later has more than "
            f"{csv.field_size_limit():,} characters: a quotation mark is probably missing before."
        ) from None


def _head(source: TableSource, table_format: TableFormat) -> str:
    """The first part of a file as text."""
    encoding = table_format.encoding
    if encoding == "utf8" and source.first.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UserError(f"{source.name} is written in UTF-16; read it with --encoding utf-16.")
    try:
        text = source.first.decode(encoding if encoding != "utf8" else "utf-8-sig", errors="replace")
    except (LookupError, UnicodeError):  # unknown, or of single words such as the names of hosts
        raise UserError(f"There is no encoding {encoding!r}; try latin-1 or utf-16.") from None
    if "\0" in text:
        raise UserError(f"{source.name} is not a text file; give CSV (UTF-8) or Parquet.")
    return text


def lines_before(source: TableSource, table_format: TableFormat) -> int:
    """The number of lines before the names of the columns: one if the first line names the delimiter."""
    return int(_named_delimiter(_head(source, table_format)) is not None)


def _named_delimiter(text: str) -> str | None:
    """The delimiter that a first line such as `sep=;` names, which spreadsheets write and read."""
    named = re.match(r"\"?sep=(.)\"?[ ,;\t]*\r?\n", text, re.IGNORECASE)
    return named[1] if named else None


def find_delimiter(source: TableSource, table_format: TableFormat) -> str:
    """The character between columns: the given one, the one that the file names, or the most frequent candidate in the
    first line, preferably of those that are as frequent in the following lines.

    If there is none, the table has one column, whose values may contain these characters (`7,322`).
    """
    if table_format.delimiter is not None:
        return table_format.delimiter
    text = _head(source, table_format)
    if (named := _named_delimiter(text)) is not None:
        return named
    unquoted = re.sub(r'"[^"]*"', "", text[: max(_SAMPLE, text.find("\n"))])
    first, *others = [line for line in unquoted.splitlines()[:_LINES] if line] or [""]
    candidates = [mark for mark in ",;\t|" if mark in first]
    regular = [mark for mark in candidates if all(line.count(mark) == first.count(mark) for line in others[:-1])]
    return max(regular or candidates, key=first.count, default=_IN_NO_TEXT)


def later_header(name: str, names: list[str], source: TableSource, table_format: TableFormat) -> int | None:
    """The number of a line, counted from 1, that may have the names of the columns instead of the first one, which has
    `names`: more of them, and the one that is looked for. None if there is no such line.
    """
    for number, line in enumerate(_head(source, table_format).splitlines()[1:_LINES], 2):
        cells = [cell.strip(' "') for cell in re.split(r"[,;\t|]", line)]
        if name in cells and sum(map(bool, cells)) > len(names):
            return number
    return None
