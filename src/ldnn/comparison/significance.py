"""Whether two classifiers differ in their errors on the same rows."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest, t


def mcnemar(y_true: NDArray[np.intp], y_pred: NDArray[np.intp], other_y_pred: NDArray[np.intp]) -> float:
    """The p-value of McNemar's exact test: of the rows (n,) for which one of two classifiers is right and the other is
    wrong, how many would favour one of them by chance?
    """
    is_right, is_other_right = y_pred == y_true, other_y_pred == y_true
    first = int(np.count_nonzero(is_right & ~is_other_right))
    second = int(np.count_nonzero(~is_right & is_other_right))
    return float(binomtest(first, first + second).pvalue) if first + second else 1.0


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values of several tests, adjusted by Holm's method: the chance of any false finding stays at the level."""
    adjusted, largest = [0.0] * len(p_values), 0.0
    for place, k in enumerate(np.argsort(p_values, kind="stable").tolist()):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[k]))
        adjusted[k] = largest
    return adjusted


def corrected_t_test(values: Sequence[float], others: Sequence[float]) -> float:
    """The p-value of the corrected resampled t-test of Nadeau and Bengio for two classifiers' values on the same folds.

    Training rows of the folds overlap: the variance of the mean difference is that of independent folds, plus the ratio
    of test rows to training rows times the variance over the folds.
    """
    differences = np.asarray(values) - np.asarray(others)
    count = len(differences)
    variance = float(differences.var(ddof=1)) * (1 / count + 1 / (count - 1))
    if variance == 0:
        return 0.0 if differences.mean() != 0 else 1.0
    return float(2 * t.sf(abs(differences.mean()) / variance**0.5, count - 1))
