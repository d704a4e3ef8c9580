"""Gradients: the paper's formulas against finite differences and autograd, the kernels against the formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks import f32, half_spaces, random_network, train

from ldnn import reference

LOSSES = {"squared": reference.squared_error, "log": reference.log_error}


def numerical_gradient(function, array, step=1e-6):
    gradient = np.zeros_like(array)
    for index in np.ndindex(array.shape):
        original = array[index]
        array[index] = original + step
        above = function()
        array[index] = original - step
        gradient[index] = (above - function()) / (2 * step)
        array[index] = original
    return gradient


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("y", [0.0, 1.0, 0.1])
def test_formulas_against_finite_differences(random, loss, y):
    w, b, x = random.standard_normal((3, 4, 5)), random.standard_normal((3, 4)), random.standard_normal(5)

    def error():
        return LOSSES[loss](x[None], np.array([y]), w, b)

    np.testing.assert_allclose(reference.weight_gradient(x, y, w, b, loss), numerical_gradient(error, w), atol=1e-7)
    np.testing.assert_allclose(reference.bias_gradient(x, y, w, b, loss), numerical_gradient(error, b), atol=1e-7)
    np.testing.assert_allclose(reference.input_gradient(x, y, w, b, loss), numerical_gradient(error, x), atol=1e-7)


@pytest.mark.parametrize("loss", LOSSES)
def test_formulas_against_autograd(random, loss):
    torch = pytest.importorskip("torch")
    C, N, M, F = 3, 4, 5, 6
    w = torch.tensor(random.standard_normal((C, N, M, F)), requires_grad=True)
    b = torch.tensor(random.standard_normal((C, N, M)), requires_grad=True)
    x = torch.tensor(random.standard_normal(F), requires_grad=True)
    y = torch.tensor([0.0, 1.0, 0.0], dtype=torch.float64)
    f = 1 - torch.prod(1 - torch.prod(torch.sigmoid(w @ x + b), dim=2), dim=1)
    error = (
        ((y - f) ** 2).sum() if loss == "squared" else torch.nn.functional.binary_cross_entropy(f, y, reduction="sum")
    )
    error.backward()
    arrays = [tensor.detach().numpy() for tensor in (x, y, w, b)]
    np.testing.assert_allclose(reference.multiclass_input_gradient(*arrays, loss), x.grad.numpy())
    for c in range(C):
        one = (arrays[0], arrays[1][c], arrays[2][c], arrays[3][c], loss)
        np.testing.assert_allclose(reference.weight_gradient(*one), w.grad[c].numpy())
        np.testing.assert_allclose(reference.bias_gradient(*one), b.grad[c].numpy())


def test_convolution_against_autograd(random):
    """Equations (8) and (9)."""
    torch = pytest.importorskip("torch")
    maps = torch.tensor(random.standard_normal((2, 7, 6)), requires_grad=True)
    filters = torch.tensor(random.standard_normal((2, 3, 3, 3)), requires_grad=True)  # (inputs, outputs, ...)
    biases = torch.tensor(random.standard_normal(3), requires_grad=True)
    weight = torch.tensor(random.standard_normal((3, 5, 4)))  # the error is any weighted sum of the output maps
    S = torch.nn.functional.conv2d(maps[None], filters.transpose(0, 1), biases)[0]
    S.retain_grad()
    output = torch.sigmoid(S)
    (output * weight).sum().backward()

    def slope(s):
        return np.exp(-s) / (1 + np.exp(-s)) ** 2

    arrays = [tensor.detach().numpy() for tensor in (maps, filters, biases)]
    X, S_reference = reference.convolution(*arrays, lambda s: 1 / (1 + np.exp(-s)))
    np.testing.assert_allclose(X, output.detach().numpy())
    gradients = reference.convolution_gradients(arrays[0], arrays[1], S_reference, slope, weight.numpy())
    for gradient, tensor in zip(gradients, (S, filters, biases, maps), strict=True):
        np.testing.assert_allclose(gradient, tensor.grad.numpy())


@given(
    st.integers(1, 12), st.integers(1, 12), st.integers(1, 20), st.integers(0, 2**32 - 1),
    st.sampled_from(sorted(LOSSES)), st.sampled_from([0.0, 0.1]),
)  # fmt: skip
def test_one_step_of_the_kernel_is_the_gradient(N, M, features, seed, loss, soft):
    random = np.random.default_rng(seed)
    network, w, b = random_network(random, N, M, features, scale=0.5)
    x = random.standard_normal(features).astype(f32)
    y = int(random.integers(2))
    target = np.float64(f32(1 - soft) if y else f32(soft))
    outputs, total = train(network, x[None], [y], loss=loss, step=1.0, soft=soft)
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
@pytest.mark.parametrize("batch_size", [1, 4, 7, 100])
def test_steps_with_momentum_and_batches(random, loss, momentum, batch_size):
    """v = momentum v - step (mean gradient of the batch); w += v. The last batch may be smaller."""
    network, w, b = random_network(random, 3, 5, 4)
    X, y = random.standard_normal((30, 4)).astype(f32), random.integers(2, size=30)
    weights = random.uniform(0.5, 2, 30).astype(f32)
    order = random.permutation(30)
    train(network, X, y, order=order, loss=loss, step=0.3, momentum=momentum, batch_size=batch_size, weights=weights)
    vw, vb = np.zeros_like(w), np.zeros_like(b)
    for start in range(0, 30, batch_size):
        batch = order[start : start + batch_size]
        rows = [(X[r].astype(float), y[r], w, b, loss) for r in batch]
        dw = sum(weights[r] * reference.weight_gradient(*row) for r, row in zip(batch, rows, strict=True)) / len(batch)
        db = sum(weights[r] * reference.bias_gradient(*row) for r, row in zip(batch, rows, strict=True)) / len(batch)
        vw, vb = momentum * vw - 0.3 * dw, momentum * vb - 0.3 * db
        w, b = w + vw, b + vb
    w_new, b_new = half_spaces(network)
    np.testing.assert_allclose(w_new, w, rtol=1e-3, atol=2e-5)
    np.testing.assert_allclose(b_new, b, rtol=1e-3, atol=2e-5)


@pytest.mark.parametrize("values", [[0.0, 0.5, 0.25], [0.0, 0.0, 0.5], [1.0, 0.0, 1.0], [0.3]])
def test_product_of_others(values):
    expected = [np.prod(values[:i] + values[i + 1 :]) for i in range(len(values))]
    np.testing.assert_allclose(reference.product_of_others(np.array(values)), expected)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("y", [0, 1])
@pytest.mark.parametrize("biases", [(20.0, -3.0), (-60.0, -1.0), (20.0, -60.0), (17.0, 17.0), (-70.0, -70.0)])
def test_gradient_where_conjunctions_saturate(biases, loss, y):
    """g_1 and g_2 are exactly 0 or 1 in float32, where a division by 1 - g_i or by f would fail."""
    x = np.array([0.5, -0.25])
    w = np.array([[[0.3, 0.1], [0.2, -0.4]], [[0.1, 0.2], [-0.3, 0.5]]]).astype(f32).astype(float)
    b = np.array([[biases[0]] * 2, [biases[1]] * 2])
    from ldnn.network import Network

    network = Network.from_discriminants([(w, b)])
    train(network, x[None], [y], loss=loss, step=1.0)
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
        train(network, x, [1], loss=loss, step=1.0)
        moved[loss] = np.abs(half_spaces(network)[1] - before).max()
    assert moved["squared"] == 0
    assert 0.1 < moved["log"] <= 1
