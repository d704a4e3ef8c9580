"""The search for the best rule list of every length.

Rule lists grow by a condition of a rule or by a new rule. After each step, every condition is replaced by the best one
given all others, again and again, until no replacement is worth more: rules are trained jointly, as half-spaces are.
Then lists shrink from the longest to the shortest, which finds better short ones, and grow once more. The best list of
each length is kept all the time, and the second best one with another default class.
"""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from .._kernels import rule_kernels
from .bins import Bins
from .column_sums import ColumnSum, sum_directions
from .rule_list import Condition, RuleList

_EAGERNESS = (1.0, 2.0, 5.0)  # of new rules, see `grow_rules`
_NEW_CONDITIONS = 4  # of a new rule
_ROUNDS = 1  # of replacements after each step
_LAST_ROUNDS = 10  # of replacements of the lists that are kept
_LEAST_ROWS = 1.5  # that a condition must be worth, so that none stands for a single row of the training data
_DEFAULTS = 2  # classes of lists that are kept for each length
_TIE = 1e-12


@dataclass(frozen=True)
class RuleSpace:
    """Which rule lists are allowed.

    labels: the classes that rules may be for. default: the class where no rule holds, -1 for the best one. most:
    conditions of a list, at most. max_rules: rules, at most. directions: (F,) 1 and -1 for columns along which rules
    must not end to hold upwards and downwards, 0 for all others. costs: (F,) as how many conditions one on a column
    counts; columns that cost more than `most` are not used. max_columns: columns of a sum, at most; max_alone: of one
    that is the only condition; is_summable: (F,), columns that sums may have.
    """

    labels: tuple[int, ...]
    default: int
    most: int
    max_rules: int
    directions: NDArray[np.intp]
    costs: NDArray[np.intp]
    max_columns: int = 1
    max_alone: int = 1
    is_summable: NDArray[np.bool_] | None = None

    def with_sums(self, sums: tuple[ColumnSum, ...]) -> "RuleSpace":
        """With sums of columns as further columns, each of which costs as many conditions as it has columns."""
        directions = np.append(self.directions, sum_directions(sums, self.directions))
        costs = np.append(self.costs, np.array([len(own.columns) for own in sums], dtype=np.intp))
        return replace(self, directions=directions, costs=costs)


@dataclass(frozen=True)
class Scored:
    """A rule list, its default class, what its conditions cost, and its worth in the rows of the search."""

    worth: float
    rules: RuleList
    default: int
    length: int

    def predict(self, codes: NDArray[np.uint8]) -> NDArray[np.intp]:
        """Class indices (n,) of rows given by their bins (n, F)."""
        predicted = np.full(len(codes), self.default, dtype=np.intp)
        for r in reversed(range(self.rules.n_rules)):
            holds = np.ones(len(codes), dtype=bool)
            for column, mask in self.rules.conditions(r):
                holds &= mask[codes[:, column]]
            predicted[holds] = self.rules.labels[r]
        return predicted


@dataclass(frozen=True)
class _Growth:
    """A step to a longer list: conditions that are added to rule `place`, or as a new rule of class `label` there, if
    that is not -1; gain: what it is worth before other conditions are replaced.
    """

    gain: float
    place: int
    label: int
    conditions: tuple[Condition, ...]

    @property
    def columns(self) -> list[int]:
        return [column for column, _ in self.conditions]

    def applied_to(self, rules: RuleList) -> RuleList:
        if self.label < 0:
            return rules.with_condition(self.place, self.conditions[0])
        return rules.with_rule(self.place, self.label, list(self.conditions))


