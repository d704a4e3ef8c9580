"""Univariate gain: how much each column of a wide table tells about the classes by itself."""

import numpy as np
from numpy.typing import NDArray

from .column_tree import split_positions

_SAMPLE = 2_000  # rows are enough
_LEAVES = 4  # of a tree on one column: it also sees classes that lie in the middle or at both ends


def univariate_gains(
    X: NDArray,
    y: NDArray[np.int32],
    rows: NDArray[np.intp],
    weights: NDArray[np.float64],
    is_category: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """The decrease of the weighted Gini impurity when rows are grouped by one column, for each column of X (n, F).

    Rows are grouped by the categories of a column, or by the leaves of a small decision tree; the decrease that chance
    would give is subtracted. y and weights belong to `rows`; an evenly spaced sample of them is used. Shape (F,).
    """
    sample = np.linspace(0, len(rows) - 1, min(len(rows), _SAMPLE)).astype(np.intp)
    rows, y, weights = rows[sample], y[sample], weights[sample] / weights[sample].mean()
    impurity = _impurity(y, weights)
    gains = np.empty(X.shape[1])
    for k in range(X.shape[1]):
        groups = _groups(X[rows, k].astype(np.float64), y, weights, bool(is_category[k]))
        members = [groups == g for g in np.unique(groups)]
        within = sum(_impurity(y[is_member], weights[is_member]) for is_member in members)
        # Chance takes away about the mean impurity of a row, for each group but the first.
        gains[k] = impurity - within - (len(members) - 1) * impurity / len(rows)
    return gains


def _groups(
    values: NDArray[np.float64], y: NDArray[np.int32], weights: NDArray[np.float64], is_category: bool
) -> NDArray[np.intp]:
    """The group of each row: its category, or its leaf; missing values are a group of their own."""
    if is_category:
        return np.unique(values, return_inverse=True)[1]
    order = np.argsort(values, kind="stable")  # missing values come last
    present = order[: len(order) - np.count_nonzero(np.isnan(values))]
    cuts = split_positions(values[present], y[present], weights[present], _LEAVES)
    groups = np.empty(len(values), dtype=np.intp)
    groups[order] = np.searchsorted(np.sort([*cuts, len(present)]), np.arange(len(values)), side="right")
    return groups


def _impurity(y: NDArray[np.int32], weights: NDArray[np.float64]) -> float:
    """W - sum_c W_c**2 / W, with W_c the weight of class c."""
    of_classes = np.bincount(y, weights=weights)
    total = of_classes.sum()
    return float(total - (of_classes**2).sum() / total) if total > 0 else 0.0
