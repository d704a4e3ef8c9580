"""The smallest change of a row that changes the decision of a rule list, by branch and bound.

The rows with another decision are a union of regions: some rule for another class holds, and no rule for the present
class before it does, since one of its conditions does not. Regions are looked at in the order of their nearest rows.
A change of a number costs its size in standard deviations, any other change costs one.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from numpy.typing import NDArray

from .._table.schema import as_shown, rounded_up
from .nearest_row import between_integers, nearest_row
from .row_region import Region, RowSpace, column
from .rule_model import RuleModel

_ROUNDING = 0.05  # standard deviations by which each value may be farther than needed, so that it is round
_MOST_REGIONS = 3000  # that are looked at in the order of their costs
_MOST_DEEP = 3000  # that are then looked at in depth if no change was found
_EQUAL = 1e-9  # difference of costs
_NEAR = 1e-7  # standard deviations between a value and what is shown of it


@dataclass(frozen=True)
class SmallestChange:
    """row: (F,) the changed row; columns: those that are changed; label: the index of its class; size: what it costs;
    is_smallest: whether it was shown that no change is smaller, but for what round values cost: at most 0.05 standard
    deviations for each column. It is not after very many steps.
    """

    row: NDArray
    columns: list[int]
    label: int
    size: float
    is_smallest: bool


@dataclass(order=True)
class _Node:
    """A region in which the first `target` rules are to be followed by one that holds, and its nearest row."""

    cost: float
    number: int
    target: int = field(compare=False)
    region: Region = field(compare=False)
    row: NDArray = field(compare=False)


def smallest_change(model: RuleModel, row: NDArray, fixed: set[int]) -> SmallestChange | None:
    """Of a row (F,), without changing the fixed columns; None if there is none."""
    search = _ChangeSearch(model, row.astype(np.float64), fixed)
    return search.run()


class _ChangeSearch:
    def __init__(self, model: RuleModel, row: NDArray[np.float64], fixed: set[int]):
        self.model = model
        self.space = RowSpace(model, row, fixed | _repeated_dates(model))
        self.label = self._decision(row)
        self.best: SmallestChange | None = None
        self.is_sure = True
        self.seen: set[tuple] = set()
        self.numbers = count()

    def run(self) -> SmallestChange | None:
        nodes = [node for target, region in self._targets() for node in self._nodes(target, [region])]
        heapq.heapify(nodes)
        for _ in range(_MOST_REGIONS):
            if not nodes or (self.best is not None and nodes[0].cost >= self.best.size - _EQUAL):
                return self.best
            for node in self._look(heapq.heappop(nodes)):
                heapq.heappush(nodes, node)
        self.is_sure = False
        nodes.sort(reverse=True)
        for _ in range(_MOST_DEEP):
            if not nodes or self.best is not None:
                break
            nodes += sorted(self._look(nodes.pop()), reverse=True)
        return self.best

    def _decision(self, row: NDArray[np.float64]) -> int:
        return int(self.model.predict(row[None])[0])

    def _targets(self) -> Iterator[tuple[int, Region]]:
        """Rules for other classes, and the regions in which they hold."""
        for target, rule in enumerate(self.model.rules):
            if rule.label != self.label:
                regions = [self.space.all]
                for condition in rule.conditions:
                    regions = [part for own in regions for part in self.space.parts(own, condition, True)]
                yield from ((target, region) for region in regions)
        if self.model.default != self.label:
            yield len(self.model.rules), self.space.all

    def _nodes(self, target: int, regions: list[Region]) -> list[_Node]:
        """Of the regions that are not empty and have not been seen."""
        found = []
        for region in regions:
            key = (target, region.key)
            row = None if key in self.seen else nearest_row(self.space, region)
            self.seen.add(key)
            if row is not None:
                found.append(_Node(self.space.size(row), next(self.numbers), target, region, row))
        return found

    def _look(self, node: _Node) -> list[_Node]:
        """Divide a region, or take a row near its nearest one if that is decided otherwise."""
        parts = between_integers(self.space, node.region, node.row)
        if parts is None:
            parts = self._without_deciding_rule(node, node.row)
        if parts is None:
            region, inner = self._inner(node)
            parts = self._without_deciding_rule(node, inner)
        if parts is not None:
            return self._nodes(node.target, parts)
        row = self._rounded(node, region, inner)
        if row is None:
            self.is_sure = False  # rounding errors
        elif self.best is None or self.space.size(row) < self.best.size:
            columns = self.space.changed(row)
            self.best = SmallestChange(row, columns, self._decision(row), self.space.size(row), self.is_sure)
        return []

    def _without_deciding_rule(self, node: _Node, row: NDArray[np.float64]) -> list[Region] | None:
        """The parts of a region in which that rule does not hold that decides about a row as before; None if there is
        none.
        """
        for rule in self.model.rules[: node.target]:
            if rule.label == self.label and all(own.holds(row[None])[0] for own in rule.conditions):
                parts = [part for own in rule.conditions for part in self.space.parts(node.region, own, False)]
                if node.region not in parts:  # else it holds by rounding errors only
                    return parts
        return None

    # --- round values -------------------------------------------------------------------------------------------------

    def _inner(self, node: _Node) -> tuple[Region, NDArray[np.float64]]:
        """The region with integers as they are in its nearest row, and a row near that which is not at the ends of
        ranges of sums, where rounding errors decide.
        """
        region = node.region
        for k in self.space.whole:
            region = region.within(column(k), float(node.row[k]), float(node.row[k])) or region
        row = nearest_row(self.space, region, with_margin=True)
        return region, node.row if row is None else row

    def _rounded(self, node: _Node, region: Region, row: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """A row with round values where possible; None if rounding errors leave none that is decided otherwise."""
        changed = self.space.changed(row)
        most = node.cost + _ROUNDING * len(changed) + _EQUAL
        for k in changed:
            if k in self.space.scales and k not in self.space.whole:
                region, row = self._with_round_value(k, region, row, most)
        return row if self._decision(row) != self.label else None

    def _with_round_value(
        self, k: int, region: Region, row: NDArray[np.float64], most: float
    ) -> tuple[Region, NDArray[np.float64]]:
        """A row with another value of a column, and the region in which the column has this value."""
        for value in self._round_values(k, float(row[k])):
            part = region.within(column(k), value, value)
            if part is None:
                continue
            alone = row.copy()
            alone[k] = value
            for new in (alone, nearest_row(self.space, part, with_margin=True)):
                if new is not None and self.space.size(new) <= most and self._decision(new) != self.label:
                    return part, new
        return region, row

    def _round_values(self, k: int, value: float) -> list[float]:
        """Itself if it is short enough to be shown, else those that are a little farther from the original value."""
        unit, scale, own = self.model.schema.units[k], self.space.scales[k], self.space.row[k]
        found = []
        if abs((short := as_shown(value, unit)) - value) <= _NEAR * scale:
            found.append(short)
        if not value < own:
            found.append(rounded_up(value, value + _ROUNDING * scale, unit))
        if not value > own:
            found.append(-rounded_up(-value, -value + _ROUNDING * scale, unit))
        return found


def _repeated_dates(model: RuleModel) -> set[int]:
    """Parts of dates of which rules read several, such as the month and the weekday: they do not change alone."""
    used = {k for rule in model.rules for condition in rule.conditions for k in condition.columns}
    parts = [{*range(place.start, place.stop)} for place in getattr(model.columns, "places", [])]
    return {k for own in parts if len(used & own) > 1 for k in own}