class FrontierSearch:
    """Searches in one set of rows: codes (n, F) are their bins, gains (n, C) what each class is worth in a row."""

    def __init__(self, bins: Bins, codes: NDArray[np.uint8], gains: NDArray[np.float64], space: RuleSpace):
        self.codes = np.ascontiguousarray(codes)
        self.gains = np.ascontiguousarray(gains)
        self.space = space
        self.table = (bins.n_bins, bins.is_category, space.directions, space.costs)
        self._prices = np.unique(space.costs[space.costs <= space.most]).tolist()
        self._n_defaults = _DEFAULTS
        self._found: dict[int, list[Scored]] = {}  # by length, the best one first
        self._offer(RuleList.empty(space.most, bins))

    def frontier(self, sweeps: int, width: int) -> list[Scored]:
        """The best rule list of at most 0, 1, ..., `most` conditions.

        sweeps: how often lists grow and shrink; width: how many ways to do so are followed.
        """
        self._n_defaults = min(width, _DEFAULTS)
        for sweep in range(sweeps):
            for length in range(self.space.most + 1):
                for scored in list(self._found.get(length, ())):
                    self._offer(self._refined(scored.rules, _LAST_ROUNDS))
                for scored in list(self._found.get(length, ())):
                    self._grow(scored, width)
            if sweep < sweeps - 1 or sweeps == 1:
                for length in range(self.space.most, 1, -1):
                    for scored in list(self._found.get(length, ())):
                        self._shrink(scored, width)
        best = [self._found[0][0]]
        for length in range(1, self.space.most + 1):
            own = self._found.get(length, best[-1:])[0]
            least = _LEAST_ROWS * (own.length - best[-1].length) * self.gains.sum() / len(self.gains)
            best.append(own if own.worth > best[-1].worth + least else best[-1])
        return best

    # --- steps --------------------------------------------------------------------------------------------------------

    def _offer(self, rules: RuleList) -> None:
        """Keep a list if it is the best one of its length and default class, of two default classes at most."""
        scored = self._scored(rules)
        known = {other.default: other for other in self._found.get(scored.length, ())}
        rival = known.get(scored.default)
        if rival is None or scored.worth > rival.worth + _TIE:
            known[scored.default] = scored
        self._found[scored.length] = sorted(known.values(), key=lambda other: -other.worth)[: self._n_defaults]

    def _scored(self, rules: RuleList) -> Scored:
        worth, default = rule_kernels.total_worth(self.codes, self.gains, *rules.arrays, self.space.default)
        return Scored(worth, rules, default, self._length(rules))

    def _length(self, rules: RuleList) -> int:
        return int(self.space.costs[rules.used_columns].sum())

    def _refined(self, rules: RuleList, rounds: int = _ROUNDS) -> RuleList:
        new = rules.copy()
        if new.n_rules:
            rule_kernels.refine(self.codes, self.gains, self.table, *new.arrays, self.space.default, rounds)
        return new

    def _grow(self, scored: Scored, width: int) -> None:
        """Offer the best longer lists."""
        by_length: dict[int, list[_Growth]] = {}
        for growth in [*self._with_conditions(scored), *self._with_rules(scored)]:
            length = scored.length + int(self.space.costs[growth.columns].sum())
            if length <= self.space.most:
                by_length.setdefault(length, []).append(growth)
        for candidates in by_length.values():
            for growth in sorted(candidates, key=lambda own: -own.gain)[:width]:
                self._offer(self._refined(growth.applied_to(scored.rules)))

    def _shrink(self, scored: Scored, width: int) -> None:
        """Offer the best lists with one condition fewer."""
        rules = scored.rules
        gains = np.empty((rules.n_rules, int(rules.sizes.max())))
        rule_kernels.removals(self.codes, self.gains, *rules.arrays, scored.default, gains)
        places = [(r, j) for r in range(rules.n_rules) for j in range(rules.sizes[r])]
        for r, j in sorted(places, key=lambda place: -gains[place])[:width]:
            self._offer(self._refined(rules.without_condition(r, j)))

    # --- neighbours ---------------------------------------------------------------------------------------------------

    def _with_conditions(self, scored: Scored) -> list["_Growth"]:
        """One more condition of a rule."""
        rules, n = scored.rules, scored.rules.n_rules
        if not n or scored.length >= self.space.most:
            return []
        longer = []
        for cost in self._prices:
            found, masks = np.empty((n, 2)), np.zeros((n, rules.masks.shape[2]), dtype=bool)
            rule_kernels.extensions(
                self.codes, self.gains, self.table, *rules.arrays, scored.default, cost, found, masks
            )
            longer += [
                _Growth(found[r, 0], r, -1, ((int(found[r, 1]), masks[r]),)) for r in range(n) if found[r, 0] > _TIE
            ]
        return longer

    def _with_rules(self, scored: Scored) -> list["_Growth"]:
        """One more rule, of one to four conditions."""
        rules = scored.rules
        most = min(_NEW_CONDITIONS, self.space.most - scored.length)
        if most < 1 or rules.n_rules >= self.space.max_rules:
            return []
        longer = []
        is_ordered = len(self.space.labels) > 1
        starts = np.array(list(product(self.space.labels, _EAGERNESS, self._prices)), dtype=float)
        for position in sorted({0, rules.n_rules}) if is_ordered else [rules.n_rules]:
            found = np.empty((len(starts), most, 2))
            masks = np.zeros((len(starts), most, rules.masks.shape[2]), dtype=bool)
            n_found = np.zeros(len(starts), dtype=np.intp)
            rule_kernels.grow_rules(
                self.codes, self.gains, self.table, *rules.arrays, scored.default, position, starts,
                found, masks, n_found,
            )  # fmt: skip
            for s, grown in enumerate(n_found):
                conditions = [(int(found[s, k, 1]), masks[s, k]) for k in range(grown)]
                longer += [
                    _Growth(found[s, k, 0], position, int(starts[s, 0]), tuple(conditions[: k + 1]))
                    for k in range(grown)
                    if found[s, k, 0] > _TIE
                ]
        return longer
