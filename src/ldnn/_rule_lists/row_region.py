"""Sets of rows near a given one: ranges of columns and of sums of columns, sets of categories, and which missing values
become known. Conditions cut them into parts.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .column_conditions import CategoryCondition, Condition, SumCondition
from .column_sums import ColumnSum
from .rule_model import RuleModel

UNKNOWN = -1  # a category that is missing or was not seen in training
_GAP = 1e-9  # of the largest term of a sum, in standard deviations
_Range = tuple[float, float]  # with its ends


@dataclass(frozen=True)
class Region:
    """ranges: of sums; a column of numbers is a sum of one. categories: the codes that columns may have. given: columns
    that are missing in the original row and known here; missing: those that stay so. Others may be either.
    """

    ranges: dict[ColumnSum, _Range]
    categories: dict[int, frozenset[int]]
    given: frozenset[int]
    missing: frozenset[int]

    @property
    def key(self) -> tuple:
        """Equal for equal regions."""
        return frozenset(self.ranges.items()), frozenset(self.categories.items()), self.given, self.missing

    def within(self, terms: ColumnSum, low: float, high: float) -> "Region | None":
        """The part in which a sum is in a range; None if it is empty."""
        own = self.ranges.get(terms, (-math.inf, math.inf))
        low, high = max(low, own[0]), min(high, own[1])
        return replace(self, ranges={**self.ranges, terms: (low, high)}) if low <= high else None


class RowSpace:
    """The rows that a given row (F,) may become; fixed: columns that keep their values."""

    def __init__(self, model: RuleModel, row: NDArray[np.float64], fixed: set[int]):
        schema = model.schema
        self.row = row
        conditions = [condition for rule in model.rules for condition in rule.conditions]
        self.used = sorted({k for condition in conditions for k in condition.columns})
        self.in_sums = {k for own in conditions if isinstance(own, SumCondition) for k in own.columns}
        self.numbers = [k for k in self.used if schema.categories[k] is None]
        self.scales = {k: float(model.scales[k]) or 1.0 for k in self.numbers}
        self.whole = {
            k for k in self.numbers if model.is_whole[k] and (math.isnan(row[k]) or float(row[k]).is_integer())
        }
        ranges, categories = {}, {}
        for k in self.used:
            known, own = schema.categories[k], float(row[k])
            if known is not None:
                code = int(own) if own >= 0 else UNKNOWN
                categories[k] = frozenset({code} if k in fixed else {code, *range(len(known))})
            elif k in fixed and not math.isnan(own):
                ranges[column(k)] = (own, own)
            elif schema.units[k] == "flag":
                ranges[column(k)] = (float(np.fmin(own, 0)), float(np.fmax(own, 1)))
        missing = frozenset(k for k in self.numbers if math.isnan(row[k]) and k in fixed)
        self.all = Region(ranges, categories, frozenset(), missing)

    def parts(self, region: Region, condition: Condition, holds: bool) -> list[Region]:
        """The parts of a region in which a condition holds, or does not."""
        if isinstance(condition, CategoryCondition):
            codes = frozenset(
                code
                for code in region.categories[condition.column]
                if (condition.with_missing if code == UNKNOWN else bool(condition.included[code])) == holds
            )
            return [replace(region, categories={**region.categories, condition.column: codes})] if codes else []
        terms = condition.terms if isinstance(condition, SumCondition) else column(condition.column)
        absent = frozenset(k for k in terms.columns if math.isnan(self.row[k]))
        found = []
        if condition.with_missing == holds:
            if absent & region.missing:
                return [region]
            found = [replace(region, missing=region.missing | {k}) for k in terms.columns if k in absent - region.given]
        if not absent & region.missing:
            known = replace(region, given=region.given | absent) if absent else region
            ends = self._ranges(terms, condition.low, condition.high, holds)
            found += [part for low, high in ends if (part := known.within(terms, low, high)) is not None]
        return found

    def _ranges(self, terms: ColumnSum, low: float, high: float, inside: bool) -> list[_Range]:
        """Where a known sum is inside of a range, or outside."""
        is_whole = self.is_whole(terms)
        if low > high:  # it holds for missing values only
            return [] if inside else [(-math.inf, math.inf)]
        if inside:
            return [(_ceil(low), _floor(high))] if is_whole else [(low, high)]
        below = _ceil(low) - 1 if is_whole else math.nextafter(low - self._gap(terms), -math.inf)
        above = _floor(high) + 1 if is_whole else math.nextafter(high + self._gap(terms), math.inf)
        return [(-math.inf, below)] * math.isfinite(low) + [(above, math.inf)] * math.isfinite(high)

    def _gap(self, terms: ColumnSum) -> float:
        """Between a limit and values of a sum that are beyond it, so that rounding errors are smaller; none of columns
        that are in no sum, of which there are no such errors.
        """
        sizes = [abs(weight) * self.scales[k] for k, weight in zip(terms.columns, terms.weights, strict=True)]
        return _GAP * max(sizes) if self.in_sums.issuperset(terms.columns) else 0.0

    def is_whole(self, terms: ColumnSum) -> bool:
        """Whether a sum is an integer."""
        return all(k in self.whole and own.is_integer() for k, own in zip(terms.columns, terms.weights, strict=True))

    def changed(self, row: NDArray[np.float64]) -> list[int]:
        """The columns in which another row differs."""
        return np.flatnonzero((row != self.row) & ~(np.isnan(row) & np.isnan(self.row))).tolist()

    def size(self, row: NDArray[np.float64]) -> float:
        """What it costs to change the given row into another one."""
        total = 0.0
        for k in self.changed(row):
            is_step = k in self.scales and not math.isnan(self.row[k])
            total += abs(float(row[k]) - float(self.row[k])) / self.scales[k] if is_step else 1.0
        return total


def column(k: int) -> ColumnSum:
    """A column as a sum of one."""
    return ColumnSum((k,), (1.0,))


def _ceil(value: float) -> float:
    return float(math.ceil(value)) if math.isfinite(value) else value


def _floor(value: float) -> float:
    return float(math.floor(value)) if math.isfinite(value) else value
