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
    from sklearn import config_context
    from sklearn.tree import ExtraTreeClassifier

    sample = np.linspace(0, len(rows) - 1, min(len(rows), _SAMPLE)).astype(np.intp)
    ranks = np.empty((len(sample), X.shape[1]), dtype=np.float32)
    for k in range(X.shape[1]):
        ranks[:, k] = np.unique(X[rows[sample], k], return_inverse=True)[1]
    own_y, own_weights = y[sample], weights[sample] / weights[sample].mean()
    generator = np.random.RandomState(0)
    found = []
    # A forest of scikit-learn, tree by tree: its checks and copies of parameters take longer than the trees.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for _ in range(_TREES if X.shape[1] >= _WIDE else _FEW_TREES):
            tree = ExtraTreeClassifier(
                max_features=_COMPETING, min_samples_leaf=_LEAST_LEAF, random_state=generator.randint(2**31 - 1)
            )
            tree.fit(ranks, own_y, sample_weight=own_weights, check_input=False)
            if tree.tree_.node_count > 1:
                found.append(tree.feature_importances_)
    total = np.mean(found, axis=0) if found else np.zeros(X.shape[1])
    return total / total.sum() if found else total
