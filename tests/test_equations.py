"""The compiled forward pass, and the initial half-spaces, against the paper's equations."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks import f32, random_network
from numba import njit
from scipy.special import expit

from ldnn import kernels, reference
from ldnn.initialize import start_from_centroids
from ldnn.training import Joint

sizes = st.tuples(st.integers(1, 20), st.integers(1, 20), st.integers(1, 40), st.integers(0, 2**32 - 1))


@njit
def exponentials(z, e):
    kernels.exponentials(z, e)


def log_odds(network, X):
    out = np.empty(len(X))
    Joint().log_odds(network, 0, (np.ascontiguousarray(X, f32), np.empty((len(X), 0), f32)), out)
    return out


@given(sizes)
def test_output_is_equation_4(size):
    N, M, features, seed = size
    random = np.random.default_rng(seed)
    network, w, b = random_network(random, N, M, features)
    X = random.standard_normal((5, features)).astype(f32)
    expected = [reference.network(x.astype(float), w, b) for x in X]
    np.testing.assert_allclose(expit(log_odds(network, X)), expected, rtol=2e-5, atol=1e-9)


def test_sharp_network_is_the_disjunctive_normal_form(random):
    """Equations (1) and (2) are what (4) becomes when the weights grow."""
    network, w, b = random_network(random, 3, 4, 2)
    network.parameters *= 1e4
    X = random.standard_normal((500, 2)).astype(f32)
    expected = [reference.disjunctive_normal_form(x, w, b) for x in X]
    assert 0 < np.mean(expected) < 1
    np.testing.assert_array_equal(log_odds(network, X) > 0, np.array(expected) == 1)


def test_half_space_includes_its_boundary():
    w, b = np.array([[[1.0, -1.0]]]), np.array([[0.0]])
    assert reference.half_space(np.array([2.0, 2.0]), w, b) == 1
    assert reference.half_space(np.array([2.0, 2.1]), w, b) == 0


def test_exponentials_keep_all_digits():
    z = np.linspace(-79.9, 79.9, 8 * 5000).astype(f32)
    e = np.empty_like(z)
    exponentials(z, e)
    np.testing.assert_allclose(e, np.exp(-z.astype(float)), rtol=2.5e-7)


def test_exponentials_of_extreme_values_are_positive_and_finite():
    z = np.array([np.inf, -np.inf, 1e30, -1e30, 1e4, -1e4, 0, -0.0], f32)
    e = np.empty_like(z)
    exponentials(z, e)
    assert (e > 1e-37).all()
    assert np.isfinite(e).all()
    np.testing.assert_array_equal(e[6:], 1)


@pytest.mark.parametrize("shift", [0, 10, 30, 60, 200, 2000])
@pytest.mark.parametrize("sign", [-1, 1])
def test_log_odds_far_from_the_boundary(random, shift, sign):
    """f and 1 - f underflow, in float32 and then in float64, but the log-odds are right."""
    N, M = 3, 4
    network, w, b = random_network(random, N, M, 5)
    b = b + sign * shift
    network.parameters[0, 5, : N * M] = b.ravel()
    b = network.discriminants()[1][0]
    X = random.standard_normal((20, 5)).astype(f32)
    z = np.einsum("rk,ijk->rij", X.astype(float), w) + b
    expected = exact_log_odds(z)
    np.testing.assert_allclose(log_odds(network, X), expected, rtol=1e-5, atol=1e-4)


def exact_log_odds(z):
    """log f - log(1 - f) in decimal numbers of 50 digits and any exponent, by sums of positive terms only."""
    result = []
    with localcontext(prec=50, Emin=-(10**6), Emax=10**6):
        for row in z:
            f, not_f = Decimal(0), Decimal(1)
            for conjunction in row:
                g, not_g = Decimal(1), Decimal(0)
                for value in conjunction:
                    e = (-Decimal(value)).exp()
                    not_g += g * e / (1 + e)
                    g /= 1 + e
                f += g * not_f
                not_f *= not_g
            result.append(float(f.ln() - not_f.ln()))
    return np.array(result)


@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 10), st.integers(0, 2**32 - 1))
def test_initial_discriminants_are_one_half_at_the_midpoints(N, M, features, seed):
    random = np.random.default_rng(seed)
    plus, minus = 10 * random.standard_normal((N, features)), 10 * random.standard_normal((M, features))
    start = start_from_centroids(plus, minus)
    for i in range(N):
        for j in range(M):
            midpoint = (plus[i] + minus[j]) / 2
            assert reference.sigmoid(midpoint, start.weights, start.biases)[i, j] == pytest.approx(0.5)
            assert np.linalg.norm(start.weights[i, j]) == pytest.approx(1)
            assert reference.sigmoid(plus[i], start.weights, start.biases)[i, j] > 0.5
    w, b = reference.discriminants(plus, minus)
    np.testing.assert_allclose(start.weights, w)
    np.testing.assert_allclose(start.biases, b, atol=1e-12)


@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 10), st.floats(0.1, 50), st.integers(0, 2**32 - 1))
def test_limited_discriminants_are_no_steeper_at_their_centroids(N, M, features, limit, seed):
    random = np.random.default_rng(seed)
    plus, minus = 10 * random.standard_normal((N, features)), 10 * random.standard_normal((M, features))
    start, unlimited = start_from_centroids(plus, minus, limit), start_from_centroids(plus, minus)
    at_centroids = np.einsum("ijk,ik->ij", start.weights, plus) + start.biases
    before = np.einsum("ijk,ik->ij", unlimited.weights, plus) + unlimited.biases
    np.testing.assert_allclose(at_centroids, np.minimum(before, limit), rtol=1e-9, atol=1e-9)
    is_gentle = before <= limit
    np.testing.assert_array_equal(start.weights[is_gentle], unlimited.weights[is_gentle])


def test_coinciding_centroids_give_a_flat_half_space():
    start = start_from_centroids(np.ones((1, 3)), np.ones((1, 3)))
    assert (start.weights == 0).all() and (start.biases == 0).all()
