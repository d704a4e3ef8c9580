"""Isotonic regression against scikit-learn's."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import isotonic_regression

from ldnn._kernels.isotonic_kernels import make_monotone


@given(st.integers(1, 12), st.integers(1, 9), st.sampled_from([1, -1]), st.integers(0, 2**32 - 1))
def test_the_nearest_monotone_sequences(first, second, sign, seed):
    random = np.random.default_rng(seed)
    given = np.round(random.standard_normal((1 + first + second + 1, 8)), 1).astype(np.float32)  # with ties
    found = given.copy()
    make_monotone(found, np.array([1, 1 + first]), np.array([first, second]), np.array([sign, -sign], np.float32))
    for rows, increasing in ((slice(1, 1 + first), sign == 1), (slice(1 + first, -1), sign != 1)):
        expected = [isotonic_regression(column, increasing=increasing) for column in given[rows].T.astype(float)]
        np.testing.assert_allclose(found[rows].T, expected, atol=1e-6)
        assert (np.diff(found[rows], axis=0) * (1 if increasing else -1) >= 0).all()
    np.testing.assert_array_equal(found[[0, -1]], given[[0, -1]])


def test_weights_that_diverged_do_not_hang():
    parameters = np.array([[np.nan], [np.inf], [-np.inf], [1]], np.float32)
    make_monotone(parameters, np.array([0]), np.array([4]), np.ones(1, np.float32))
    assert not np.isfinite(parameters).all()  # training notices that
