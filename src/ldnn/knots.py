"""Where half-spaces may bend along a column of numbers: the knots of each column, from the training rows."""

import heapq
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import kernels

_SAMPLE = 10_000  # rows from which knots are learned
_MANY = 2_000  # rows make a second thread worth its while
_LONG = 8.0  # times the middle half of the values, if the middle 99 % of them take more: the tails are long
_RARE = 0.1  # a column of two values of which one is rarer than this counts by its exceptions only


@dataclass(frozen=True)
class Bends:
    """method: "quantile" (knots divide the rows into equal parts), "tree" (the thresholds of a decision tree of this
    column against the classes) or "mixed" (half of each); count: at most this many pieces between knots.
    """

    method: str
    count: int


def column_knots(
    X: NDArray,
    codes: NDArray[np.int32],
    rows: NDArray[np.intp],
    weights: NDArray[np.float64],
    columns: NDArray[np.intp],
    bends: Bends,
    generator: np.random.Generator,
) -> tuple[dict[int, NDArray[np.float64]], dict[int, tuple[float, float]]]:
    """Increasing knots for those of the columns that can bend, from the smallest value to the largest; and for those of
    these that have long tails, the mean and the deviation of their values' places between the knots.

    A column of two values has none to bend at; if one of these is rare, that one is given as the only knot.
    codes and weights are those of `rows`.
    """
    if len(rows) > _SAMPLE:
        chosen = np.sort(generator.choice(len(rows), _SAMPLE, replace=False))
        rows, codes, weights = rows[chosen], codes[chosen], weights[chosen]

    def knots_of(column: int) -> tuple[NDArray[np.float64], tuple[float, float] | None]:
        values = X[rows, column].astype(np.float64)
        order = np.argsort(values, kind="stable")
        order = order[: len(order) - np.count_nonzero(np.isnan(values))]  # these come last
        values = values[order]
        knots = _knots(values, codes[order], weights[order], bends)
        if len(knots) < 2 or not _has_long_tails(values):
            return knots, None
        places = np.interp(values, knots, np.arange(len(knots)))
        return knots, (float(places.mean()), float(places.std()))

    if len(rows) < _MANY:
        found = [knots_of(column) for column in columns.tolist()]
    else:
        with ThreadPoolExecutor(2) as pool:  # sorting and cutting release Python's lock
            found = list(pool.map(knots_of, columns.tolist()))
    by_column = list(zip(columns.tolist(), found, strict=True))
    tails = {k: places for k, (_, places) in by_column if places is not None}
    return {k: knots for k, (knots, _) in by_column if len(knots)}, tails


def _knots(
    values: NDArray[np.float64], codes: NDArray[np.int32], weights: NDArray[np.float64], bends: Bends
) -> NDArray[np.float64]:
    """From sorted values."""
    none = np.empty(0)
    distinct = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]])) if len(values) else np.empty(0, int)
    if len(distinct) < 2:
        return none
    if len(distinct) == 2:
        share = weights[: distinct[1]].sum() / weights.sum()
        if share < _RARE:
            return values[:1]
        return values[-1:] if 1 - share < _RARE else none
    ends = values[[0, -1]]
    each = max(2, bends.count // 2) if bends.method == "mixed" else bends.count
    inner = []
    if bends.method != "quantile":
        inner.append(_thresholds(values, codes, weights, each))
    if bends.method != "tree":
        inner.append(_quantiles(values, weights, values[distinct], each))
    knots = np.unique(np.concatenate([ends, *inner]))
    knots = knots[np.concatenate([[True], np.diff(knots) > 1e-9 * (ends[1] - ends[0])])]  # no piece without a width
    return knots if len(knots) > 2 and np.isfinite(ends[1] - ends[0]) else none


def _has_long_tails(values: NDArray[np.float64]) -> bool:
    """Whether a few of the sorted values are so far out that the others look alike beside them."""
    low, first, third, high = values[[int(share * (len(values) - 1)) for share in (0.005, 0.25, 0.75, 0.995)]]
    return bool(third > first and high - low > _LONG * (third - first))


def _quantiles(
    values: NDArray[np.float64], weights: NDArray[np.float64], distinct: NDArray[np.float64], pieces: int
) -> NDArray[np.float64]:
    """Sorted values that divide the weight into equal pieces; all of them, where there are no more."""
    if len(distinct) <= pieces + 1:
        return distinct
    steps = np.arange(1, pieces) / pieces * weights.sum()
    return values[np.searchsorted(np.cumsum(weights), steps * (1 - 1e-12)).clip(max=len(values) - 1)]


def _thresholds(
    values: NDArray[np.float64], codes: NDArray[np.int32], weights: NDArray[np.float64], pieces: int
) -> NDArray[np.float64]:
    """Where a decision tree with so many leaves cuts the sorted values."""
    cuts = grow(values, codes, weights, pieces)
    return 0.5 * values[cuts - 1] + 0.5 * values[cuts]


def grow(
    values: NDArray[np.float64], codes: NDArray[np.int32], weights: NDArray[np.float64], leaves: int
) -> NDArray[np.intp]:
    """A decision tree of sorted values against the classes, grown at the leaf that gains most: the first rows of all
    its leaves but the first one, in the order in which they were cut.
    """
    if not len(values):
        return np.empty(0, dtype=np.intp)
    least = min(0.5, max(1e-3, 5 / len(values))) * weights.sum()
    room = np.empty((2, int(codes.max()) + 1))

    def leaf(begin: int, end: int) -> tuple[float, int, int, int]:
        cut, gain = kernels.best_cut(values, codes, weights, begin, end, least, *room)
        return -gain, begin, end, cut

    grown = [leaf(0, len(values))]
    cuts: list[int] = []
    while len(cuts) < leaves - 1:
        loss, begin, end, cut = heapq.heappop(grown)
        if not loss < 0:
            break
        cuts.append(cut)
        heapq.heappush(grown, leaf(begin, cut))
        heapq.heappush(grown, leaf(cut, end))
    return np.array(cuts, dtype=np.intp)
