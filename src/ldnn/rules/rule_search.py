"""From many conjunctions of many half-spaces to few rules of few conditions.

The rules of a class are found one after the other, each for the rows that the network gives the class and no rule has
yet. A rule comes from one conjunction of one ensemble member, or from all conjunctions merged into one half-space.
Nearly equal conjunctions become one rule, since a second one would have no rows left. Of a conjunction's half-spaces
those are kept that matter; thresholds are where the rule agrees best with the network.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._model.forward import log_complement, log_sigmoid
from .._rule_lists.column_conditions import Condition as ColumnCondition
from .._table.schema import roundest
from .conditions import TOLERANCE, Condition, Effect, Slope
from .decomposition import Decomposition
from .thinning import Direction, Thinner, in_units_of_the_first, near

_BACKGROUND = 0.02  # the importance of rows where a half-space does not decide
_TRIED = 4  # candidates that are thinned before the best of them becomes a rule
_HALF_SPACES = 5  # of a conjunction that are tried as conditions

Source = tuple[int, int] | None  # conjunction i of network c; None: all of them
Scored = tuple[tuple[Effect, ...], NDArray[np.float64]]  # effects, and what they give each row


@dataclass(frozen=True)
class Limits:
    """How much a rule set may say: rules of a class, conditions of a rule, columns of a condition."""

    rules: int
    conditions: int
    columns: int


@dataclass(frozen=True)
class Draft:
    """Conditions, and the conjunction that they come from: None for several, or for rules fitted to decisions."""

    source: Source
    conditions: tuple[Condition | ColumnCondition, ...]

    def holds(self, matrix: NDArray) -> NDArray[np.bool_]:
        holds = np.ones(len(matrix), dtype=bool)
        for condition in self.conditions:
            holds &= condition.holds(matrix)
        return holds

    @property
    def size(self) -> int:
        """How many columns a reader has to look at."""
        return sum(len(condition.columns) for condition in self.conditions)


class ClassSearch:
    """Looks for the rules of one class: target (n,) says which rows the network gives it.

    weights: (n,) how many rows of the whole table each of these stands for; by default 1.
    """

    def __init__(
        self,
        parts: Decomposition,
        networks: list[int],
        target: NDArray[np.bool_],
        most_columns: int,
        weights: NDArray[np.intp] | None = None,
    ):
        self.parts = parts
        self.target = target
        self.weights = np.ones(len(target), dtype=np.intp) if weights is None else weights
        self.thinner = Thinner(parts, most_columns)
        self.z = {c: parts.half_spaces(c).astype(np.float64) for c in networks}
        log_g = {c: parts.conjunctions(z) for c, z in self.z.items()}
        self.log_f = log_complement(np.log(np.mean([np.exp(parts.log_not_output(g)) for g in log_g.values()], axis=0)))
        self.log_g = np.concatenate(list(log_g.values()), axis=1)  # (n, conjunctions)
        self.sources: list[Source] = [(c, i) for c in networks for i in range(log_g[c].shape[1])] + [None]
        self.order = np.argsort(-np.column_stack([self.log_g, self.log_f]), axis=0)
        self._directions: dict[int, list[Direction]] = {}
        self._columns: dict[tuple[int, int], tuple[list[int], NDArray[np.float64]]] = {}
        self._scores: dict[tuple[int, int, int], Scored] = {}

    def rules(self, limits: Limits, allowed: int, smallest: int) -> list[Draft]:
        """Drafts until at most `allowed` rows are decided in another way; each must be right for `smallest` more."""
        drafts: list[Draft] = []
        covered = np.zeros(len(self.target), dtype=bool)
        while len(drafts) < limits.rules and self.weights[covered != self.target].sum() > allowed:
            value = self.weights * np.where(covered, 0, np.where(self.target, 1, -1))
            gains = np.cumsum(value[self.order], axis=0).max(axis=0)
            best: tuple[int, Draft | None] = (smallest - 1, None)
            for k in np.argsort(-gains, kind="stable")[:_TRIED].tolist():
                gain, draft = self._draft(k, value, limits, smallest)
                if gain > best[0]:
                    best = gain, draft
            if best[1] is None:
                break
            drafts.append(best[1])
            covered |= best[1].holds(self.parts.matrix)
        return self._without_superfluous(drafts, smallest)

    def _without_superfluous(self, drafts: list[Draft], smallest: int) -> list[Draft]:
        for draft in drafts[:]:
            rest = [other for other in drafts if other is not draft]
            if rest and self.agreement(drafts) - self.agreement(rest) < smallest:
                drafts = rest
        return drafts

    def agreement(self, drafts: list[Draft]) -> int:
        """The number of rows that the drafts decide as the network does."""
        covered = np.zeros(len(self.target), dtype=bool)
        for draft in drafts:
            covered |= draft.holds(self.parts.matrix)
        return int(self.weights[covered == self.target].sum())

    def _draft(self, candidate: int, value: NDArray[np.intp], limits: Limits, smallest: int) -> tuple[int, Draft]:
        """A candidate as a rule, and its score: the sum of value (n,) over the rows where it holds."""
        alone = [-_best_threshold(direction.aim, value)[0] for direction in self._directions_of(candidate)]
        tried = {
            d: scored
            for d in np.argsort(alone, kind="stable")[:_HALF_SPACES].tolist()
            if (scored := self._scored(candidate, d, limits.columns))[0]
        }
        rule = _Growing(value, tried)
        while len(rule.thresholds) < limits.conditions and rule.add(smallest):
            pass
        rule.drop_effects(max(1, smallest // 5), lambda effects: Condition(effects, 0.0).scores(self.parts.matrix))
        return rule.gain, Draft(self.sources[candidate], rule.conditions)

    # --- what conditions are made of ----------------------------------------------------------------------------------

    def _directions_of(self, candidate: int) -> list[Direction]:
        """The half-spaces of a conjunction, and their mean; of all conjunctions together, their mean only."""
        if candidate not in self._directions:
            source = self.sources[candidate]
            self._directions[candidate] = [self._mean_of_all()] if source is None else self._of_conjunction(*source)
        return self._directions[candidate]

    def _of_conjunction(self, c: int, i: int) -> list[Direction]:
        z = self.z[c][:, i]
        log_sigma = log_sigmoid(z)
        log_g = log_sigma.sum(axis=1)
        found = [
            Direction(self.parts.weights[c, i, j], near(z[:, j]), np.exp(log_g - log_sigma[:, j]) + _BACKGROUND)
            for j in range(z.shape[1])
        ]
        if len(found) > 1:
            undecided = np.exp(log_g) * -np.expm1(log_g)
            shares = (undecided[:, None] * -np.expm1(log_sigma)).sum(axis=0) + 1e-12  # dg/dz, where g is undecided
            weights = np.tensordot(shares / shares.sum(), self.parts.weights[c, i], axes=1)
            found.append(Direction(weights, near(log_g - log_complement(log_g)), undecided + _BACKGROUND))
        return found

    def _mean_of_all(self) -> Direction:
        """All half-spaces merged, each with its influence on the mean output."""
        total = np.zeros(self.parts.weights.shape[-1], dtype=np.float32)
        for c, z in self.z.items():
            total += np.tensordot(self.parts.slopes(z).sum(axis=0).astype(np.float32), self.parts.weights[c], axes=2)
        undecided = np.exp(self.log_f + log_complement(self.log_f))
        return Direction(total / max(np.abs(total).max(), 1e-300), near(self.log_f - log_complement(self.log_f)),
                         undecided + _BACKGROUND)  # fmt: skip

    def _scored(self, candidate: int, d: int, columns: int) -> Scored:
        """A direction with this number of columns."""
        direction = self._directions_of(candidate)[d]
        if (candidate, d) not in self._columns:
            self._columns[candidate, d] = self.thinner.best_columns(direction)
        chosen, given = self._columns[candidate, d]
        key = (candidate, d, min(columns, len(chosen)))
        if key not in self._scores:
            effects = self.thinner.effects(direction, chosen[:columns], given[:, :columns])
            self._scores[key] = effects, Condition(effects, 0.0).scores(self.parts.matrix)
        return self._scores[key]


@dataclass
class _Growing:
    """A rule that grows by conditions, each with the threshold that maximises the gain of the rule."""

    value: NDArray[np.intp]  # (n,) of the rows
    tried: dict[int, Scored]

    def __post_init__(self) -> None:
        self.thresholds: dict[int, float] = {}
        self.gain = 0

    @property
    def conditions(self) -> tuple[Condition, ...]:
        return tuple(Condition(self.tried[d][0], threshold) for d, threshold in self.thresholds.items())

    def _holds(self, without: int | None = None) -> NDArray[np.bool_]:
        held = np.ones(len(self.value), dtype=bool)
        for d, threshold in self.thresholds.items():
            if d != without:
                held &= self.tried[d][1] >= threshold
        return held

    def add(self, smallest: int) -> bool:
        """Add a condition if it increases the gain."""
        rows = self._holds()
        found = [
            (*_best_threshold(scores[rows], self.value[rows]), d)
            for d, (_, scores) in self.tried.items()
            if d not in self.thresholds
        ]
        gain, threshold, d = max(found, default=(0, 0.0, -1))
        if gain <= self.gain or (self.thresholds and gain < self.gain + smallest):
            return False
        self.gain = gain
        self.thresholds[d] = threshold
        for again in self.thresholds if len(self.thresholds) > 1 else ():  # others may have become too strict
            self._move(again, self.tried[again][1])
        return True

    def _move(self, d: int, scores: NDArray[np.float64]) -> None:
        rows = self._holds(without=d)
        self.gain, self.thresholds[d] = _best_threshold(scores[rows], self.value[rows])

    def drop_effects(self, least: int, score: Callable[[tuple[Effect, ...]], NDArray[np.float64]]) -> None:
        """Leave out columns that contribute less than this to the gain."""
        for d in list(self.thresholds):
            for effect in reversed(self.tried[d][0]):
                effects = self.tried[d][0]
                if len(effects) == 1:
                    break
                rest = tuple(other for other in effects if other is not effect)
                if isinstance(rest[0], Slope) and abs(rest[0].slope) != 1:
                    rest = in_units_of_the_first([other for other in rest if isinstance(other, Slope)])
                scores = score(rest)
                rows = self._holds(without=d)
                gain, threshold = _best_threshold(scores[rows], self.value[rows])
                if gain > self.gain - least:
                    self.tried[d] = rest, scores
                    self.thresholds[d], self.gain = threshold, gain


def _best_threshold(scores: NDArray[np.float64], value: NDArray[np.intp]) -> tuple[int, float]:
    """Where scores >= threshold has the largest sum of values: this sum, and a round threshold."""
    if not len(scores):
        return 0, 0.0
    order = np.argsort(-scores)
    ranked = scores[order]
    sums = np.cumsum(value[order])
    apart = ranked[:-1] - ranked[1:] > TOLERANCE * (1 + np.abs(ranked[:-1]))
    ends = np.flatnonzero(np.append(apart, True))
    best = ends[int(np.argmax(sums[ends]))]
    below = float(ranked[best + 1]) if best + 1 < len(ranked) else float(ranked[best]) - 1
    return int(sums[best]), roundest(below, float(ranked[best]))
