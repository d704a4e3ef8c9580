"""How much each column tells about the classes by itself: in a wide table, few may be worth looking at."""

import numpy as np
from numpy.typing import NDArray

from .knots import grow

_SAMPLE = 2_000  # rows tell enough
_LEAVES = 4  # of a decision tree of one column: it also sees classes that lie in between or at both ends


def telling(
    X: NDArray,
    codes: NDArray[np.int32],
    rows: NDArray[np.intp],
    weights: NDArray[np.float64],
    is_category: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """For each column of X (n, F), how much impurity (Gini's, times weight) goes where rows are grouped by it: by its
    categories, or by the leaves of a small decision tree; less what a column of chance would take away. Shape (F,).

    codes and weights are those of `rows`; only some of these are looked at, evenly spread.
    """
    some = np.linspace(0, len(rows) - 1, min(len(rows), _SAMPLE)).astype(np.intp)
    rows, codes, weights = rows[some], codes[some], weights[some] / weights[some].mean()
    impurity = _impurity(codes, weights)
    gains = np.empty(X.shape[1])
    for k in range(X.shape[1]):
        values = X[rows, k].astype(np.float64)
        if is_category[k]:
            groups = np.unique(values, return_inverse=True)[1]
        else:
            order = np.argsort(values, kind="stable")  # missing values come last: a group of their own
            known = order[: len(order) - np.count_nonzero(np.isnan(values))]
            cuts = grow(values[known], codes[known], weights[known], _LEAVES)
            groups = np.empty(len(rows), dtype=np.intp)
            groups[order] = np.searchsorted(np.sort([*cuts, len(known)]), np.arange(len(rows)), side="right")
        members = [groups == g for g in np.unique(groups)]
        within = sum(_impurity(codes[is_member], weights[is_member]) for is_member in members)
        # Chance takes away about the mean impurity of a row, for each group more than one.
        gains[k] = impurity - within - (len(members) - 1) * impurity / len(rows)
    return gains


def _impurity(codes: NDArray[np.int32], weights: NDArray[np.float64]) -> float:
    """W - sum_c W_c**2 / W, with W_c the weight of class c."""
    of_classes = np.bincount(codes, weights=weights)
    total = of_classes.sum()
    return float(total - (of_classes**2).sum() / total) if total > 0 else 0.0
