"""Mod-N: every discriminant learns alone, and the output is max_i min_j sigma_ij."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks import f32, half_spaces, piecewise_network, piecewise_rows
from scipy.special import expit

from ldnn._kernels import modular_kernels
from ldnn._model.network import Network, basis_features
from ldnn._model.prediction import modular_log_odds


def train_modular(network, X, positions, y, clusters, *, loss="squared", momentum=0.0, learning_rate=0.3, weights=None):
    outputs = np.zeros(len(X), f32)
    total = modular_kernels.train_modular(
        **network.kernel_arguments(0, X, positions),
        y=np.asarray(y, np.int32),
        positive=1,
        low=f32(0.1),
        high=f32(0.9),
        instance_weights=np.ones(len(X), f32) if weights is None else weights,
        clusters=clusters,
        order=np.arange(len(X), dtype=np.int32),
        velocity=network.velocity[0],
        is_log_loss=loss == "log",
        learning_rate=f32(learning_rate),
        momentum=f32(momentum),
        outputs=outputs,
    )
    return outputs, total


def test_output_is_the_largest_of_the_smallest(random):
    network, w, b = piecewise_network(random)
    X, positions = piecewise_rows(random)
    features = np.concatenate([X, basis_features(positions, network.bases)], axis=1)
    out = np.empty((1, len(X)))
    modular_log_odds(network, range(1), (X, positions), out)
    z = np.einsum("rk,ijk->rij", features, w) + b
    np.testing.assert_allclose(out[0], z.min(axis=2).max(axis=1), rtol=1e-4, atol=1e-4)


@given(st.integers(1, 6), st.integers(1, 6), st.sampled_from(["squared", "log"]), st.sampled_from([0.0, 0.5]),
       st.integers(0, 2**32 - 1))  # fmt: skip
def test_each_discriminant_is_a_logistic_regression_on_its_pair_of_clusters(N, M, loss, momentum, seed):
    """Squared error or cross-entropy of sigma_ij alone, on the rows of positive cluster i and negative cluster j."""
    random = np.random.default_rng(seed)
    network, w, b = piecewise_network(random, N, M)
    X, positions = piecewise_rows(random, 20)
    y = random.integers(0, 2, 20)
    clusters = np.where(y == 1, random.integers(0, N, 20), random.integers(0, M, 20))
    weights = random.uniform(0.5, 2, 20).astype(f32)
    features = np.concatenate([X, basis_features(positions, network.bases)], axis=1)
    outputs, total = train_modular(network, X, positions, y, clusters, loss=loss, momentum=momentum, weights=weights)
    expected_total, vw, vb = 0.0, np.zeros_like(w), np.zeros_like(b)
    for r in range(20):
        z = w @ features[r] + b
        assert outputs[r] == pytest.approx(expit(z.min(axis=1).max()), rel=1e-3, abs=1e-6)
        target = 0.9 if y[r] == 1 else 0.1
        own = (clusters[r], slice(None)) if y[r] == 1 else (slice(None), clusters[r])
        sigma = expit(z[own])
        slope = sigma - target if loss == "log" else 2 * (sigma - target) * sigma * (1 - sigma)
        losses = -target * np.log(sigma) - (1 - target) * np.log1p(-sigma) if loss == "log" else (sigma - target) ** 2
        expected_total += weights[r] * losses.sum()
        change = -0.3 * weights[r] * slope
        # The velocities of knots that the row does not touch stay as they are.
        touched = np.append(np.ones(2, bool), features[r][2:] > 0)
        step = momentum * vw[own] + change[..., None] * features[r]
        vw[own] = np.where(touched, step, vw[own])
        vb[own] = momentum * vb[own] + change
        w[own] = w[own] + np.where(touched, vw[own], 0)
        b[own] = b[own] + vb[own]
    w_new, b_new = half_spaces(network)
    np.testing.assert_allclose(w_new, w, rtol=2e-3, atol=5e-5)
    np.testing.assert_allclose(b_new, b, rtol=2e-3, atol=5e-5)
    assert total == pytest.approx(expected_total, rel=1e-3)


def test_rows_of_other_clusters_do_not_move_a_discriminant(random):
    w, b = random.standard_normal((2, 3, 2)).astype(f32).astype(float), np.zeros((2, 3))
    network = Network.from_discriminants([(w, b)])
    X, no_positions = random.standard_normal((2, 2)).astype(f32), np.empty((2, 0), f32)
    train_modular(network, X, no_positions, [1, 0], np.array([1, 2]))
    has_moved = (half_spaces(network)[1] != b).tolist()
    assert has_moved == [[False, False, True], [True, True, True]]
