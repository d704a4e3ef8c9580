"""The types of Arrow columns, and their conversion to those that classifiers read."""

from shlex import quote
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .messages import UserError


def is_text(arrow_type: Any) -> bool:
    return pa.types.is_string(arrow_type) or pa.types.is_large_string(arrow_type)


def to_readable_type(column: pa.ChunkedArray, name: str, as_text: bool) -> pa.ChunkedArray:
    """The column as numbers, truth values, dates, times or text; columns of other types are refused."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_string_view(kind):
        column = column.cast(pa.string())
        kind = column.type
    if pa.types.is_null(kind):
        return column.cast(pa.float64())
    if pa.types.is_decimal(kind) or pa.types.is_float16(kind):
        column = column.cast(pa.float64())
    elif pa.types.is_duration(kind):
        column = pc.divide(_rounded(column.cast(pa.duration("us"), safe=False).cast(pa.int64())), 86_400e6)  # days
    elif not (
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_temporal(kind)
        or is_text(kind)
    ):
        raise UserError(f"Column {name!r} holds values of type {kind}; leave it out with --ignore {quote(name)}.")
    return column.cast(pa.string()) if as_text else column


def missing_as_nan(table: pa.Table) -> pa.Table:
    """The table with NaN for missing numbers and truth values, which is how classifiers read them."""
    for place, name in enumerate(table.column_names):
        column = table[name]
        if column.null_count and not is_text(column.type) and not pa.types.is_temporal(column.type):
            column = pc.fill_null(column.cast(pa.int8()) if pa.types.is_boolean(column.type) else column, 0)
            filled = pc.if_else(pc.is_valid(table[name]), _rounded(column), float("nan"))
            table = table.set_column(place, name, filled)
    return table


def is_date(arrow_type: Any) -> bool:
    return pa.types.is_timestamp(arrow_type) or pa.types.is_date(arrow_type)


def as_floats(column: pa.ChunkedArray) -> NDArray[np.float64] | None:
    """Numbers, or the days since 1970-01-01 of dates, with NaN for missing values; None for other columns."""
    if is_date(column.type):
        zone = getattr(column.type, "tz", None)
        microseconds = _rounded(column.cast(pa.timestamp("us", zone), safe=False).cast(pa.int64()))  # or nanoseconds
        return pc.divide(microseconds, 86_400e6).to_numpy(zero_copy_only=False)
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return _rounded(column).to_numpy(zero_copy_only=False)
    return None


def _rounded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Numbers as float64; Arrow would refuse integers beyond 2**53, such as the microseconds of the year 9999."""
    return column.cast(pa.float64(), safe=False)
