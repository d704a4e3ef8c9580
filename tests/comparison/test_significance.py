"""The tests of differences between classifiers."""

import numpy as np
import pytest

from ldnn.comparison.significance import holm, mcnemar


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
