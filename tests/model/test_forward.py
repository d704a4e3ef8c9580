"""The forward pass in NumPy against the paper's equations, and where these underflow."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks import random_network
from scipy.special import expit, logit

from ldnn import reference
from ldnn._model import forward
from ldnn._model.prediction import joint_log_odds

sizes = st.tuples(st.integers(1, 8), st.integers(1, 8), st.integers(1, 5), st.integers(0, 2**32 - 1))


def random_values(size, rows=6):
    """w, b, rows, and z (rows, N, M) of these."""
    N, M, features, seed = size
    random = np.random.default_rng(seed)
    w, b = random.standard_normal((N, M, features)), random.standard_normal((N, M))
    X = random.standard_normal((rows, features))
    return w, b, X, np.einsum("rk,ijk->rij", X, w) + b


@given(sizes)
def test_log_odds_are_those_of_equation_4(size):
    w, b, X, z = random_values(size)
    expected = [reference.network(x, w, b) for x in X]
    np.testing.assert_allclose(expit(forward.log_odds(z)), expected, rtol=1e-9)


@given(sizes)
def test_the_steps_of_equation_4(size):
    w, b, X, z = random_values(size)
    np.testing.assert_allclose(np.exp(forward.log_sigmoid(z)), [reference.sigmoid(x, w, b) for x in X])
    log_g = forward.log_conjunctions(z)
    np.testing.assert_allclose(np.exp(log_g), [reference.conjunctions(x, w, b) for x in X])
    expected = [reference.network(x, w, b) for x in X]
    np.testing.assert_allclose(np.exp(forward.log_not_f(log_g)), 1 - np.array(expected), rtol=1e-6, atol=1e-15)


@given(sizes)
def test_slopes_are_equation_7(size):
    """With y = f - 1/2 the slope of the squared error, 2 (f - y), is 1."""
    w, b, X, z = random_values(size)
    slopes = forward.output_slopes(z)
    for x, found in zip(X, slopes, strict=True):
        np.testing.assert_allclose(
            found, reference.bias_gradient(x, reference.network(x, w, b) - 0.5, w, b), rtol=1e-6, atol=1e-12
        )


@pytest.mark.parametrize("shift", [-800, -200, -60, 0, 17, 60, 200, 800])
def test_log_odds_and_the_kernels_agree_where_products_underflow(random, shift):
    network, w, b = random_network(random, 3, 4, 5)
    network.parameters[0, 5, :12] += shift
    X = random.standard_normal((20, 5)).astype(np.float32)
    b = network.discriminants()[1][0]
    expected = forward.log_odds(np.einsum("rk,ijk->rij", X.astype(float), w) + b)
    assert np.isfinite(expected).all()
    assert np.abs(expected).min() > (0 if shift == 0 else abs(shift) / 2)
    out = np.empty((1, 20))
    joint_log_odds(network, range(1), (X, np.empty((20, 0), np.float32)), out)
    np.testing.assert_allclose(out[0], expected, rtol=1e-5, atol=1e-4)


@given(sizes)
def test_slopes_of_the_modular_output_are_its_derivative(size):
    *_, z = random_values(size)

    def output(z):
        return expit(z.min(axis=2).max(axis=1))

    slopes, step = forward.modular_output_slopes(z), 1e-6
    numerical = np.zeros_like(z)
    for i, j in np.ndindex(z.shape[1:]):
        above, below = z.copy(), z.copy()
        above[:, i, j] += step
        below[:, i, j] -= step
        numerical[:, i, j] = (output(above) - output(below)) / (2 * step)
    np.testing.assert_allclose(slopes, numerical, atol=1e-5)


@given(st.integers(1, 5), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_the_mean_of_members_is_the_plain_mean_of_f(members, classes, seed):
    log_odds = 3 * np.random.default_rng(seed).standard_normal((members, classes, 10))
    np.testing.assert_allclose(forward.mean_log_odds(log_odds), logit(expit(log_odds).mean(axis=0)), rtol=1e-9)


def test_the_mean_of_members_is_right_where_f_underflows():
    """f = (e**-1000 + e**-1002) / 2, and the same for 1 - f."""
    log_odds = np.array([[[-1000.0, 1000.0]], [[-1002.0, 1002.0]]])
    expected = -1000 + np.log((1 + np.exp(-2)) / 2)
    np.testing.assert_allclose(forward.mean_log_odds(log_odds), [[expected, -expected]], rtol=1e-12)


def test_predicted_classes():
    assert forward.predicted_classes(np.array([[-1.0, 0.0, 2.0]])).tolist() == [0, 0, 1]
    assert forward.predicted_classes(np.array([[-1.0, 5.0], [-2.0, 6.0], [-0.5, 5.5]])).tolist() == [2, 1]


def test_one_network_is_enough_for_two_classes():
    assert forward.positive_classes(2) == [1]
    assert forward.positive_classes(3) == [0, 1, 2]
