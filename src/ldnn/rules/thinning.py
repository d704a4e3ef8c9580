"""From a half-space of many columns to the few columns that matter most, as slopes, steps or levels.

The columns that are kept must stand for all of them, so they are fitted (by least squares) to the values of the
half-space, for the rows where it decides.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from .conditions import Effect, Levels, Slope, Steps, significant
from .decomposition import Decomposition

NEAR = 3.0  # beyond this, it makes no difference to a sigmoid how large z is
_BINS = 32  # parts of a column's rows, and of its different values, between which steps may lie
_STEPS, _FINE_STEPS = 5, 12  # of a column among others, and of a column alone, whose steps become a few ranges
_SWEEPS = 2  # over the columns of a scorecard, each fitted to what the others leave
_HELD_BACK = 3.0  # rows' worth of the mean in every group of rows
_POINTS = 50  # that all columns of a scorecard give at most, about


@dataclass(frozen=True)
class Direction:
    """A half-space, or the mean of several, that is to become a condition.

    weights (P,): of the features; aim (n,): what the columns should give together; importance (n,): for which rows.
    """

    weights: NDArray[np.float32]
    aim: NDArray[np.float64]
    importance: NDArray[np.float64]

    def centred(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values (n, ...) less their means, times the square roots of the rows' importance."""
        values = values.reshape(len(values), -1)
        means = self.importance @ values / self.importance.sum()
        return (values - means) * np.sqrt(self.importance)[:, None]


@dataclass(frozen=True)
class BinnedColumn:
    """A column in bins: the codes of categories, or a limited number of values or intervals; one more if missing.

    group (n,): the bin of each row; count: of bins without that of missing values; edges (count - 1,): round numbers
    between the bins.
    """

    number: int
    is_category: bool
    group: NDArray[np.intp]
    count: int
    edges: NDArray[np.float64]

    @classmethod
    def of(cls, parts: Decomposition, number: int) -> "BinnedColumn":
        values, known = parts.matrix[:, number].astype(np.float64), parts.schema.categories[number]
        if known is not None:
            group = np.where(values >= 0, values, len(known)).astype(np.intp)
            return cls(number, True, group, len(known), np.empty(0))
        present = ~np.isnan(values)
        distinct = np.unique(values[present])
        upper = distinct[1:]
        if len(distinct) > 2 * _BINS:
            shares = np.arange(1, _BINS) / _BINS
            upper = np.unique([np.quantile(part, shares, method="higher") for part in (values[present], distinct)])
            upper = upper[upper > distinct[0]]
        lower = distinct[np.searchsorted(distinct, upper) - 1]
        round_value = parts.schema.round_value
        edges = np.array([round_value(number, *pair) for pair in zip(lower.tolist(), upper.tolist(), strict=True)])
        group = np.where(present, np.searchsorted(edges, values, side="right"), len(edges) + 1)
        return cls(number, False, group.astype(np.intp), len(edges) + 1, edges)

    def fitted(
        self, y: NDArray[np.float64], importance: NDArray[np.float64], most: int, is_smooth: bool = False
    ) -> tuple["Steps | Levels", NDArray[np.float64]]:
        """A limited number of steps (or levels) fitted to y (n,), and their values for the rows (n,).

        Missing values have a value of their own. is_smooth: whether steps rise or fall, and turn once at most.
        """
        totals = np.bincount(self.group, importance, self.count + 1)
        mean = float(importance @ y / importance.sum())
        sums = np.bincount(self.group, importance * (y - mean), self.count + 1)
        held_back = _HELD_BACK * float(importance.mean())
        bins = np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0)
        order = np.argsort(bins[:-1], kind="stable") if self.is_category else np.arange(self.count)
        ends = segments(bins[order], totals[order], most)
        groups = np.zeros(self.count, dtype=np.intp)
        groups[order] = np.searchsorted(ends, np.arange(self.count), side="right")
        value = np.bincount(groups, sums[:-1]) / (np.bincount(groups, totals[:-1]) + held_back)
        if is_smooth and not self.is_category:
            value = with_one_turn(value, np.bincount(groups, totals[:-1]).astype(np.float64) + held_back)
        missing = float(sums[-1] / (totals[-1] + held_back))
        values = np.where(totals[:-1] > 0, value[groups], missing)
        effect: Steps | Levels = (
            Levels(self.number, values, missing)
            if self.is_category
            else Steps(self.number, self.edges[np.array(ends, dtype=np.intp) - 1], value, missing)
        )
        return effect, np.append(values, missing)[self.group]


