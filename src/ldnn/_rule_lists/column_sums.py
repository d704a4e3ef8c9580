"""Weighted sums of few columns that tell the classes apart better than any of their columns does: half-spaces that
people can read, since their weights are small round integers in the units of the table.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

_RATIOS = (1 / 3, 1 / 2, 1.0, 2.0, 3.0)  # of the weights of two parts, both divided by their spread
_PARTS = 8  # columns that are combined: those that tell the classes apart best
_KEPT = 16  # sums of each number of columns
_LEAST_GAIN = 0.01  # of the variance, that a sum must explain beyond its better part
_ROWS = 1500  # that sums are compared on, at most


@dataclass(frozen=True)
class ColumnSum:
    """The sum of weights[k] times column columns[k]; the first weight is positive."""

    columns: tuple[int, ...]
    weights: tuple[float, ...]

    def values(self, matrix: NDArray) -> NDArray[np.float64]:
        """(n,) of the rows of a matrix (n, F); NaN where a value is missing."""
        total = np.zeros(len(matrix))
        with np.errstate(over="ignore", invalid="ignore"):
            for column, weight in zip(self.columns, self.weights, strict=True):  # one after the other, as a page adds
                total += weight * matrix[:, column].astype(np.float64)
        return total

    def text(self, names: list[str]) -> str:
        """Such as "2 x age - income"."""
        text = ""
        for column, weight in zip(self.columns, self.weights, strict=True):
            sign = (" - " if weight < 0 else " + ") if text else ""
            factor = "" if abs(weight) == 1 else f"{abs(weight):,.10g} x "
            text += f"{sign}{factor}{names[column]}"
        return text


def with_sums(X: NDArray, sums: tuple[ColumnSum, ...]) -> NDArray:
    """A matrix (n, F) with the values of the sums as further columns."""
    return np.column_stack([X, *(own.values(X) for own in sums)]) if sums else X


def sum_directions(sums: tuple[ColumnSum, ...], directions: NDArray[np.intp]) -> NDArray[np.intp]:
    """(sums,) along which rules must not end to hold so that they do not in any column: 1 upwards, -1 downwards, 0 for
    either; directions: (F,) those of the columns.
    """
    found = [{int(d) for d in np.sign(own.weights) * directions[list(own.columns)] if d} for own in sums]
    return np.array([max(own, default=0) for own in found], dtype=np.intp)


def find_sums(
    X: NDArray,
    targets: NDArray[np.float64],
    is_summable: NDArray[np.bool_],
    directions: NDArray[np.intp],
    most: int,
    seed: int,
) -> tuple[ColumnSum, ...]:
    """The best sums of two to `most` columns of X (n, F). targets: (n, C), what the rows are worth to each class.

    is_summable: (F,), columns of numbers; directions: (F,) see `sum_directions`: sums that would break one are left
    out.
    """
    sample = np.random.default_rng(seed).permutation(len(X))[:_ROWS]
    X, targets = X[sample], targets[sample]
    singles = [ColumnSum((int(f),), (1.0,)) for f in np.flatnonzero(is_summable)]
    scored = [(_score(own.values(X), targets), own) for own in singles]
    parts = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])[:_PARTS]
    found: list[ColumnSum] = []
    level = parts
    for _ in range(most - 1):
        level = _best_of_pairs(level, parts, X, targets, directions)
        found += [own for _, own in level]
    return tuple(found)


def _best_of_pairs(
    sums: list[tuple[float, ColumnSum]],
    parts: list[tuple[float, ColumnSum]],
    X: NDArray,
    targets: NDArray[np.float64],
    directions: NDArray[np.intp],
) -> list[tuple[float, ColumnSum]]:
    """The best sums of one more column, each with its score; for the same columns, only the best weights."""
    best: dict[frozenset[int], tuple[float, float, ColumnSum]] = {}
    pairs = combinations(parts, 2) if sums is parts else ((own, part) for own in sums for part in parts)
    for (score, own), (other_score, part) in pairs:
        if part.columns[0] in own.columns:
            continue
        key = frozenset((*own.columns, *part.columns))
        for candidate in _weighted(own, part, X):
            signs = {int(d) for d in np.sign(candidate.weights) * directions[list(candidate.columns)] if d}
            if len(signs) > 1:
                continue
            found = _score(candidate.values(X), targets)
            gain = found - max(score, other_score)
            if gain >= _LEAST_GAIN and (key not in best or found > best[key][1]):
                best[key] = (gain, found, candidate)
    ranked = sorted(best.values(), key=lambda entry: -entry[0])[:_KEPT]
    return [(found, candidate) for _, found, candidate in ranked]


def _weighted(own: ColumnSum, part: ColumnSum, X: NDArray) -> Iterator[ColumnSum]:
    """A sum and a further column, weighted in several ways with round integers."""
    ratio_of_spreads = spread(own.values(X)) / max(spread(part.values(X)), 1e-300)
    if not 1e-6 < ratio_of_spreads < 1e6:  # the weights would have many digits
        return
    seen = set()
    for ratio in _RATIOS:
        own_factor, part_factor = _round_ratio(ratio * ratio_of_spreads)
        if (own_factor, part_factor) in seen:
            continue
        seen.add((own_factor, part_factor))
        for sign in (1.0, -1.0):
            weights = (*(own_factor * w for w in own.weights), sign * part_factor)
            yield ColumnSum((*own.columns, *part.columns), _coprime(weights))


def _round_ratio(ratio: float) -> tuple[float, float]:
    """Two small integers (a, b) with b / a near the ratio: one of them is 1, or both are 2 and 3."""
    if ratio < 1:
        b, a = _round_ratio(1 / ratio)
        return a, b
    if ratio < 2.5:
        return (1.0, 1.0) if ratio < 1.25 else (2.0, 3.0) if ratio < 1.75 else (1.0, 2.0)
    return 1.0, float(f"{ratio:.0e}")


def _coprime(weights: tuple[float, ...]) -> tuple[float, ...]:
    divisor = float(np.gcd.reduce(np.abs(weights).astype(np.int64)))
    return tuple(w / divisor for w in weights)


def spread(values: NDArray) -> float:
    """A standard deviation that few large values do not change; the usual one where most values are the same; 0 where
    it would be larger than any float.
    """
    known = values[np.isfinite(values)]
    if not len(known):
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = np.quantile(known, [0.1, 0.9])
        found = float((high - low) / 2.56) or float(known.std())
    return found if math.isfinite(found) else 0.0


def _score(values: NDArray[np.float64], targets: NDArray[np.float64]) -> float:
    """How well the best limit of some values (n,) tells the targets (n, C) apart: the share of their variance that is
    between both sides. Rows without a value are left out.
    """
    is_known = np.isfinite(values)
    values, targets = values[is_known], targets[is_known]
    n = len(values)
    if n < 2:
        return 0.0
    order = np.argsort(values, kind="stable")
    values, targets = values[order], targets[order] - targets.mean(axis=0)
    ends = np.flatnonzero(values[1:] > values[:-1])
    total = (targets**2).sum()
    if not len(ends) or total <= 0:
        return 0.0
    below = np.cumsum(targets, axis=0)[ends]
    counts = ends + 1.0
    return float(((below**2).sum(axis=1) * (1 / counts + 1 / (n - counts))).max() / total)
