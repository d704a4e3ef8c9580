"""The compiled forward pass of one row, piece by piece, against the paper's equations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks import f32, random_network
from numba import njit
from scipy.special import expit

from ldnn import reference
from ldnn._kernels import gate_kernels
from ldnn._model.network import Network, basis_features


@njit
def exponentials(z, e):
    gate_kernels.exponentials(z, e)


@njit
def affine(X, row, parameters, z):
    gate_kernels.affine(X, row, parameters, z)


@njit
def add_knots(positions, bases, row, offsets, shares, parameters, z):
    count = gate_kernels.touched_knots(positions, bases, row, z.shape[0], offsets, shares)
    gate_kernels.add_knots(offsets, shares, count, parameters, z)
    return count


@njit
def gates(e, N, M, ratios):
    return gate_kernels.gates(e, N, M, ratios)


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


@given(st.integers(1, 20), st.integers(1, 20), st.integers(0, 11), st.integers(0, 2**32 - 1))
def test_affine_is_every_w_x_plus_b(N, M, features, seed):
    random = np.random.default_rng(seed)
    network, w, b = random_network(random, N, M, features)
    X = random.standard_normal((3, features)).astype(f32)
    z = network.workspace()[0]
    affine(X, 1, network.parameters[0], z)
    np.testing.assert_allclose(z[: N * M].reshape(N, M), w @ X[1].astype(float) + b, rtol=1e-4, atol=1e-5)


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_knots_are_added_by_their_shares(N, M, seed):
    """Five knots on two levels, three categories, a missing indicator; positions on, between and without knots."""
    random = np.random.default_rng(seed)
    bases = np.array([[3, 5, 2], [11, 3, 1], [14, 1, 1]], np.int32)
    w, b = random.standard_normal((N, M, 2 + 12)), random.standard_normal((N, M))
    network = Network.from_discriminants([(w, b)], bases, 2)
    positions = np.array([[random.uniform(0, 4), 2, -1], [4, -1, 0], [-1, -1, -1], [3, 0, 0]], f32)
    z, _, _, shares, offsets = network.workspace()
    for row, touched in enumerate([4 + 1, 2 + 1, 0, 3 + 1 + 1]):
        z[:] = 0
        assert add_knots(positions, bases, row, offsets, shares, network.parameters[0], z) == touched
        expected = w[..., 2:] @ basis_features(positions[row : row + 1], bases)[0]
        np.testing.assert_allclose(z[: N * M].reshape(N, M), expected, rtol=1e-4, atol=1e-5)


@given(st.integers(1, 20), st.integers(1, 20), st.floats(-3, 3), st.integers(0, 2**32 - 1))
def test_gates_are_equation_4(N, M, shift, seed):
    """f, 1 - f, and g_i / (1 - g_i) for all sizes: whole vectors of eight and what is left of them."""
    z = np.random.default_rng(seed).standard_normal((N, M)) + shift
    _, e, ratios, *_ = Network.from_discriminants([(np.zeros((N, M, 1)), z)]).workspace()
    e[:] = 1e30  # what is beyond N * M does not matter
    e[: N * M] = np.exp(-z).ravel()
    f, not_f = gates(e, N, M, ratios)
    g = reference.conjunctions(np.zeros(1), np.zeros((N, M, 1)), z)
    expected = reference.network(np.zeros(1), np.zeros((N, M, 1)), z)
    assert f == pytest.approx(expected, rel=1e-5, abs=1e-12)
    assert not_f == pytest.approx(np.prod(1 - g), rel=1e-5)
    np.testing.assert_allclose(ratios[:N], g / (1 - g), rtol=1e-5)


def test_gates_do_not_lose_what_is_near_1():
    """1 - f = (1 - g)**2 is 4e-16, where g is 1 in float32."""
    z = np.full((2, 2), 17.5)
    _, e, ratios, *_ = Network.from_discriminants([(np.zeros((2, 2, 1)), z)]).workspace()
    e[:4] = np.exp(-z).ravel()
    f, not_f = gates(e, 2, 2, ratios)
    not_g = 1 - expit(17.5) ** 2
    assert f == 1
    assert not_f == pytest.approx((expit(-17.5) * (1 + expit(17.5))) ** 2, rel=1e-5)
    np.testing.assert_allclose(ratios[:2], (1 - not_g) / not_g, rtol=1e-5)
