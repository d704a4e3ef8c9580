"""Labels without noise: what a random forest predicts for rows that its trees have not seen.

A short list of rules that fits these probabilities predicts new rows better than one that fits the labels of few and
noisy rows, since it does not follow single labels.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

IN_ALL = -1  # instead of the number of a fold
_TREES = 40  # of a forest; there is one for each fold
_LEAF = 3  # rows of a leaf, at least
_MOST_ROWS = 4000  # of a tree
_MOST_COPIES = 10  # that a row stands for on average
_LARGEST = 1e25  # number in a column that needs no scaling
_ABSENT = -1e30  # a missing value, below all others


class SmoothedLabels:
    """Class probabilities of rows from forests that were each fitted without one fold of the rows.

    folds: (n,) the fold of each row; `IN_ALL` for a row that stands for many copies, and keeps its label. report:
    called with the share of the forests that are fitted.
    """

    def __init__(self, X: NDArray, y: NDArray[np.int32], weights: NDArray[np.float64], n_classes: int,
                 folds: NDArray[np.intp], seed: int, n_jobs: int | None, report: Callable[[float], None]):  # fmt: skip
        numbers, labels = _without_missing(X), np.eye(n_classes)[y]
        self._by_fold = []
        n_folds = int(folds.max()) + 1
        for k in range(n_folds):
            inside = folds != k
            forest = _fitted_forest(numbers[inside], y[inside], weights[inside], seed + k, n_jobs)
            found = labels.copy()
            found[np.ix_(~inside, forest.classes_)] = forest.predict_proba(numbers[~inside])
            out_of_bag = np.atleast_2d(forest.oob_decision_function_)
            is_known = np.isfinite(out_of_bag).all(axis=1) & (out_of_bag.sum(axis=1) > 0)
            found[np.ix_(np.flatnonzero(inside)[is_known], forest.classes_)] = out_of_bag[is_known]
            found[folds == IN_ALL] = labels[folds == IN_ALL]
            self._by_fold.append(found)
            report((k + 1) / n_folds)

    def without_fold(self, k: int) -> NDArray[np.float64]:
        """Probabilities (n, n_classes) that depend on no label of fold k; for rows of other folds, not on their own."""
        return self._by_fold[k]

    def of_all(self) -> NDArray[np.float64]:
        """Probabilities (n, n_classes) from all forests."""
        return np.mean(self._by_fold, axis=0)


def _fitted_forest(X: NDArray, y: NDArray, weights: NDArray, seed: int, n_jobs: int | None) -> Any:
    """A forest whose trees draw as many rows as the weights add up to: these are numbers of copies. In another unit,
    such as people for each row, that would be none, or billions: then trees draw as many rows as there are.
    """
    from sklearn.ensemble import RandomForestClassifier

    mean = weights.mean()
    weights = weights if 1 <= mean <= _MOST_COPIES else weights / mean
    forest = RandomForestClassifier(
        _TREES,
        min_samples_leaf=_LEAF,
        max_samples=min(1.0, _MOST_ROWS / len(y)),
        oob_score=True,
        random_state=seed,
        n_jobs=n_jobs,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # rows that all trees were fitted to
        warnings.simplefilter("ignore", RuntimeWarning)
        forest.fit(X, y, sample_weight=weights)
    return forest.set_params(n_jobs=1)  # threads would add up the predictions of the trees in the order that they end


def _without_missing(X: NDArray) -> NDArray[np.float32]:
    """Missing values as a number below all others. Columns of numbers that float32 cannot hold are divided by their
    largest one.
    """
    largest = np.abs(np.where(np.isnan(X), 0.0, X)).max(axis=0)
    factors = np.where((largest > 0) & ((largest > _LARGEST) | (largest < 1 / _LARGEST)), largest, 1.0)
    return np.where(np.isnan(X), _ABSENT, X / factors).astype(np.float32)
