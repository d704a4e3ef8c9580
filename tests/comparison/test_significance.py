"""The tests of differences between classifiers."""

import numpy as np
import pytest
from scipy import stats

from ldnn.comparison.significance import corrected_t_test, holm, mcnemar


def test_mcnemar():
    y = np.zeros(20, int)
    one, other = y.copy(), y.copy()
    one[:2] = 1  # wrong where the other is right
    other[2:10] = 1
    assert mcnemar(y, one, other) == pytest.approx(2 * (1 + 10 + 45) / 2**10)  # at most 2 of 10 coins
    assert mcnemar(y, other, one) == mcnemar(y, one, other)
    assert mcnemar(y, one, one) == 1.0


def test_holm():
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_corrected_t_test():
    one, other = [0.10, 0.12, 0.11, 0.14, 0.13], [0.12, 0.13, 0.15, 0.15, 0.13]
    differences = np.subtract(one, other)
    plain = stats.ttest_rel(one, other)
    statistic = (
        plain.statistic * (1 / 5) ** 0.5 / (1 / 5 + 1 / 4) ** 0.5
    )  # test rows are a quarter of the training rows
    assert corrected_t_test(one, other) == pytest.approx(2 * stats.t.sf(abs(statistic), 4))
    assert corrected_t_test(one, other) > plain.pvalue and differences.mean() < 0
    assert corrected_t_test(one, one) == 1.0 and corrected_t_test([1, 1, 1], [2, 2, 2]) == 0.0
