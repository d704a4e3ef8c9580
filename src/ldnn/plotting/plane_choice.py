"""Which two columns of a model say most about its decisions."""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..base import DisjunctiveNetworkClassifier
from ._model_view import class_probabilities, column_shares

_CANDIDATES = 7  # columns with the largest importance, of which all pairs are tried
_TRIED = 100  # rows on which a pair is judged,
_OTHERS = 30  # and rows that the other columns are of


def some_rows(rows: NDArray, count: int = _OTHERS) -> NDArray:
    """At most `count` of the rows, at random but always the same ones."""
    if len(rows) <= count:
        return rows
    return rows[np.sort(np.random.default_rng(0).choice(len(rows), count, replace=False))]


def most_faithful_plane(model: DisjunctiveNetworkClassifier, rows: NDArray) -> tuple[int, int]:
    """The two columns on whose plane the mean over the other columns predicts like the model for most rows.

    rows: (n, columns), as the model reads them.
    """
    if rows.shape[1] == 2:
        return 0, 1
    candidates = np.argsort(-column_shares(model, rows), kind="stable")[:_CANDIDATES].tolist()
    tried, others = some_rows(rows, _TRIED), some_rows(rows)
    predicted = class_probabilities(model, tried).argmax(axis=0)

    def agreement(pair: tuple[int, int]) -> tuple[float, float]:
        points = np.repeat(others.astype(np.float64), len(tried), axis=0)
        points[:, pair] = np.tile(tried[:, pair], (len(others), 1))
        mean = class_probabilities(model, points).reshape(-1, len(others), len(tried)).mean(axis=1)
        agreed = float(np.mean(mean.argmax(axis=0) == predicted))
        return agreed, float(mean[predicted, np.arange(len(tried))].mean())

    return max(combinations(candidates, 2), key=agreement)
