"""The ranges of numbers and dates that a model was trained on, and how many rows of a file are outside of them."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from .column_types import as_floats

_ROUNDING = 1.2e-7  # relative: the same numbers may come in single precision, or as decimals
Ranges = dict[str, tuple[float, float]]  # by column: the smallest and the largest value; dates as days since 1970-01-01


def value_ranges(table: pa.Table) -> Ranges:
    """The ranges of all columns that have one."""
    ranges = {}
    for name in table.column_names:
        values = as_floats(table[name])
        if values is not None and not np.isnan(values).all():
            ranges[name] = (float(np.nanmin(values)), float(np.nanmax(values)))
    return ranges


def widened(ranges: Ranges, others: Ranges) -> Ranges:
    """Ranges that include those of other rows."""
    return {
        name: (min(low, others.get(name, (low, high))[0]), max(high, others.get(name, (low, high))[1]))
        for name, (low, high) in ranges.items()
    }


def rows_outside(table: pa.Table, ranges: Mapping[str, tuple[float, float]]) -> dict[str, int]:
    """By column, the number of rows outside of the range."""
    counts = {}
    for name, (low, high) in ranges.items():
        values = as_floats(table[name])
        if values is not None:
            margin = _ROUNDING * max(abs(low), abs(high))
            counts[name] = int(np.count_nonzero((values < low - margin) | (values > high + margin)))
    return counts
