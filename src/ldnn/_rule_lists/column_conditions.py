"""Conditions in the units of the table: ranges of numbers, dates and sums of columns, and sets of categories."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._table.schema import Schema, number, roundest
from .bins import Bins
from .column_sums import ColumnSum, spread

_WIDTH = 0.3  # of the sigmoid at a limit, in standard deviations of the values; see `degree`
_STEEPEST = 50.0  # logarithm of the odds of a degree, at most
_FEW_DIGITS = 2  # of a limit that need not be rounder


@dataclass(frozen=True)
class RangeCondition:
    """low <= x <= high for the values x of a column; either may be infinite. with_missing: whether it holds for missing
    values.
    """

    column: int
    low: float
    high: float
    with_missing: bool

    @property
    def columns(self) -> tuple[int, ...]:
        return (self.column,)

    def values(self, matrix: NDArray) -> NDArray[np.float64]:
        """(n,) what is compared with the limits, of the rows of a matrix (n, F)."""
        return matrix[:, self.column].astype(np.float64)

    def holds(self, matrix: NDArray) -> NDArray[np.bool_]:
        """Whether it holds in each row of a matrix (n, F)."""
        values = self.values(matrix)
        return np.where(np.isnan(values), self.with_missing, (values >= self.low) & (values <= self.high))

    def text(self, schema: Schema) -> str:
        name = schema.names[self.column]
        low, high = (
            schema.value_text(self.column, limit) if math.isfinite(limit) else "" for limit in (self.low, self.high)
        )
        if not low and not high:
            return f"{name} is {'missing' if self.with_missing else 'not missing'}"
        if schema.units[self.column] == "flag":
            text = f"not {name}" if high else name
        elif self.low == self.high:
            text = f"{name} = {low}"
        elif low and high:
            text = f"{low} <= {name} <= {high}"
        else:
            text = f"{name} >= {low}" if low else f"{name} <= {high}"
        return text + " or missing" * (self.with_missing and bool(schema.has_missing[self.column]))


@dataclass(frozen=True)
class CategoryCondition:
    """x is one of some categories; included: (n_categories,). with_missing: whether it holds for missing values and for
    categories that were not seen in training.
    """

    column: int
    included: NDArray[np.bool_]
    with_missing: bool

    @property
    def columns(self) -> tuple[int, ...]:
        return (self.column,)

    def holds(self, matrix: NDArray) -> NDArray[np.bool_]:
        """Whether it holds in each row of a matrix (n, F)."""
        codes = matrix[:, self.column]
        is_known = codes >= 0
        return np.where(is_known, self.included[np.where(is_known, codes, 0).astype(np.intp)], self.with_missing)

    def text(self, schema: Schema) -> str:
        name, known = schema.names[self.column], schema.categories[self.column]
        assert known is not None
        inside, outside = (
            [str(value) for value, is_in in zip(known.tolist(), self.included, strict=True) if is_in == wanted]
            for wanted in (True, False)
        )
        missing = bool(schema.has_missing[self.column])
        if len(outside) < len(inside) and (self.with_missing or missing):
            text = f"{name} is not {outside[0]}" if len(outside) == 1 else f"{name} not in {{{', '.join(outside)}}}"
            return (text if outside else f"{name} is any") + " and not missing" * (missing and not self.with_missing)
        if not inside:
            return f"{name} is missing or unknown"
        text = f"{name} is {inside[0]}" if len(inside) == 1 else f"{name} in {{{', '.join(inside)}}}"
        return text + " or missing" * (missing and self.with_missing)


@dataclass(frozen=True)
class SumCondition:
    """low <= x <= high for a sum x of columns; either may be infinite. with_missing: whether it holds where a value is
    missing.
    """

    terms: ColumnSum
    low: float
    high: float
    with_missing: bool

    @property
    def columns(self) -> tuple[int, ...]:
        return self.terms.columns

    def values(self, matrix: NDArray) -> NDArray[np.float64]:
        """(n,) what is compared with the limits, of the rows of a matrix (n, F)."""
        return self.terms.values(matrix)

    def holds(self, matrix: NDArray) -> NDArray[np.bool_]:
        """Whether it holds in each row of a matrix (n, F)."""
        values = self.values(matrix)
        return np.where(np.isnan(values), self.with_missing, (values >= self.low) & (values <= self.high))

    def text(self, schema: Schema) -> str:
        name = self.terms.text(schema.names)
        low, high = (number(limit) if math.isfinite(limit) else "" for limit in (self.low, self.high))
        if not low and not high:
            return f"{name} is {'missing' if self.with_missing else 'not missing'}"
        text = f"{low} <= {name} <= {high}" if low and high else f"{name} >= {low}" if low else f"{name} <= {high}"
        return text + " or missing" * (self.with_missing and bool(schema.has_missing[list(self.columns)].any()))


Condition = RangeCondition | CategoryCondition | SumCondition


def width(condition: Condition, matrix: NDArray) -> float:
    """How wide the sigmoid at the limits of a condition is, for rows like those of a matrix (n, F); 0 where it has no
    limits.
    """
    if isinstance(condition, CategoryCondition) or not (math.isfinite(condition.low) or math.isfinite(condition.high)):
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        return _WIDTH * spread(condition.values(matrix))


def degree(condition: Condition, matrix: NDArray, width: float) -> NDArray[np.float64]:
    """How far a condition holds in each row of a matrix (n, F), from 0 to 1: 1/2 at a limit, and 0 or 1 where it has no
    width.
    """
    if isinstance(condition, CategoryCondition) or width == 0:
        return condition.holds(matrix).astype(np.float64)
    values = condition.values(matrix)
    with np.errstate(over="ignore", invalid="ignore"):
        # A limit that does not exist is left out: a sum that overflows would have no distance from it.
        above = _sigmoid((values - condition.low) / width) if math.isfinite(condition.low) else 1.0
        below = _sigmoid((condition.high - values) / width) if math.isfinite(condition.high) else 1.0
        found = np.broadcast_to(above * below, values.shape)
    return np.where(np.isnan(values), float(condition.with_missing), found)


def _sigmoid(z: NDArray) -> NDArray[np.float64]:
    return 1 / (1 + np.exp(-np.clip(z, -_STEEPEST, _STEEPEST)))


def readable_condition(column: int, mask: NDArray[np.bool_], bins: Bins, schema: Schema) -> Condition:
    """A condition on bins in the units of the table. It holds for the same training rows, but for a few next to limits
    that are round numbers.
    """
    n_bins = int(bins.n_bins[column])
    with_missing, limits, margins = bool(mask[n_bins]), bins.limits[column], bins.margins[column]
    if limits is None or margins is None:
        return CategoryCondition(column, mask[:n_bins].copy(), with_missing)
    n_columns = len(schema.names)
    unit = schema.units[column] if column < n_columns else "number"
    inside = np.flatnonzero(mask[:n_bins])
    low, high = math.inf, -math.inf  # an empty range
    if inside.size:
        first, last = int(inside[0]), int(inside[-1])
        low = -math.inf if first == 0 else _limit(limits[first - 1], margins[first - 1], unit, is_low=True)
        high = math.inf if last == n_bins - 1 else _limit(limits[last], margins[last], unit, is_low=False)
    if column < n_columns:
        return RangeCondition(column, low, high, with_missing)
    return SumCondition(bins.sums[column - n_columns], low, high, with_missing)


def _limit(values: NDArray[np.float64], margin: NDArray[np.float64], unit: str, is_low: bool) -> float:
    """A limit between two values of a column: that of the range itself for dates, else a round number about midway,
    which suits rows that were not seen; a rounder one within the margin if that has many digits. Of integers, an
    integer.
    """
    below, above = values.tolist()
    if unit != "number":
        return above if is_low else below
    if below.is_integer() and above.is_integer():
        return _whole_limit(values, margin, is_low)
    quarter = (above - below) / 4
    return _rounder(roundest(below + quarter, above - quarter), *margin.tolist())


def _whole_limit(values: NDArray[np.float64], margin: NDArray[np.float64], is_low: bool) -> float:
    """An integer that tells two integers apart: above the lower one if it is the lower end of a range, below the upper
    one otherwise.
    """
    below, above = values.tolist()
    least, most = (below + 1, above) if is_low else (below, above - 1)
    quarter = round((most - least) / 4)
    ends = margin if is_low else margin - 1
    return _rounder(roundest(least + quarter - 1, most - quarter), *np.floor(ends).tolist())


def _rounder(limit: float, low: float, high: float) -> float:
    """A limit of few digits as it is, else a rounder one that is above `low` and not above `high`, if there is one."""
    if _n_digits(limit) <= _FEW_DIGITS:
        return limit
    found = roundest(low, high)
    return found if _n_digits(found) < _n_digits(limit) else limit


def _n_digits(value: float) -> int:
    """Significant digits."""
    return len(f"{abs(value):.15g}".split("e")[0].replace(".", "").strip("0"))
