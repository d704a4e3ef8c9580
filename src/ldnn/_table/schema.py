"""The columns of a model as a person reads them: names, categories, and round values in their own units."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .checks import matrix_names
from .dates import date_text, round_date, time_text


@dataclass(frozen=True)
class Schema:
    """The names of the columns that a model reads, their categories (None for a column of numbers), their units
    ("number", "category", "date" or "hour"), and whether they have missing values.
    """

    names: list[str]
    categories: list[NDArray | None]
    units: list[str]
    has_missing: NDArray[np.bool_]

    @classmethod
    def of(cls, model: Any, matrix: NDArray) -> "Schema":
        columns = model._state.columns
        width = matrix.shape[1]
        categories = [None] * width if columns is None else columns.categories
        units = ["number"] * width if columns is None else columns.units
        return cls(matrix_names(model), categories, units, np.isnan(matrix).any(axis=0))

    def round_value(self, column: int, low: float, high: float) -> float:
        """The roundest value of a column that is above `low` and not above `high`."""
        return (round_date if self.units[column] == "date" else roundest)(low, high)

    def value_text(self, column: int, value: float) -> str:
        """A value of a column of numbers, dates or times."""
        return _VALUE_TEXTS.get(self.units[column], number)(value)


def number(value: float) -> str:
    """With as many digits as it has, at most ten."""
    return f"{value:,.10g}" if abs(value) >= 1e4 else f"{value:.10g}"


def roundest(low: float, high: float) -> float:
    """The number with the fewest digits that is above `low` and not above `high`."""
    size = max(abs(low), abs(high))
    if not low < high or not math.isfinite(low) or not math.isfinite(high) or low < 0 < high or high == 0:
        return 0.0 if low < 0 <= high else high
    largest = math.floor(math.log10(size)) + 1
    for exponent in range(min(largest, 308), max(largest - 17, -308), -1):  # powers of ten that floats can hold
        step = 10.0**exponent
        found = float(f"{math.floor(high / step) * step:.15g}")
        if low < found <= high:
            return found
    return high


_VALUE_TEXTS = {"date": date_text, "hour": time_text}  # by the unit of a column
