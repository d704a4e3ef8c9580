"""Importance: how much the columns of a wide table tell about the classes, alone or together."""

import numpy as np
from numpy.typing import NDArray

_SAMPLE = 2_000  # rows are enough
_TREES, _FEW_TREES = 30, 10
_WIDE = 50  # columns; below, few trees are enough
_COMPETING = 0.3  # of the columns, for each split
_LEAST_LEAF = 5  # rows


def importances(
    X: NDArray, y: NDArray[np.int32], rows: NDArray[np.intp], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The share of each column of X (n, F) in the decrease of impurity by a forest of extremely randomised trees, (F,).

    A column that tells something only beside others, such as one of the factors of a product, counts, too. Values are
    replaced by their ranks, so that long tails do not matter; missing values are the largest. y and weights belong to
    `rows`; an evenly spaced sample of them is used.
    """
    from sklearn.ensemble import ExtraTreesClassifier

    sample = np.linspace(0, len(rows) - 1, min(len(rows), _SAMPLE)).astype(np.intp)
    ranks = np.empty((len(sample), X.shape[1]), dtype=np.float32)
    for k in range(X.shape[1]):
        ranks[:, k] = np.unique(X[rows[sample], k], return_inverse=True)[1]
    trees = _TREES if X.shape[1] >= _WIDE else _FEW_TREES
    forest = ExtraTreesClassifier(
        trees, max_features=_COMPETING, min_samples_leaf=_LEAST_LEAF, random_state=0, n_jobs=1
    )
    forest.fit(ranks, y[sample], sample_weight=weights[sample] / weights[sample].mean())
    return forest.feature_importances_
