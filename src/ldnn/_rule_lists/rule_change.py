"""The smallest change of a row that changes the decision of a rule list, found by a search in the order of cost.

Between the limits of conditions a value may be anything, so of each column only few values need to be tried: those next
to limits, and categories. A change of a number costs its size in standard deviations, any other change costs one.
"""

import heapq
import math
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count

import numpy as np
from numpy.typing import NDArray

from .._table.schema import roundest
from .column_conditions import CategoryCondition, Condition, SumCondition
from .rule_model import RuleModel

_ROUNDING = 0.05  # standard deviations by which a value may be farther than needed, so that it is round
_MOST_STEPS = 3000  # of a search


@dataclass(frozen=True)
class SmallestChange:
    """row: (F,) the changed row; columns: those that are changed; label: the index of its class; size: what it costs;
    is_smallest: whether it was shown that no smaller one exists: not where there are conditions on sums of columns, and
    not after very many steps.
    """

    row: NDArray
    columns: list[int]
    label: int
    size: float
    is_smallest: bool


@dataclass(order=True)
class _State:
    """Some columns of the row have new values."""

    cost: float
    number: int
    values: dict[int, float] = field(compare=False)
    row: NDArray = field(compare=False)
    label: int = field(compare=False)


def smallest_change(model: RuleModel, row: NDArray, fixed: set[int]) -> SmallestChange | None:
    """Of a row (F,), without changing the fixed columns; None if there is none."""
    search = _ChangeSearch(model, row.astype(np.float64), fixed)
    return search.run()


class _ChangeSearch:
    def __init__(self, model: RuleModel, row: NDArray[np.float64], fixed: set[int]):
        self.model = model
        self.origin = row
        self.fixed = fixed | _repeated_dates(model)
        self.label = int(model.predict(row[None])[0])
        self.conditions: dict[int, list[Condition]] = {}  # by column
        for rule in model.rules:
            for condition in rule.conditions:
                for column in condition.columns:
                    self.conditions.setdefault(column, []).append(condition)
        self.has_sums = any(isinstance(c, SumCondition) for own in self.conditions.values() for c in own)
        self.seen: set[tuple[tuple[int, float], ...]] = set()
        self.numbers = count(1)

    def run(self) -> SmallestChange | None:
        """Take the cheapest set of changes again and again, and add each further change that may help."""
        heap = [_State(0.0, 0, {}, self.origin, self.label)]
        for _ in range(_MOST_STEPS):
            if not heap:
                return None
            state = heapq.heappop(heap)
            if state.label != self.label:
                return self._found(state, is_smallest=not self.has_sums)
            for new in self._with_one_more(state):
                heapq.heappush(heap, new)
        others = [state for state in heap if state.label != self.label]
        return self._found(min(others), is_smallest=False) if others else None

    def _found(self, state: _State, is_smallest: bool) -> SmallestChange:
        return SmallestChange(state.row, sorted(state.values), state.label, state.cost, is_smallest)

    def _with_one_more(self, state: _State) -> list[_State]:
        """The states with one more change, of those that have not been seen."""
        new = []
        for column in sorted(self._helpful(state.row) - state.values.keys() - self.fixed):
            for value, cost in self._values(column, state.row):
                values = {**state.values, column: value}
                key = tuple(sorted(values.items()))
                if key not in self.seen:
                    self.seen.add(key)
                    row = state.row.copy()
                    row[column] = value
                    new.append((state.cost + cost, values, row))
        if not new:
            return []
        labels = self.model.predict(np.array([row for _, _, row in new])).tolist()
        return [
            _State(cost, next(self.numbers), values, row, label)
            for (cost, values, row), label in zip(new, labels, strict=True)
        ]

    def _helpful(self, row: NDArray) -> set[int]:
        """Columns of which one must change before the decision does: those of the rule that decides, and those that
        rules of other classes lack before it.
        """
        found: set[int] = set()
        for rule in self.model.rules:
            lacking = [c for c in rule.conditions if not c.holds(row[None])[0]]
            if not lacking:
                return found | _columns(rule.conditions)
            if rule.label != self.label:
                found |= _columns(lacking)
        return found

    def _values(self, column: int, row: NDArray) -> list[tuple[float, float]]:
        """Values of a column to try, each with its cost: the nearest one for each set of conditions that then hold."""
        conditions = self.conditions[column]
        tried = [value for condition in conditions for value in self._candidates(condition, column, row)]
        if not tried:
            return []
        changed = np.repeat(row[None], len(tried) + 1, axis=0)
        changed[:-1, column] = tried
        held = np.column_stack([condition.holds(changed) for condition in conditions])
        best: dict[bytes, tuple[float, float]] = {}
        for value, signature in zip(tried, held[:-1], strict=True):
            cost = self._cost(column, value)
            key = signature.tobytes()
            if (signature != held[-1]).any() and (key not in best or cost < best[key][1]):
                best[key] = (value, cost)
        return list(best.values())

    def _cost(self, column: int, value: float) -> float:
        own = self.origin[column]
        if math.isnan(own) or self.model.schema.categories[column] is not None:
            return 1.0
        return abs(value - own) / self._scale(column)

    def _scale(self, column: int) -> float:
        return float(self.model.scales[column]) or 1.0

    def _candidates(self, condition: Condition, column: int, row: NDArray) -> list[float]:
        """Values on both sides of the limits of a condition."""
        if isinstance(condition, CategoryCondition):
            return [float(code) for code in range(len(condition.included))]
        factor, rest = 1.0, 0.0
        if isinstance(condition, SumCondition):
            factor = condition.terms.weights[condition.columns.index(column)]
            without = row.copy()
            without[column] = 0.0
            rest = float(condition.values(without[None])[0])
        found = []
        for limit in (condition.low, condition.high):
            place = (limit - rest) / factor
            if math.isfinite(place):
                found += self._near(place, column)
        return found

    def _near(self, place: float, column: int) -> list[float]:
        """A value itself, and round ones just below and just above it."""
        if self.model.is_whole[column]:
            low, high = math.floor(place), math.ceil(place)
            return [float(low), float(high), math.ceil(place) - 1.0, math.floor(place) + 1.0]
        room = _ROUNDING * self._scale(column)
        return [place, -_round_above(-place, room), _round_above(place, room)]


def _round_above(place: float, room: float) -> float:
    """The nearest of the numbers with the fewest digits that are above `place`, by at most `room`."""
    found = roundest(place, place + room)
    step = 10.0 ** int(Decimal(repr(found)).normalize().as_tuple().exponent)
    if step == 0:  # of numbers that floats hardly tell apart
        return found
    nearest = float(f"{(math.floor(place / step) + 1) * step:.15g}")
    return nearest if place < nearest < found else found


def _columns(conditions: tuple[Condition, ...] | list[Condition]) -> set[int]:
    return {column for condition in conditions for column in condition.columns}


def _repeated_dates(model: RuleModel) -> set[int]:
    """Parts of dates of which rules read several, such as the month and the weekday: they do not change alone."""
    used = {column for rule in model.rules for column in _columns(rule.conditions)}
    parts = [{*range(place.start, place.stop)} for place in getattr(model.columns, "places", [])]
    return {column for own in parts if len(used & own) > 1 for column in own}
