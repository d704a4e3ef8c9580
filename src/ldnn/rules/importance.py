"""`importance`: how much each column contributes to the decisions."""

from typing import Any

import numpy as np

from ..base import DisjunctiveNetworkClassifier
from .decomposition import Decomposition
from .extract import read_rows

_SAMPLE = 2000  # rows


def importance(model: DisjunctiveNetworkClassifier, X: Any) -> dict[str, float]:
    """How much each column contributes to the decisions on some rows.

    For each row, what its value in a column (rather than the mean) adds to the half-spaces, times the slope of the
    output along these; the importance is the mean of the absolute values, as a share of one. Products of two columns
    (conic discriminants) are not counted.

    Parameters
    ----------
    model : LDNNClassifier or ModularNetworkClassifier
        Fitted.
    X : array-like or data frame of shape (n_samples, n_features)
        Rows like those that the model is for; at most 2000 of them are used.

    Returns
    -------
    dict
        From the names of the columns to their shares, the largest first.
    """
    matrix = read_rows(model, X)
    if len(matrix) > _SAMPLE:
        matrix = matrix[np.sort(np.random.default_rng(0).choice(len(matrix), _SAMPLE, replace=False))]
    parts = Decomposition.of(model, matrix)
    centred = parts.features - parts.features.mean(axis=1, keepdims=True)
    total = np.zeros(len(parts.schema.names))
    classes = len(parts.weights) // model._state.plan.n_estimators  # networks of one ensemble member
    for k in range(classes):
        followed = np.zeros_like(centred)
        for c in range(k, len(parts.weights), classes):
            slopes = parts.slopes(parts.half_spaces(c)).reshape(len(matrix), -1)
            followed += parts.weights[c].reshape(slopes.shape[1], -1).T @ slopes.T.astype(np.float32)
        total += np.abs(parts.column_sums(followed * centred)).mean(axis=0)
    shares = total / (total.sum() or 1.0)
    return {parts.schema.names[k]: float(shares[k]) for k in np.argsort(-shares, kind="stable")}
