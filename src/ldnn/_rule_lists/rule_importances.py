"""How much the decisions of a rule list depend on each column."""

import numpy as np
from numpy.typing import NDArray

from .rule_model import ColumnRule, predicted_classes

_PAIRS = 5_000  # of rows


def rule_importances(
    rules: list[ColumnRule], default: int, matrix: NDArray, weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The share of each column, (F,), in the decisions about the rows of a matrix (n, F) with weights (n,).

    How many rows change their class if they get the value that another row has in that column, for pairs of rows that
    are drawn at random; normalised to a sum of 1, or zeros if no class ever changes.
    """
    changes = np.zeros(matrix.shape[1])
    used = sorted({column for rule in rules for condition in rule.conditions for column in condition.columns})
    if not used:
        return changes
    drawn = np.random.default_rng(0).choice(len(matrix), (2, _PAIRS), p=weights / weights.sum())
    rows, others = matrix[drawn[0]], matrix[drawn[1]]
    before = predicted_classes(rules, default, rows)
    for column in used:
        own = rows[:, column].copy()
        rows[:, column] = others[:, column]
        changes[column] = np.mean(predicted_classes(rules, default, rows) != before)
        rows[:, column] = own
    return changes / (changes.sum() or 1.0)
