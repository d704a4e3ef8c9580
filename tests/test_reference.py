"""The paper's formulas against finite differences, autograd and plain products."""

import numpy as np
import pytest

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


@pytest.mark.parametrize("values", [[0.0, 0.5, 0.25], [0.0, 0.0, 0.5], [1.0, 0.0, 1.0], [0.3]])
def test_product_of_others(values):
    expected = [np.prod(values[:i] + values[i + 1 :]) for i in range(len(values))]
    np.testing.assert_allclose(reference.product_of_others(np.array(values)), expected)


def test_half_space_includes_its_boundary():
    w, b = np.array([[[1.0, -1.0]]]), np.array([[0.0]])
    assert reference.half_space(np.array([2.0, 2.0]), w, b) == 1
    assert reference.half_space(np.array([2.0, 2.1]), w, b) == 0
