"""The types of Arrow columns, and their conversion to those that classifiers read."""

from collections.abc import Callable
from shlex import quote
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from .messages import UserError
from .table_files import TableFormat

ARROW_TYPES = {"number": pa.float64(), "truth": pa.bool_(), "text": pa.string()}  # by the kind of a column
_MAX_CATEGORIES = 255  # that a classifier distinguishes in a column
_NUMBER = r"^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$"
_DECIMAL_COMMA = r"^\s*[-+]?\d+,\d+\s*$"


def is_text(arrow_type: Any) -> bool:
    return pa.types.is_string(arrow_type) or pa.types.is_large_string(arrow_type)


def column_kind(arrow_type: Any) -> str:
    """The kind of a column: "number", "truth" (values true and false) or "text"."""
    if is_text(arrow_type):
        return "text"
    return "truth" if pa.types.is_boolean(arrow_type) else "number"


def column_kinds(table: pa.Table) -> dict[str, str]:
    """The kinds of all columns by name."""
    return {field.name: column_kind(field.type) for field in table.schema}


def to_readable_type(column: pa.ChunkedArray, name: str, as_text: bool) -> pa.ChunkedArray:
    """The column as numbers, truth values or text; columns of other types are refused."""
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
            f"out with --ignore {quote(name)}."
        )
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind) or is_text(kind)):
        raise UserError(f"Column {name!r} holds values of type {kind}; leave it out with --ignore {quote(name)}.")
    return column.cast(pa.string()) if as_text else column


def missing_as_nan(table: pa.Table) -> pa.Table:
    """The table with NaN for missing numbers and truth values, which is how classifiers read them."""
    for place, name in enumerate(table.column_names):
        column = table[name]
        if column.null_count and not is_text(column.type):
            column = pc.fill_null(column.cast(pa.int8()) if pa.types.is_boolean(column.type) else column, 0)
            filled = pc.if_else(pc.is_valid(table[name]), column.cast(pa.float64()), float("nan"))
            table = table.set_column(place, name, filled)
    return table


def check_mixed(table: pa.Table, table_format: TableFormat, note: Callable[[str], None]) -> None:
    """Refuse columns that are numbers except for a few texts: they would silently become categories."""
    for name in table.column_names:
        if is_text(table[name].type) and name not in table_format.text_columns:
            _check_text(table[name], name, table_format, note)


def _check_text(column: pa.ChunkedArray, name: str, table_format: TableFormat, note: Callable[[str], None]) -> None:
    known = column.drop_null()
    if len(known) == 0:
        return
    if 0.5 <= pc.mean(pc.match_substring_regex(known, _NUMBER)).as_py() < 1:
        is_odd = pc.fill_null(pc.invert(pc.match_substring_regex(column, _NUMBER)), False)
        row = pc.index(is_odd, True).as_py()
        odd = column[row].as_py()
        raise UserError(
            f"Column {name!r} mixes numbers and text: {odd!r} in row {row + 1:,} is not a number. Count it as missing "
            f"with --missing {quote(odd)}, or treat the whole column as text with --text {quote(name)}."
        )
    if table_format.decimal == "." and pc.mean(pc.match_substring_regex(known, _DECIMAL_COMMA)).as_py() > 0.5:
        raise UserError(f"Column {name!r} has decimal commas ({known[0].as_py()!r}); read them with --decimal ,")
    different = pc.count_distinct(known).as_py()
    if different > _MAX_CATEGORIES:
        note(
            f"Column {name!r} has {different:,} different texts; only the {_MAX_CATEGORIES} most frequent ones are "
            f"distinguished. Leave it out with --ignore {quote(name)} if it identifies single rows."
        )
