"""`importance`: how much each column contributes to the decisions."""

from typing import Any

import numpy as np

from .._model.importances import column_importances
from .._table.checks import matrix_names
from ..base import DisjunctiveNetworkClassifier
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
    shares = column_importances(model._state, model._output_slopes, matrix)
    names = matrix_names(model)
    return {names[k]: float(shares[k]) for k in np.argsort(-shares, kind="stable")}
