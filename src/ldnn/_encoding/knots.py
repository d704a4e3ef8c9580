"""The knots of each column of numbers, found on the training rows."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from .._plan import KnotPlan
from .._table.column_tree import SortedColumns
from .._table.training_table import TrainingTable

_SAMPLE = 10_000  # rows on which knots are found
_MANY = 2_000  # rows, from which on a second thread pays off
_LONG = 8.0  # times the middle half of the values, if the middle 99 % of them take more: the tails are long
_RARE = 0.1  # of two values, if one is rarer than this, only the rare one is encoded


def column_knots(
    table: TrainingTable, columns: NDArray[np.intp], plan: KnotPlan, generator: np.random.Generator
) -> tuple[dict[int, NDArray[np.float64]], dict[int, tuple[float, float]]]:
    """Increasing knots of those of the columns that have any, from the smallest value to the largest; and for those of
    these with long tails, the mean and the standard deviation of their values' knot positions.

    A column of two values has no knots; if one of the two is rare, that one is the only knot.
    """
    if len(table.rows) > _SAMPLE:
        table = table.subset(np.sort(generator.choice(len(table.rows), _SAMPLE, replace=False)))
    in_order = table.sorted_columns

    def knots_of(column: int) -> tuple[NDArray[np.float64], tuple[float, float] | None]:
        knots, values = _knots(in_order, column, plan), in_order.column(column)[0]
        if len(knots) < 2 or not _has_long_tails(values):
            return knots, None
        positions = np.interp(values, knots, np.arange(len(knots)))
        return knots, (float(positions.mean()), float(positions.std()))

    if len(table.rows) < _MANY:
        found = [knots_of(column) for column in columns.tolist()]
    else:
        with ThreadPoolExecutor(2) as pool:  # sorting and splitting release Python's lock
            found = list(pool.map(knots_of, columns.tolist()))
    by_column = list(zip(columns.tolist(), found, strict=True))
    long_tailed = {k: moments for k, (_, moments) in by_column if moments is not None}
    return {k: knots for k, (knots, _) in by_column if len(knots)}, long_tailed


def has_varied_column(table: TrainingTable) -> bool:
    """Whether any column of numbers has more than two values, so that it matters where knots are placed."""
    return any(_two_values(table, column) is None for column in np.flatnonzero(~table.is_category).tolist())


def knots_matter(table: TrainingTable) -> bool:
    """Whether networks with knots differ from linear ones: not if every column of numbers has two values, neither of
    them rare.
    """
    for column in np.flatnonzero(~table.is_category).tolist():
        shares = _two_values(table, column)
        if shares is None or 0 < min(shares) < _RARE:
            return True
    return False


def _two_values(table: TrainingTable, column: int) -> tuple[float, float] | None:
    """The shares of the two values of a column (0, if there is only one); None if there are more."""
    values = table.X[table.rows, column]
    is_known = ~np.isnan(values)
    if not is_known.any():
        return 1.0, 0.0
    values, weights = values[is_known], table.weights[is_known]
    is_low, is_high = values == values.min(), values == values.max()
    if not (is_low | is_high).all():
        return None
    low = float(weights[is_low].sum() / weights.sum())
    return low, 1 - low


def _knots(in_order: SortedColumns, column: int, plan: KnotPlan) -> NDArray[np.float64]:
    values, _, weights = in_order.column(column)
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
    with np.errstate(over="ignore"):
        width = ends[1] - ends[0]
    if not np.isfinite(width):
        return none
    each = max(2, plan.n_pieces // 2) if plan.placement == "mixed" else plan.n_pieces
    inner = []
    if plan.placement != "quantile":
        inner.append(_thresholds(values, in_order.cuts(column, each)))
    if plan.placement != "tree":
        inner.append(_quantiles(values, weights, values[distinct], each))
    knots = np.unique(np.concatenate([ends, *inner]))
    knots = knots[np.concatenate([[True], np.diff(knots) > 1e-9 * width])]  # no piece without a width
    return knots if len(knots) > 2 else none


def _has_long_tails(values: NDArray[np.float64]) -> bool:
    """Whether a few of the sorted values are so far out that the others are nearly equal beside them."""
    low, first, third, high = values[[int(share * (len(values) - 1)) for share in (0.005, 0.25, 0.75, 0.995)]]
    with np.errstate(over="ignore"):
        return bool(third > first and high - low > _LONG * (third - first))


def _quantiles(
    values: NDArray[np.float64], weights: NDArray[np.float64], distinct: NDArray[np.float64], pieces: int
) -> NDArray[np.float64]:
    """Sorted values that divide the weight into equal pieces; all distinct values where there are no more."""
    if len(distinct) <= pieces + 1:
        return distinct
    steps = np.arange(1, pieces) / pieces * weights.sum()
    return values[np.searchsorted(np.cumsum(weights), steps * (1 - 1e-12)).clip(max=len(values) - 1)]


def _thresholds(values: NDArray[np.float64], cuts: NDArray[np.intp]) -> NDArray[np.float64]:
    """The thresholds of a decision tree that splits sorted values there."""
    return 0.5 * values[cuts - 1] + 0.5 * values[cuts]
