"""The compiled loops over the user's numbers. Positions are also tested with the encoder, splits with the trees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldnn._kernels import encoding_kernels
from ldnn._kernels.encoding_kernels import MISSING, ONE_HOT, PIECEWISE


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_normalised_numbers_are_shifted_scaled_limited_and_never_missing(dtype):
    X = np.array([[1.0, 5.0], [np.nan, -np.inf], [1e30, np.inf], [-1e30, 7.0]], dtype)
    out = np.empty((4, 2), np.float32)
    encoding_kernels.normalize(X, np.array([1.0, 3.0]), np.array([10.0, 0.5]), 1e15, out)
    np.testing.assert_array_equal(out, np.array([[0, 1], [0, -1e15], [1e15, 1e15], [-1e15, 2]], np.float32))


def test_each_basis_reads_its_own_column_and_knots():
    X = np.array([[5.0, 2.0], [np.nan, np.nan], [40.0, 3.0], [-1.0, 1.0]])
    columns, kinds = np.array([0, 1, 0, 1]), np.array([PIECEWISE, ONE_HOT, MISSING, PIECEWISE])
    knots = np.array([0.0, 10.0, 30.0, 2.0, 4.0, np.nan, 1.0, 2.0])
    out = np.empty((4, 4), np.float32)
    encoding_kernels.find_positions(X, columns, kinds, np.array([0, 3, 5, 6, 8]), knots, out)
    np.testing.assert_array_equal(out, [[0.5, 0, -1, 1], [-1, -1, 0, -1], [2, -1, -1, 1], [0, -1, -1, 0]])


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2), st.floats(0.1, 5)), min_size=2, max_size=25))
def test_the_best_cut_lowers_the_impurity_most(rows):
    """Against all cuts between different values, counted out."""
    values, y, weights = (np.array(column) for column in zip(*sorted(rows), strict=True))
    values, y = values.astype(float), y.astype(np.int32)
    least = 0.1 * weights.sum()

    def impurity(part):
        of_classes = np.bincount(y[part], weights=weights[part], minlength=3)
        return of_classes.sum() - (of_classes**2).sum() / of_classes.sum()

    everything = impurity(slice(None))
    gains = {
        cut: everything - impurity(slice(cut)) - impurity(slice(cut, None))
        for cut in range(1, len(values))
        if values[cut - 1] < values[cut] and least + 1e-9 < weights[:cut].sum() < weights.sum() - least - 1e-9
    }
    cut, gain = encoding_kernels.best_cut(values, y, weights, 0, len(values), least, np.empty(3), np.empty(3))
    if gain > 1e-9 and cut in gains:
        assert gain == pytest.approx(gains[cut], abs=1e-9)
    assert gain >= max(gains.values(), default=0) - 1e-9
    assert values[cut - 1] < values[cut] if cut < len(values) else gain == 0


def test_only_the_rows_of_a_leaf_count():
    values, y, weights = np.arange(10.0), np.array([1, 1, 0, 0, 1, 1, 1, 0, 0, 0], np.int32), np.ones(10)
    cut, gain = encoding_kernels.best_cut(values, y, weights, 2, 7, 1.0, np.empty(2), np.empty(2))
    assert cut == 4
    assert gain == pytest.approx(5 - (2**2 + 3**2) / 5)
