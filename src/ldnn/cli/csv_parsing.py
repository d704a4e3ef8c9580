"""CSV files for Arrow: its options, and its errors as sentences."""

import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any
from zipfile import BadZipFile

import pyarrow as pa
import pyarrow.csv

from .csv_header import find_delimiter, first_rows, lines_before
from .messages import UserError, counted
from .number_texts import are_codes, has_hexadecimals, looks_like_groups
from .table_files import TableFormat, TableSource

_BLOCK_BYTES = 2 << 20  # of a CSV file that are read at once
_FIRST_ROWS = 1000  # which show whether points may be thousands separators, and numbers codes


def columns_to_read_as_text(source: TableSource, table_format: TableFormat) -> set[str]:
    """The columns that Arrow would read as other numbers than they may be: whose first values are all like 1.234 or 56,
    so that points may be thousands separators, all like 01067 or 80331, which would lose their leading zeros, or some
    like 0x1F, which are names rather than amounts.
    """
    may_be_grouped = table_format.decimal is None
    return {
        name
        for name, values in _first_values(source, table_format)
        if are_codes(values) or has_hexadecimals(values) or (may_be_grouped and looks_like_groups(values))
    }


def _first_values(source: TableSource, table_format: TableFormat) -> Iterator[tuple[str, list[str]]]:
    """The columns of a CSV file by their names, each with its first values that are not missing."""
    header, *rows = islice(first_rows(source, table_format), _FIRST_ROWS)
    complete = [row for row in rows[: -1 if len(rows) > 1 else None] if len(row) == len(header)]
    missing = {"", *table_format.missing_values}
    for name, values in zip(header, zip(*complete, strict=True), strict=True) if complete else ():
        yield name, [known for value in values if (known := value.strip()) not in missing]


def arrow_options(
    source: TableSource, table_format: TableFormat, types: dict[str, Any], columns: list[str] | None = None
) -> dict[str, Any]:
    """Options of Arrow's CSV readers. types: those of some columns; columns: which to read, all by default.

    In a table of one column, an empty line is a missing value; skipped, it would shift the predictions of later rows.
    """
    has_one_column = len(next(first_rows(source, table_format))) == 1
    return {
        "read_options": pa.csv.ReadOptions(
            encoding=table_format.encoding, block_size=_BLOCK_BYTES, skip_rows=lines_before(source, table_format)
        ),
        "parse_options": pa.csv.ParseOptions(
            delimiter=find_delimiter(source, table_format),
            newlines_in_values=True,
            ignore_empty_lines=not has_one_column,
        ),
        "convert_options": pa.csv.ConvertOptions(
            column_types=types,
            null_values=list(table_format.missing_values),
            strings_can_be_null=True,
            decimal_point=table_format.decimal or ".",
            include_columns=columns,
        ),
    }


@contextmanager
def readable_errors(source: TableSource, table_format: TableFormat) -> Iterator[None]:
    """Turn Arrow's errors about a damaged file into sentences that say how to fix it."""
    try:
        yield
    except (pa.ArrowInvalid, pa.ArrowException, UnicodeDecodeError, BadZipFile, zlib.error) as error:
        raised = str(error)
    else:
        return
    if "UTF" in raised or "codec can't decode" in raised:
        raise wrong_encoding(source, table_format)
    width = re.search(r"Expected (\d+) columns, got (\d+)(?:: (.*))?", raised)
    if width:
        line = f" ({width[3][:60]!r})" if width[3] else ""
        raise UserError(
            f"A row of {source.name}{line} has {counted(int(width[2]), 'column')} instead of {width[1]}; correct it, "
            "or give the character between columns with --delimiter."
        )
    raise unreadable(source.name, raised)


def wrong_encoding(source: TableSource, table_format: TableFormat) -> UserError:
    return UserError(
        f"{source.name} is not written in {table_format.encoding}; give its encoding, for example --encoding latin-1."
    )


def unreadable(name: str, reason: object) -> UserError:
    """The error for a file about which only Arrow knows what is wrong."""
    return UserError(f"{name} cannot be read: {str(reason).splitlines()[0].rstrip('.')}.")
