"""The layout of the networks."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import f32, piecewise_network, piecewise_rows, random_network, train
from scipy.special import expit

from ldnn import reference
from ldnn._encoding.bases import level_sizes
from ldnn._model.network import LARGEST, Network, basis_features, parameters_mapped_back
from ldnn._model.prediction import joint_log_odds, modular_log_odds


def outputs(network, c, X, of_network=joint_log_odds):
    out = np.empty((1, len(X)))
    of_network(network, range(c, c + 1), (X, np.empty((len(X), 0), f32)), out)
    return out[0]


@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 10), st.integers(0, 2**32 - 1))
def test_discriminants_come_back_as_they_were_given(N, M, features, seed):
    network, w, b = random_network(np.random.default_rng(seed), N, M, features)
    weights, biases = network.discriminants()
    np.testing.assert_array_equal(weights, w[None])
    np.testing.assert_array_equal(biases, b[None])
    assert not network.velocity.any()


def test_discriminants_with_bases_come_back_too(random):
    network, w, b = piecewise_network(random)
    weights, biases = network.discriminants()
    np.testing.assert_array_equal(weights[0], w)
    np.testing.assert_array_equal(biases[0], b)
    np.testing.assert_array_equal(network.parameters[0, 2, :12], b.ravel())  # after the two numbers


def test_smaller_networks_are_filled_up_without_changing_their_outputs(random):
    """For LDNN and Mod-N, before training; training does not move what was filled up."""
    sizes = [(2, 3), (4, 1), (1, 5)]
    pairs = [random_network(random, N, M, 3)[1:] for N, M in sizes]
    network = Network.from_discriminants(pairs)
    assert (network.N, network.M) == (4, 5)
    assert network.sizes.tolist() == [list(size) for size in sizes]
    X = random.standard_normal((30, 3)).astype(f32)
    for c, (w, b) in enumerate(pairs):
        expected = [reference.network(x.astype(float), w, b) for x in X]
        np.testing.assert_allclose(expit(outputs(network, c, X)), expected, rtol=2e-5)
        z = np.einsum("rk,ijk->rij", X.astype(float), w) + b
        np.testing.assert_allclose(
            outputs(network, c, X, modular_log_odds), z.min(axis=2).max(axis=1), rtol=1e-4, atol=1e-5
        )
    before = network.discriminants()
    train(network, X, random.integers(0, 2, 30), learning_rate=1.0)
    after = network.discriminants()
    is_real = np.zeros((4, 5), bool)
    is_real[:2, :3] = True
    for one, other in zip(before, after, strict=True):
        np.testing.assert_allclose(one[0][~is_real], other[0][~is_real], atol=1e-30)  # e**-80, limited
        assert (one[0][is_real] != other[0][is_real]).any()


def test_a_copy_is_trained_alone(random):
    network, w, _ = random_network(random, 2, 3, 4)
    copied = network.copy()
    train(copied, random.standard_normal((20, 4)), random.integers(0, 2, 20), momentum=0.5)
    np.testing.assert_array_equal(network.discriminants()[0][0], w)
    assert not network.velocity.any()
    assert copied.velocity.any()
    assert not np.array_equal(copied.parameters, network.parameters)


def test_parts_cannot_be_assigned(random):
    network, _, _ = random_network(random, 2, 2, 2)
    with pytest.raises(FrozenInstanceError):
        network.parameters = network.parameters * 2


@given(st.integers(2, 40), st.integers(1, 4), st.data())
@settings(max_examples=60, deadline=None)
def test_every_level_has_shares_that_sum_to_one_and_fit(knots, levels, data):
    position = data.draw(st.floats(0, knots - 1, width=32))
    bases = np.array([[1, knots, levels]], np.int32)
    shares = basis_features(np.array([[position]], f32), bases)[0]
    sizes = level_sizes(knots, levels)
    assert len(shares) == sum(sizes)
    for level, part in enumerate(np.split(shares, np.cumsum(sizes)[:-1])):
        assert part.sum() == pytest.approx(1, abs=1e-5)
        assert part @ np.arange(len(part)) == pytest.approx(position / 2**level, abs=1e-4)


def test_without_a_position_no_knot_is_touched():
    bases = np.array([[1, 5, 2], [9, 3, 1]], np.int32)
    features = basis_features(np.array([[-1, 2], [-1, -1]], f32), bases)
    np.testing.assert_array_equal(features, [[0] * 8 + [0, 0, 1], [0] * 11])


def test_half_space_values_are_w_x_plus_b(random):
    network, w, b = piecewise_network(random)
    X, positions = piecewise_rows(random)
    features = np.concatenate([X, basis_features(positions, network.bases)], axis=1)
    values = network.half_space_values((X, positions), 0)
    np.testing.assert_allclose(values, np.einsum("rk,ijk->rij", features, w) + b)


def test_linear_members_read_no_piecewise_bases(random):
    network, w, b = piecewise_network(random)
    linear = np.array([[3, 5, 0], [11, 3, 1]], np.int32)
    assert replace(network, own_bases=[linear]).reads_bases(0)  # the categories
    nothing = np.array([[3, 5, 0], [11, 3, 0]], np.int32)
    assert not replace(network, own_bases=[nothing]).reads_bases(0)
    X, positions = piecewise_rows(random)
    out = np.empty((1, len(X)))
    joint_log_odds(replace(network, own_bases=[nothing]), range(1), (X, positions), out)
    expected = [reference.network(x, w[..., :2], b) for x in X]
    np.testing.assert_allclose(expit(out[0]), expected, rtol=2e-5)


def test_what_was_trained_on_components_is_mapped_back(random):
    """w.(x @ components) is (components @ w).x; biases and the weights of knots stay."""
    components = np.linalg.qr(random.standard_normal((5, 2)))[0].astype(f32)
    network, _, _ = piecewise_network(random)
    network.velocity[:] = random.standard_normal(network.velocity.shape)
    bases = network.bases + np.array([3, 0, 0], np.int32)
    mapped = network.mapped_back(components, bases)
    X = random.standard_normal((40, 5)).astype(f32)
    _, positions = piecewise_rows(random)
    np.testing.assert_allclose(
        mapped.half_space_values((X, positions), 0),
        network.half_space_values((X @ components, positions), 0),
        rtol=1e-4, atol=1e-5,
    )  # fmt: skip
    np.testing.assert_array_equal(mapped.velocity, parameters_mapped_back(network.velocity, components))
    np.testing.assert_allclose(mapped.velocity[0, :5], components @ network.velocity[0, :2], rtol=1e-5)


def test_sound_weights_are_finite_and_not_huge(random):
    for value, is_sound in [(1.0, True), (-LARGEST / 2, True), (2 * LARGEST, False), (-2 * LARGEST, False),
                            (np.nan, False), (np.inf, False)]:  # fmt: skip
        network, _, _ = random_network(random, 2, 2, 2)
        network.parameters[0, 1, 1] = value
        assert network.is_sound() == is_sound


def test_what_a_file_holds_of_networks(random):
    """The kernels do not check where they read and write."""
    network, _, _ = piecewise_network(random)
    stored = network.stored()
    again = stored.restored(network.bases, network.n_dense, [])
    for name, value in vars(network).items():
        np.testing.assert_array_equal(getattr(again, name), value)
    assert all(holds for holds, _ in stored.claims(13))
    wrong = [
        {"parameters": network.parameters[:, :-1]},
        {"parameters": network.parameters[..., :12]},
        {"parameters": network.parameters[..., :8]},
        {"parameters": network.parameters[:0]},
        {"sizes": np.array([[10, 10]])},
    ]
    for changes in wrong:
        assert not all(holds for holds, _ in replace(stored, **changes).claims(13)), changes
    assert not all(holds for holds, _ in stored.claims(12))