def with_one_turn(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The nearest values (n,), by weighted squares, that rise or fall all the way or turn once."""
    n, found = len(values), []
    for sign in (1.0, -1.0):  # they rise first, or fall
        _, before = _rising(sign * values, weights)
        _, after = _rising(sign * values[::-1], weights[::-1])
        found += [(before[place] + after[n - place], place, sign) for place in range(n)]
    _, place, sign = min(found, key=lambda one: one[:2])
    first, _ = _rising(sign * values[:place], weights[:place])
    last, _ = _rising(sign * values[place:][::-1], weights[place:][::-1])
    return sign * np.concatenate([first, last[::-1]])


def _rising(values: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], list[float]]:
    """The nearest values (n,), by weighted squares, that do not fall, and the error of those that are nearest to the
    first 0 to n values. Neighbours that fall are pooled again and again.
    """
    pools: list[tuple[float, float, int]] = []  # mean, weight, number of values
    errors = [0.0]
    for mean, weight in zip(values.tolist(), weights.tolist(), strict=True):
        error, count = errors[-1], 1
        while pools and pools[-1][0] >= mean:
            other, other_weight, other_count = pools.pop()
            share = weight / (weight + other_weight)
            error += share * other_weight * (other - mean) ** 2
            mean, weight, count = share * mean + (1 - share) * other, weight + other_weight, count + other_count
        pools.append((mean, weight, count))
        errors.append(error)
    return np.repeat([mean for mean, _, _ in pools], [count for _, _, count in pools]), errors


@cache
def _no_parts(count: int) -> NDArray[np.bool_]:
    """From a place to itself or to one before."""
    return np.tri(count + 1, dtype=bool)


def segments(values: NDArray, weights: NDArray, most: int) -> list[int]:
    """The best cuts of a row of values into a limited number of parts, by squared error: the parts' first positions."""
    count = len(values)
    most = min(most, count)
    total, first, second = (np.concatenate([[0.0], np.cumsum(part)])
                            for part in (weights, weights * values, weights * values**2))  # fmt: skip
    weight = total[None, :] - total[:, None]
    error = second[None, :] - second[:, None]
    error = error - np.divide(
        (first[None, :] - first[:, None]) ** 2, weight, out=np.zeros_like(error), where=weight > 0
    )
    error[_no_parts(count)] = np.inf
    best, came_from = error[0].copy(), []
    costs = [best[count]]
    for _ in range(1, most):
        options = best[:, None] + error
        came_from.append(options.argmin(axis=0))
        best = options.min(axis=0)
        costs.append(best[count])
    parts = int(np.argmin(np.array(costs) + 1e-9 * max(costs[0], 0) * np.arange(len(costs))))
    cuts, end = [], count
    for step in reversed(came_from[:parts]):
        end = int(step[end])
        cuts.append(end)
    return cuts[::-1]


class Thinner:
    """Finds the effects of directions on the rows of `parts`, with at most `most` columns each."""

    def __init__(self, parts: Decomposition, most: int):
        self.parts = parts
        self.most = most
        self._columns: dict[int, BinnedColumn] = {}

    def best_columns(self, direction: Direction) -> tuple[list[int], NDArray[np.float64]]:
        """The columns that matter most, in descending order, and what they contribute: (n, columns).

        They are added greedily: each time the one that brings the sum closest to the aim.
        """
        given = self.parts.contributions(direction.weights)
        centred, aim = direction.centred(given), direction.centred(direction.aim)[:, 0]
        lengths = np.einsum("nk,nk->k", centred, centred)
        useful = lengths > 1e-9 * max(lengths.max(), 1e-300)
        chosen: list[int] = []
        residual = aim
        while len(chosen) < min(self.most, int(useful.sum())):
            along = np.where(useful, np.maximum(centred.T @ residual, 0), 0) ** 2 / np.where(useful, lengths, 1)
            along[chosen] = 0
            if along.max() <= 0:
                break
            chosen.append(int(along.argmax()))
            residual = aim - centred[:, chosen] @ nnls(centred[:, chosen], aim)[0]
        return chosen, given[:, chosen]

    def effects(self, direction: Direction, columns: list[int], given: NDArray[np.float64]) -> tuple[Effect, ...]:
        """What these columns contribute instead of all; none if they contribute nothing."""
        if not columns:
            return ()
        factors = nnls(direction.centred(given), direction.centred(direction.aim)[:, 0])[0]
        kept = np.flatnonzero(factors > 0).tolist()
        columns, added = [columns[k] for k in kept], [factors[k] * given[:, k] for k in kept]
        if not self.parts.is_curved(direction.weights)[columns].any():
            return self._slopes(columns, added)
        if len(columns) == 1:
            return (self._column(columns[0]).fitted(_capped(added[0]), direction.importance, _FINE_STEPS)[0],)
        return self._scorecard(columns, [_capped(part) for part in added], direction)

    def _column(self, number: int) -> BinnedColumn:
        if number not in self._columns:
            self._columns[number] = BinnedColumn.of(self.parts, number)
        return self._columns[number]

    def _slopes(self, columns: list[int], added: list[NDArray[np.float64]]) -> tuple[Slope, ...]:
        """Linear columns in the user's units; the first has factor 1 or -1, the others two digits."""
        found = []
        for number, y in zip(columns, added, strict=True):
            x = self.parts.matrix[:, number].astype(np.float64)
            present = ~np.isnan(x)
            exponent = int(np.frexp(np.abs(x[present]).max(initial=0))[1])  # squares of huge numbers would overflow
            x = np.ldexp(x, -exponent)
            centred = x[present] - x[present].mean() if present.any() else x[present]
            square = float(centred @ centred)
            slope = float(centred @ y[present]) / square if square > 0 else 0.0
            shift = float(np.mean(y[present] - slope * x[present])) if present.any() else 0.0
            missing = float(np.mean(y if present.all() else y[~present])) - shift  # else it counts as the mean
            if slope != 0:
                found.append(Slope(number, float(np.ldexp(slope, -exponent)), missing))
        return in_units_of_the_first(found)

    def _scorecard(
        self, columns: list[int], added: list[NDArray[np.float64]], direction: Direction
    ) -> tuple[Effect, ...]:
        """Steps and levels in whole points, each column fitted in turn to what the others leave of the aim."""
        effects: dict[int, Steps | Levels] = {}
        for _ in range(_SWEEPS):
            for k, number in enumerate(columns):
                rest = direction.aim - sum(added[:k] + added[k + 1 :], np.zeros(len(direction.aim)))
                effects[k], added[k] = self._column(number).fitted(rest, direction.importance, _STEPS, is_smooth=True)
        unit = sum(float(np.ptp(effect.values)) for effect in effects.values()) / _POINTS
        return tuple(whole for effect in effects.values() if (whole := effect.in_points(unit)) is not None)


def in_units_of_the_first(slopes: list[Slope]) -> tuple[Slope, ...]:
    unit = abs(slopes[0].slope) if slopes else 1.0
    return tuple(Slope(one.column, significant(one.slope / unit), one.missing / unit) for one in slopes)


def near(z: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.clip(z, -NEAR, NEAR)


def _capped(added: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a column adds, limited to where it decides alone."""
    middle = np.median(added)
    return np.clip(added, middle - 2 * NEAR, middle + 2 * NEAR)
