"""`importance`: how much each column contributes to the decisions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._model.importances import column_importances
from .._rule_lists.rule_importances import rule_importances
from .._table.checks import matrix_names
from ..base import DisjunctiveNetworkClassifier
from ..rule_classifier import RuleClassifier
from .extract import read_rows

_SAMPLE = 2000  # rows


def importance(model: DisjunctiveNetworkClassifier | RuleClassifier, X: Any) -> dict[str, float]:
    """How much each column contributes to the decisions on some rows.

    For each row, the change of the half-spaces if its value in a column is replaced by the mean, times the slope of the
    output along them. The importance is the mean of the absolute values, normalised to sum to 1. Products of two
    columns (conic discriminants) are not counted. Of a `RuleClassifier`: the share of the rows whose predicted class
    changes if they get the value that another row has in a column, normalised likewise.

    Parameters
    ----------
    model : LDNNClassifier, ModularNetworkClassifier or RuleClassifier
        Fitted.
    X : array-like or data frame of shape (n_samples, n_features)
        Rows on which to measure; at most 2000 of them are used, of a `RuleClassifier` 5000 pairs.

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
    if isinstance(model, RuleClassifier):
        matrix, state = model._matrix(X), model._fitted()
        return _by_name(model, rule_importances(state.rules, state.default, matrix, np.ones(len(matrix))))
    matrix = read_rows(model, X)
    if len(matrix) > _SAMPLE:
        matrix = matrix[np.sort(np.random.default_rng(0).choice(len(matrix), _SAMPLE, replace=False))]
    return _by_name(model, column_importances(model._state, model._output_slopes, matrix))


def _by_name(model: Any, shares: NDArray[np.float64]) -> dict[str, float]:
    names = matrix_names(model)
    return {names[k]: float(shares[k]) for k in np.argsort(-shares, kind="stable")}
