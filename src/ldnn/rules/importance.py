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

    For each row, the change of the half-spaces if its value in a column is replaced by the mean, times the slope of the
    output along them. The importance is the mean of the absolute values, normalised to sum to 1. Products of two
    columns (conic discriminants) are not counted.

    Parameters
    ----------
    model : LDNNClassifier or ModularNetworkClassifier
        Fitted.
    X : array-like or data frame of shape (n_samples, n_features)
        Rows on which to measure; at most 2000 of them are used.

    Returns
    -------
    dict
        The importance by column name, the largest first.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ldnn import LDNNClassifier
    >>> from ldnn.rules import importance
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = LDNNClassifier(2, 2, max_epochs=20, random_state=0).fit(X, y)
    >>> round(sum(importance(model, X).values()), 6)
    1.0
    """
    matrix = read_rows(model, X)
    if len(matrix) > _SAMPLE:
        matrix = matrix[np.sort(np.random.default_rng(0).choice(len(matrix), _SAMPLE, replace=False))]
    shares = column_importances(model._state, model._output_slopes, matrix)
    names = matrix_names(model)
    return {names[k]: float(shares[k]) for k in np.argsort(-shares, kind="stable")}
