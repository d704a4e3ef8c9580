"""The columns of a model as a person reads them: names, categories, and round values in their own units."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .checks import matrix_names
from .dates import date_text, round_date, time_text
from .number_formats import NumberFormat, number_formats


@dataclass(frozen=True)
class Schema:
    """The names of the columns that a model reads, their categories (None for a column of numbers), their units
    ("number", "category", "date", "hour" or "flag"), and whether they have missing values.
    """

    names: list[str]
    categories: list[NDArray | None]
    units: list[str]
    has_missing: NDArray[np.bool_]

    @classmethod
    def of(cls, model: Any, matrix: NDArray, is_boolean: NDArray[np.bool_] | None = None) -> "Schema":
        """Of a fitted model and the matrix (n, F) of a table. is_boolean: (columns of the table,) or empty."""
        own = cls.of_columns(model._state.columns, matrix, matrix_names(model)).with_formats(model)
        return own if is_boolean is None else own.with_flags(is_boolean, model._state.columns)

    @classmethod
    def of_columns(cls, columns: Any, matrix: NDArray, names: list[str]) -> "Schema":
        """columns: how the table is read, None if it holds numbers only; names: of the columns of the matrix (n, F)."""
        width = matrix.shape[1]
        categories = [None] * width if columns is None else columns.categories
        units = ["number"] * width if columns is None else list(columns.units)
        return cls(names, categories, units, np.isnan(matrix).any(axis=0))

    def with_flags(self, is_boolean: NDArray[np.bool_], columns: Any) -> "Schema":
        """The same, where booleans are flags. is_boolean: (columns of the table,) or empty; columns: as above."""
        places = getattr(columns, "places", [slice(k, k + 1) for k in range(len(self.names))])  # dates become several
        units = list(self.units)
        if len(is_boolean) == len(places):
            for place, flag in zip(places, is_boolean, strict=True):
                if flag and units[place.start] == "number":
                    units[place.start] = "flag"
        return replace(self, units=units)

    def with_formats(self, model: Any) -> "Schema":
        """The same, with numbers as the table is written that the command has read for a model."""
        known = number_formats(model)
        if not known:
            return self
        formats = [
            known.get(name) if unit == "number" else None for name, unit in zip(self.names, self.units, strict=True)
        ]
        return WrittenSchema(self.names, self.categories, self.units, self.has_missing, formats)

    def round_value(self, column: int, low: float, high: float) -> float:
        """The roundest value of a column that is above `low` and not above `high`."""
        return (round_date if self.units[column] == "date" else roundest)(low, high)

    def flag_text(self, column: int, value: float) -> str:
        """A boolean as rules have it: `member` or `not member`."""
        return self.names[column] if value else f"not {self.names[column]}"

    def value_text(self, column: int, value: float) -> str:
        """A value of a column of numbers, dates or times."""
        return _VALUE_TEXTS.get(self.units[column], number)(value)


@dataclass(frozen=True)
class WrittenSchema(Schema):
    """A schema with the number format of each column, None for the usual one. It is not a part of model files, which
    hold how the table was read.
    """

    formats: list[NumberFormat | None] = field(default_factory=list)

    def value_text(self, column: int, value: float) -> str:
        own = self.formats[column]
        return super().value_text(column, value) if own is None else own.text(value)


def number(value: float) -> str:
    """With as many digits as it has, at most ten."""
    return f"{value:,.10g}" if abs(value) >= 1e4 else f"{value:.10g}"


def roundest(low: float, high: float) -> float:
    """The number with the fewest digits that is above `low` and not above `high`; the largest of them."""
    if not low < high or not math.isfinite(low) or not math.isfinite(high) or low < 0 < high or high == 0:
        return 0.0 if low < 0 <= high else high
    for step in _powers_of_ten(low, high):
        found = _short(math.floor(high / step) * step)
        if low < found <= high:
            return found
    return high


def rounded_up(low: float, high: float, unit: str = "number") -> float:
    """The number with the fewest digits that is above `low` and not above `high`; the smallest of them. Of dates and
    times, a whole day, hour or minute.
    """
    if not low < high or not math.isfinite(low) or not math.isfinite(high):
        return high
    if low < 0 <= high:
        return 0.0
    for step in _STEPS.get(unit) or _powers_of_ten(low, high):
        found = _short((math.floor(low / step) + 1) * step)
        if low < found <= high:
            return found
    return high


def as_shown(value: float, unit: str) -> float:
    """A value with the digits that sentences about single rows have: dates and times have seconds."""
    per_second = _SECONDS.get(unit)
    return float(f"{value:.6g}") if per_second is None else round(value * per_second) / per_second


def _powers_of_ten(low: float, high: float) -> Iterator[float]:
    """From above the larger one of two numbers, that are not both 0, down to its last digits."""
    largest = math.floor(math.log10(max(abs(low), abs(high)))) + 1
    for exponent in range(min(largest, 308), max(largest - 17, -308), -1):  # those that floats can hold
        yield 10.0**exponent


def _short(value: float) -> float:
    """Without the digits that are rounding errors."""
    return float(f"{value:.15g}")


_STEPS = {"date": (1, 1 / 24, 1 / 1440), "hour": (1, 1 / 60)}  # by the unit of a column
_SECONDS = {"date": 86400, "hour": 3600}
_VALUE_TEXTS = {"date": date_text, "hour": time_text}  # by the unit of a column
