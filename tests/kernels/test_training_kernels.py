"""The compiled gradient steps against the paper's formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks import f32, half_spaces, piecewise_network, piecewise_rows, random_network, train

from ldnn import reference
from ldnn._kernels import training_kernels
from ldnn._model.network import Network, basis_features

LOSSES = {"squared": reference.squared_error, "log": reference.log_error}


@given(
    st.integers(1, 12), st.integers(1, 12), st.integers(1, 20), st.integers(0, 2**32 - 1),
    st.sampled_from(sorted(LOSSES)), st.sampled_from([0.0, 0.2]),
)  # fmt: skip
def test_one_step_of_the_kernel_is_the_gradient(N, M, features, seed, loss, label_smoothing):
    random = np.random.default_rng(seed)
    network, w, b = random_network(random, N, M, features, scale=0.5)
    x = random.standard_normal(features).astype(f32)
    y = int(random.integers(2))
    target = np.float64(f32(1 - label_smoothing / 2) if y else f32(label_smoothing / 2))
    outputs, total = train(network, x[None], [y], loss=loss, learning_rate=1.0, label_smoothing=label_smoothing)
    w_new, b_new = half_spaces(network)
    x = x.astype(float)
    # Discriminants whose gradient is below the kernels' threshold are left where they are.
    tolerance = {"rtol": 1e-4, "atol": 3e-6}
    np.testing.assert_allclose(w - w_new, reference.weight_gradient(x, target, w, b, loss), **tolerance)
    np.testing.assert_allclose(b - b_new, reference.bias_gradient(x, target, w, b, loss), **tolerance)
    assert outputs[0] == pytest.approx(reference.network(x, w, b), rel=1e-4, abs=1e-7)
    assert total == pytest.approx(LOSSES[loss](x[None], np.array([target]), w, b), rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("momentum", [0.0, 0.7])
def test_steps_with_momentum(random, loss, momentum):
    """v = momentum v - learning rate times the weighted gradient of the row; w += v."""
    network, w, b = random_network(random, 3, 5, 4)
    X, y = random.standard_normal((30, 4)).astype(f32), random.integers(2, size=30)
    weights = random.uniform(0.5, 2, 30).astype(f32)
    order = random.permutation(30)
    train(network, X, y, order=order, loss=loss, learning_rate=0.3, momentum=momentum, weights=weights)
    vw, vb = np.zeros_like(w), np.zeros_like(b)
    for r in order:
        row = (X[r].astype(float), y[r], w, b, loss)
        vw = momentum * vw - 0.3 * weights[r] * reference.weight_gradient(*row)
        vb = momentum * vb - 0.3 * weights[r] * reference.bias_gradient(*row)
        w, b = w + vw, b + vb
    w_new, b_new = half_spaces(network)
    np.testing.assert_allclose(w_new, w, rtol=1e-3, atol=2e-5)
    np.testing.assert_allclose(b_new, b, rtol=1e-3, atol=2e-5)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("y", [0, 1])
@pytest.mark.parametrize("biases", [(20.0, -3.0), (-60.0, -1.0), (20.0, -60.0), (17.0, 17.0), (-70.0, -70.0)])
def test_gradient_where_conjunctions_saturate(biases, loss, y):
    """g_1 and g_2 are exactly 0 or 1 in float32, where a division by 1 - g_i or by f would fail."""
    x = np.array([0.5, -0.25])
    w = np.array([[[0.3, 0.1], [0.2, -0.4]], [[0.1, 0.2], [-0.3, 0.5]]]).astype(f32).astype(float)
    b = np.array([[biases[0]] * 2, [biases[1]] * 2])
    network = Network.from_discriminants([(w, b)])
    train(network, x[None], [y], loss=loss, learning_rate=1.0)
    b_new = half_spaces(network)[1]
    np.testing.assert_allclose(b - b_new, precise_bias_gradient(x, y, w, b, loss), rtol=2e-3, atol=1e-5)


def precise_bias_gradient(x, y, w, b, loss):
    """Equation (7) with sums in place of differences: sigma and 1 - sigma, g and 1 - g keep their digits."""
    z = w @ x + b
    sigma, complement = 1 / (1 + np.exp(-z)), 1 / (1 + np.exp(z))
    g = sigma.prod(axis=1)
    h = (complement * np.cumprod(np.hstack([np.ones((len(g), 1)), sigma[:, :-1]]), axis=1)).sum(axis=1)
    others = reference.product_of_others(h)
    f = np.sum(g * np.cumprod(np.concatenate([[1], h[:-1]])))
    if loss == "squared":
        factor = 2 * (f - y) * others * g
    else:
        factor = g / h if y == 0 else -others * g / f
    return factor[:, None] * complement


def test_log_loss_pulls_a_dead_network_back(random):
    """Where f underflows, the squared loss has no gradient left and the cross-entropy has its full one."""
    x = random.standard_normal((1, 3)).astype(f32)
    moved = {}
    for loss in LOSSES:
        network, _, _ = random_network(random, 4, 6, 3)
        network.parameters[0, 3, :24] -= 40
        before = half_spaces(network)[1]
        train(network, x, [1], loss=loss, learning_rate=1.0)
        moved[loss] = np.abs(half_spaces(network)[1] - before).max()
    assert moved["squared"] == 0
    assert 0.1 < moved["log"] <= 1


@pytest.mark.parametrize(("loss", "momentum"), [("squared", 0), ("log", 0), ("squared", 0.5)])
def test_piecewise_training_is_that_of_the_shares_as_features(random, loss, momentum):
    """The same steps as with a plain network whose features are the shares."""
    network, w, b = piecewise_network(random)
    X, positions = piecewise_rows(random)
    features = np.concatenate([X, basis_features(positions, network.bases)], axis=1)
    dense = Network.from_discriminants([(w, b)])
    y = random.integers(0, 2, len(X))
    options = {"loss": loss, "momentum": momentum, "learning_rate": 0.3, "label_smoothing": 0.2}
    f, total = train(network, X, y, positions=positions, **options)
    f_dense, total_dense = train(dense, features, y, **options)
    np.testing.assert_allclose(f, f_dense, rtol=1e-4, atol=1e-6)
    assert total == pytest.approx(total_dense, rel=1e-4)
    for one, other in zip(half_spaces(network), half_spaces(dense), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5)


def test_without_bases_no_positions_are_the_same_as_empty_ones():
    random = np.random.default_rng(0)
    X, y = random.standard_normal((50, 5)), random.integers(0, 2, 50)
    learned = []
    for positions in (None, np.empty((50, 0))):
        network, _, _ = random_network(np.random.default_rng(1), 3, 4, 5)
        train(network, X, y, positions=positions)
        learned.append(network.parameters.copy())
    np.testing.assert_array_equal(*learned)


@given(st.integers(1, 12), st.integers(1, 12), st.sampled_from([0.0, 0.5]), st.integers(0, 2**32 - 1))
def test_columns_beyond_the_discriminants_stay_zero(N, M, momentum, seed):
    random = np.random.default_rng(seed)
    network, _, _ = random_network(random, N, M, 3)
    train(network, random.standard_normal((20, 3)), random.integers(0, 2, 20), momentum=momentum, learning_rate=1.0)
    assert not network.parameters[0, :, N * M :].any()


def test_without_momentum_there_is_no_velocity(random):
    network, _, _ = random_network(random, 2, 2, 3)
    network.velocity[:] = 7
    before = network.parameters.copy()
    train(network, random.standard_normal((20, 3)), random.integers(0, 2, 20))
    assert (network.velocity == 7).all()
    assert np.abs(network.parameters - before).max() < 2


@given(st.integers(1, 60), st.integers(0, 2**32 - 1))
def test_well_fitted_visits_are_parted_from_the_others(count, seed):
    """In their order; what is skipped adds the weighted squared error of its last output."""
    random = np.random.default_rng(seed)
    y, outputs = random.integers(0, 2, count).astype(np.int32), random.random(count).astype(f32)
    weights, is_due = random.random(count).astype(f32), random.random(count) < 0.2
    order = random.integers(0, count, 2 * count).astype(np.int32)
    parted = np.empty_like(order)
    made, total = training_kernels.partition_well_fitted(
        order, y, 1, outputs, f32(0.1), f32(0.9), f32(0.3), is_due, weights, parted
    )
    # An output beyond its target fits well, too.
    missed = np.where(y == 1, f32(0.9) - outputs, outputs - f32(0.1))
    is_skipped = (missed < f32(0.3)) & ~is_due
    np.testing.assert_array_equal(parted[:made], order[~is_skipped[order]])
    np.testing.assert_array_equal(np.sort(parted[made:]), np.sort(order[is_skipped[order]]))
    skipped = order[is_skipped[order]]
    assert total == pytest.approx(float((weights * missed**2)[skipped].sum()), rel=1e-4, abs=1e-6)


@given(st.integers(0, 300), st.integers(0, 2**64 - 1))
def test_a_shuffle_is_a_permutation_that_the_seed_decides(count, seed):
    orders = [np.arange(count, dtype=np.int32) for _ in range(2)]
    for order in orders:
        training_kernels.shuffle(order, np.uint64(seed))
    np.testing.assert_array_equal(*orders)
    np.testing.assert_array_equal(np.sort(orders[0]), np.arange(count))
