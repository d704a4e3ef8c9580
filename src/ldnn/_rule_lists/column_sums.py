"""Weighted sums of few columns that tell the classes apart better than any of their columns does: half-spaces that
people can read, since their weights are small round integers in the units of the table.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._table.schema import number

_BEAM = 16  # sets of columns of each size that get one more column
_TRIED = 1000  # sets of each size in a regression, about: of wide tables, fewer get one more column
_SCORED = 32  # sets of each size whose limits are looked for
_KEPT = 16  # sums of each size
_LEAST_GAIN = 0.01  # of the variance, that a sum must explain beyond its better part
_ROWS = 1500  # that sums are compared on, at most
_REGRESSION_ROWS = 4000  # of a regression of which only the best sums are used, at most
_FARTHEST = 3.0  # spreads from the median that count, so that few large values do not decide
_RIDGE = 1e-6
_LARGEST_RATIO = 1e6  # of two weights: others would have many digits
_ROUND = (1, 1.5, 2, 2.5, 3, 4, 5, 7, 10)  # times powers of ten
_LEAST_WEIGHTS = (1, 2, 3)  # the smallest weight of a sum
_SIMPLER = 0.08  # relative error that a smaller one is worth


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
            factor = "" if abs(weight) == 1 else f"{number(abs(weight))} x "
            text += f"{sign}{factor}{names[column]}"
        return text


def with_sums(X: NDArray, sums: tuple[ColumnSum, ...]) -> NDArray:
    """A matrix (n, F) with the values of the sums as further columns."""
    return np.column_stack([X, *(own.values(X) for own in sums)]) if sums else X


def sum_directions(sums: tuple[ColumnSum, ...], directions: NDArray[np.intp]) -> NDArray[np.intp]:
    """(sums,) along which rules must not end to hold so that they do not in any column: 1 upwards, -1 downwards, 0 for
    either; directions: (F,) those of the columns.
    """
    return np.array([max(_signs(own, directions), default=0) for own in sums], dtype=np.intp)


def _signs(terms: ColumnSum, directions: NDArray[np.intp]) -> set[int]:
    """The directions that the columns of a sum ask for: none, one, or two that no condition can keep."""
    return {int(d) for d in np.sign(terms.weights) * directions[list(terms.columns)] if d}


def find_sums(
    X: NDArray,
    targets: NDArray[np.float64],
    is_summable: NDArray[np.bool_],
    directions: NDArray[np.intp],
    most: int,
    seed: int,
) -> tuple[ColumnSum, ...]:
    """The best sums of two to `most` columns of X (n, F). targets: (n, C), what the rows are worth to each class.

    Sets of columns grow by the column with which a regression explains a class best; its weights become round integers.
    is_summable: (F,), columns of numbers; directions: (F,) see `sum_directions`: sums that would break one are left
    out.
    """
    sample = np.random.default_rng(seed).permutation(len(X))[:_ROWS]
    X, targets = X[sample], targets[sample]
    spreads = np.array([spread(X[:, f]) if is_summable[f] else 0.0 for f in range(X.shape[1])])
    columns = np.flatnonzero(spreads > 0)
    if len(columns) < 2:
        return ()
    Z = _standardized(X[:, columns], spreads[columns])
    wanted = targets[:, 1:] if targets.shape[1] == 2 else targets
    gram = Z.T @ Z / len(Z) + _RIDGE * np.eye(len(columns))
    products = Z.T @ (wanted - wanted.mean(axis=0)) / len(Z)
    singles: dict[tuple[int, ...], float] = {(k,): _score(X[:, f], targets) for k, f in enumerate(columns)}
    n_classes = products.shape[1]
    found: dict[ColumnSum, None] = {}  # an ordered set
    for c in range(n_classes):
        scores = dict(singles)
        for sets, weights in _best_sets(gram, products[:, c], most):
            own = []
            for members, factors in zip(sets[: max(4, _SCORED // n_classes)], weights, strict=False):
                terms = rounded_sum(columns[members], factors, spreads[columns[members]])
                if terms is None or len(_signs(terms, directions)) > 1:
                    continue
                key = tuple(members.tolist())
                scores[key] = _score(terms.values(X), targets)
                if scores[key] - _best_part(key, scores) >= _LEAST_GAIN:
                    own.append((scores[key], terms))
            ranked = sorted(own, key=lambda pair: -pair[0])[: max(1, _KEPT // n_classes)]
            found |= dict.fromkeys(terms for _, terms in ranked)
    return tuple(found)


def regression_sums(
    X: NDArray,
    y: NDArray[np.int32],
    weights: NDArray[np.float64],
    is_summable: NDArray[np.bool_],
    directions: NDArray[np.intp],
    most: int,
    seed: int,
) -> list[ColumnSum]:
    """For two to `most` columns of X (n, F), the sum that explains two classes y (n,) best, if it has round weights and
    keeps the directions (F,) of columns; weights: (n,).
    """
    sample = np.random.default_rng(seed).permutation(len(X))[:_REGRESSION_ROWS]
    X, y, shares = X[sample], y[sample], weights[sample] / weights[sample].sum()
    spreads = np.array([spread(X[:, f]) if is_summable[f] else 0.0 for f in range(X.shape[1])])
    columns = np.flatnonzero(spreads > 0)
    if len(columns) < 2:
        return []
    Z = _standardized(X[:, columns], spreads[columns])
    Z -= shares @ Z
    gram = (Z * shares[:, None]).T @ Z + _RIDGE * np.eye(len(columns))
    products = Z.T @ (shares * (y - shares @ y))
    beam = int(np.clip(_TRIED // len(columns), 1, _BEAM))
    best = [(sets[0], factors[0]) for sets, factors in _best_sets(gram, products, most, beam)]
    found = [rounded_sum(columns[own], factors, spreads[columns[own]]) for own, factors in best]
    return [terms for terms in found if terms is not None and len(_signs(terms, directions)) < 2]


def _standardized(X: NDArray, spreads: NDArray[np.float64]) -> NDArray[np.float64]:
    """Columns (n, F) around their means, in spreads; missing values are at the median."""
    with np.errstate(over="ignore", invalid="ignore"):
        Z = np.clip((X - np.nanmedian(X, axis=0)) / spreads, -_FARTHEST, _FARTHEST)
    Z[np.isnan(Z)] = 0.0
    return Z - Z.mean(axis=0)


def _best_sets(
    gram: NDArray[np.float64], products: NDArray[np.float64], most: int, beam: int = _BEAM
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float64]]]:
    """For two to `most` columns: sets of columns (sets, size), those that explain most first, and the weights of their
    columns in a regression (sets, size). gram: (F, F), products: (F,) with what is to be explained. beam: sets
    of each size that get one more column.
    """
    level = np.argsort(-(products**2) / np.diag(gram), kind="stable")[:beam, None]
    for _ in range(most - 1):
        larger = {tuple(sorted((*own, f))) for own in level.tolist() for f in range(len(gram)) if f not in own}
        if not larger:
            return
        sets = np.array(sorted(larger))
        weights = np.linalg.solve(gram[sets[:, :, None], sets[:, None, :]], products[sets][..., None])[..., 0]
        order = np.argsort(-(weights * products[sets]).sum(axis=1), kind="stable")
        level = sets[order[:beam]]
        yield sets[order], weights[order]


def _best_part(key: tuple[int, ...], scores: dict[tuple[int, ...], float]) -> float:
    """The best score of a set without one of its columns, or of a column alone."""
    smaller = [tuple(k for k in key if k != left_out) for left_out in key]
    return max(scores.get(part, 0.0) for part in [*smaller, *((k,) for k in key)])


def rounded_sum(
    columns: NDArray[np.intp], factors: NDArray[np.float64], spreads: NDArray[np.float64]
) -> ColumnSum | None:
    """A sum with round integers for weights; factors: those of standardized columns, the largest of which comes first.
    None where no such weights are near.
    """
    with np.errstate(over="ignore", divide="ignore", under="ignore"):
        weights = factors / spreads
    sizes = np.abs(weights)
    if not (np.isfinite(sizes).all() and sizes.min() > 0 and sizes.max() < _LARGEST_RATIO * sizes.min()):
        return None
    best, least_error = sizes, math.inf
    for least in _LEAST_WEIGHTS:
        candidate = np.array([_nearest_round(least * size / sizes.min()) for size in sizes])
        logs = np.log(candidate / sizes)
        error = np.abs(logs - logs.mean()).max()
        if error < least_error - _SIMPLER:
            best, least_error = candidate, error
    order = np.argsort(-np.abs(factors), kind="stable")
    rounded = (best * np.sign(weights) * np.sign(weights[order[0]]))[order]
    divisor = float(np.gcd.reduce(np.abs(rounded).astype(np.int64)))
    return ColumnSum(tuple(columns[order].tolist()), tuple((rounded / divisor).tolist()))


def _nearest_round(value: float) -> float:
    """The nearest integer of few digits to a number from 1 on."""
    power = 10.0 ** math.floor(math.log10(value))
    return min((m * power for m in _ROUND if (m * power).is_integer()), key=lambda near: abs(math.log(near / value)))


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
