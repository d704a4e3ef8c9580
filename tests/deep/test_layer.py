"""The LDNN layer against the paper's equations, against the kernels for tables, and for inputs of every size."""

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from networks import half_spaces, random_network
from networks import train as train_kernel
from torch import nn

from ldnn import reference
from ldnn._model.network import Network
from ldnn.deep import LDNN, log_loss, softmax_loss, squared_loss

LOSSES = {"squared": squared_loss, "log": log_loss}
SIZES = [(4, 3, 2, 5), (3, 1, 1, 1), (2, 2, 6, 1), (5, 4, 1, 3)]  # features, classes, conjunctions, discriminants


def arrays_of(layer):
    return [tensor.detach().double().numpy() for tensor in layer.half_spaces()]


def gradient_arrays(layer):
    """The gradients in the paper's order."""
    twin = LDNN(layer.in_features, layer.n_classes, layer.n_conjunctions, layer.n_discriminants, dtype=torch.float64)
    twin.weight.data, twin.bias.data = layer.weight.grad.double(), layer.bias.grad.double()
    return arrays_of(twin)


@pytest.mark.parametrize("sizes", SIZES)
def test_output_is_equation_4(sizes, random):
    layer = LDNN(*sizes).double()
    w, b = arrays_of(layer)
    X = random.standard_normal((7, sizes[0]))
    f = torch.sigmoid(layer(torch.from_numpy(X))).detach().numpy()
    expected = [[reference.network(x, w[c], b[c]) for c in range(sizes[1])] for x in X]
    np.testing.assert_allclose(f, expected, rtol=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("label_smoothing", [0.0, 0.2])
@pytest.mark.parametrize("sizes", [size for size in SIZES if size[1] > 1])
def test_gradients_are_equations_6_7_10_and_11(sizes, loss, label_smoothing, random):
    layer = LDNN(*sizes).double()
    w, b = arrays_of(layer)
    x = torch.from_numpy(random.standard_normal((1, sizes[0]))).requires_grad_()
    label = int(random.integers(sizes[1]))
    LOSSES[loss](layer(x), torch.tensor([label]), label_smoothing).sum().backward()
    targets = np.where(np.arange(sizes[1]) == label, 1 - label_smoothing / 2, label_smoothing / 2)
    row = x.detach().numpy()[0]
    dw, db = gradient_arrays(layer)
    for c, y in enumerate(targets):
        np.testing.assert_allclose(dw[c], reference.weight_gradient(row, y, w[c], b[c], loss), rtol=1e-9, atol=1e-14)
        np.testing.assert_allclose(db[c], reference.bias_gradient(row, y, w[c], b[c], loss), rtol=1e-9, atol=1e-14)
    expected = reference.multiclass_input_gradient(row, targets, w, b, loss)
    np.testing.assert_allclose(x.grad.numpy()[0], expected, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("label", [0, 1])
def test_gradients_are_those_of_the_kernels(loss, label, random):
    network, w, b = random_network(random, 3, 4, 5, scale=0.5)
    layer = LDNN(5, 1, 3, 4)
    weights, biases = layer.half_spaces()
    with torch.no_grad():
        weights[0], biases[0] = torch.from_numpy(w), torch.from_numpy(b)
    x = random.standard_normal((1, 5)).astype(np.float32)
    outputs, total = train_kernel(network, x, [label], loss=loss, learning_rate=1.0, label_smoothing=0.2)
    log_odds = layer(torch.from_numpy(x))
    value = LOSSES[loss](log_odds, torch.tensor([label]), 0.2).sum()  # targets 0.1 and 0.9
    value.backward()
    w_new, b_new = half_spaces(network)
    dw, db = gradient_arrays(layer)
    np.testing.assert_allclose(w - w_new, dw[0], rtol=1e-3, atol=3e-6)
    np.testing.assert_allclose(b - b_new, db[0], rtol=1e-3, atol=3e-6)
    assert float(torch.sigmoid(log_odds.detach())) == pytest.approx(outputs[0], rel=1e-4)
    assert value.item() == pytest.approx(total, rel=1e-4)


@pytest.mark.parametrize("sizes", SIZES)
def test_gradcheck(sizes):
    layer = LDNN(*sizes).double()
    x = torch.randn(3, sizes[0], dtype=torch.float64, requires_grad=True)

    def run(x, weight, bias):
        return torch.func.functional_call(layer, {"weight": weight, "bias": bias}, x)

    assert torch.autograd.gradcheck(run, (x, layer.weight, layer.bias))


def test_compiled_as_one_graph():
    """With Inductor's decompositions and its division into forward and backward graph, without its C++ (20 seconds)."""
    layer, x, labels = LDNN(6, 3, 4, 5), torch.randn(8, 6), torch.randint(3, (8,))
    gradients = []
    for run in (layer, torch.compile(layer, backend="aot_eager_decomp_partition", fullgraph=True)):
        layer.zero_grad()
        log_loss(run(x), labels).mean().backward()
        gradients.append([parameter.grad.clone() for parameter in layer.parameters()])
    torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-6)


def test_second_derivatives_are_refused():
    x = torch.randn(1, 3, requires_grad=True)
    (slope,) = torch.autograd.grad(LDNN(3, 2, 2, 2)(x).square().sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        slope.sum().backward()


@given(
    st.integers(0, 2**32 - 1),
    st.floats(-30, 38.5),
    st.sampled_from(sorted(LOSSES)),
    st.sampled_from([0.0, 0.2]),
    st.sampled_from([None, torch.float16, torch.bfloat16]),
)
def test_everything_is_finite_for_any_input(seed, exponent, loss, label_smoothing, autocast):
    random = torch.Generator().manual_seed(seed)
    layer = LDNN(6, 3, 4, 5)
    x = (torch.randn(8, 6, generator=random, dtype=torch.float64) * 10.0**exponent).float()
    x = x.nan_to_num().requires_grad_()  # overflow becomes the largest float32
    with torch.autocast("cpu", dtype=autocast, enabled=autocast is not None):
        log_odds = layer(x)
        losses = LOSSES[loss](log_odds, torch.randint(3, (8,), generator=random), label_smoothing)
    losses.mean().backward()
    assert losses.dtype == log_odds.dtype == torch.float32
    for tensor in (log_odds, losses, x.grad, layer.weight.grad, layer.bias.grad):
        assert torch.isfinite(tensor).all()


@given(st.integers(0, 2**32 - 1), st.floats(-2, 3), st.floats(-100, 40))
def test_log_odds_keep_their_digits(seed, exponent, shift):
    """Compared with float64 logarithms, where no half-space is beyond the layer's limit."""
    random = np.random.default_rng(seed)
    w = (10**exponent * random.standard_normal((3, 4, 2))).astype(np.float32)
    b = (shift + 10**exponent * random.standard_normal((3, 4))).astype(np.float32)
    x = random.standard_normal((1, 2)).astype(np.float32)
    assume(np.max(w @ x[0] + b) <= 59)
    layer = LDNN(2, 1, 3, 4)
    weights, biases = layer.half_spaces()
    with torch.no_grad():
        weights[0], biases[0] = torch.from_numpy(w), torch.from_numpy(b)
        found = float(layer(torch.from_numpy(x)))
    network = Network.from_discriminants([(w.astype(float), b.astype(float))])
    (expected,) = network.exact_log_odds((x, np.empty((len(x), 0), np.float32)), 0)
    scale = float(np.abs(w).max() * np.abs(x).max() + np.abs(b).max())  # bounds the rounding error of w.x + b
    assert found == pytest.approx(expected, rel=2e-6, abs=2e-6 * (1 + 12 * scale))


def test_label_smoothing_is_that_of_pytorch():
    """Of two classes, softmax of (0, log-odds) gives 1 - f and f."""
    log_odds, labels = torch.randn(8, 1, dtype=torch.float64), torch.arange(8) % 2
    two = torch.cat([torch.zeros_like(log_odds), log_odds], dim=1)
    expected = nn.functional.cross_entropy(two, labels, label_smoothing=0.3, reduction="none")
    torch.testing.assert_close(log_loss(log_odds, labels, 0.3), expected)
    certain = torch.tensor([[40.0], [-40.0]])
    torch.testing.assert_close(squared_loss(certain, torch.tensor([1, 1]), 0.3), torch.tensor([0.15**2, 0.85**2]))


def test_log_loss_pulls_a_dead_network_back():
    """Where f underflows, the squared loss has no gradient left and the cross-entropy has its full one."""
    moved = {}
    for loss, function in LOSSES.items():
        layer = LDNN(3, 2, 4, 6)
        layer.bias.data -= 1000
        function(layer(torch.randn(1, 3)), torch.tensor([1])).sum().backward()
        moved[loss] = float(layer.bias.grad.abs().max())
    assert moved["squared"] == 0
    assert 0.1 < moved["log"] <= 1


def test_shapes():
    layer = LDNN(6, 3, 2, 2)
    x = torch.randn(2, 5, 6)
    torch.testing.assert_close(layer(x)[1], layer(x[1]))
    assert layer(x[0, 0]).shape == (3,)
    assert layer(x[:0]).shape == (0, 5, 3)
    assert layer.half().bfloat16()(x.bfloat16()).dtype == torch.float32
    assert nn.DataParallel(LDNN(6, 3, 2, 2))(x[0]).shape == (5, 3)


def test_random_start_has_outputs_of_one_over_the_classes():
    for classes, expected in ((1, 0.5), (2, 0.5), (10, 0.1), (100, 0.01)):
        f = torch.sigmoid(LDNN(20, classes, 7, 7)(torch.zeros(1, 20)))
        torch.testing.assert_close(f, torch.full((1, classes), expected), rtol=1e-4, atol=0)


def test_scale_of_the_random_start():
    torch.manual_seed(0)
    for scale in (0.5, 1.0, 3.0):
        layer = LDNN(500, 10, 5, 5, start_scale=scale)
        w_x = layer.weight @ torch.randn(500)
        assert w_x.std().item() == pytest.approx(scale, rel=0.15)
        layer.reset_parameters()
        assert layer.weight.std().item() == pytest.approx(scale * 500**-0.5, rel=0.05)


def test_softmax_loss_is_the_cross_entropy_of_pytorch():
    log_odds, labels = torch.randn(4, 3, dtype=torch.float64), torch.tensor([0, 2, 1, 1])
    torch.testing.assert_close(
        softmax_loss(log_odds, labels), nn.functional.cross_entropy(log_odds, labels, reduction="none")
    )
    targets = torch.tensor([0.1, 0.1, 0.1], dtype=torch.float64)
    targets[labels[0]] = 0.9
    expected = nn.functional.cross_entropy(log_odds[:1], targets[None] / 1.1)
    torch.testing.assert_close(softmax_loss(log_odds, labels, 0.2)[0], expected)
    one = log_odds[:, :1]
    torch.testing.assert_close(softmax_loss(one, labels % 2, 0.2), log_loss(one, labels % 2, 0.2))


def blobs(random, classes=3, count=200):
    centres = np.array([[0.0, 0, 0], [4, 0, 0], [0, 4, 0]])[:classes]
    y = random.integers(classes, size=count)
    return (100 + 50 * (centres[y] + 0.5 * random.standard_normal((count, 3)))).astype(np.float32), y


@pytest.mark.parametrize("as_tensor", [True, False])
@pytest.mark.parametrize("outputs", [3, 1])
def test_start_from_clusters(random, as_tensor, outputs):
    """Half-spaces between clusters classify before any training, whatever the units of the features."""
    X, y = blobs(random, classes=max(outputs, 2))
    layer = LDNN(3, outputs, 2, 2)
    convert = torch.from_numpy if as_tensor else list
    assert layer.initialize_from(convert(X), convert(y), random_state=0) is layer
    log_odds = layer(torch.from_numpy(X))
    predicted = log_odds.argmax(1) if outputs > 1 else (log_odds[:, 0] > 0).long()
    assert np.mean(predicted.numpy() == y) > 0.95
    twin = LDNN(3, outputs, 2, 2).initialize_from(X, y, random_state=0)
    torch.testing.assert_close(twin.weight, layer.weight, rtol=0, atol=0)


def test_start_from_one_cluster_each_is_midway():
    layer = LDNN(2, 1, 1, 1).initialize_from([[0.0, 0], [2, 4]], [0, 1])
    assert torch.sigmoid(layer(torch.tensor([1.0, 2.0]))).item() == pytest.approx(0.5, abs=1e-6)


def test_start_from_fewer_instances_than_clusters():
    layer = LDNN(2, 3, 4, 5).initialize_from([[0.0, 0], [9, 0], [0, 9]], [0, 1, 2])
    x = torch.tensor([[0.0, 0], [9, 0], [0, 9]])
    log_odds = layer(x)
    assert log_odds.argmax(1).tolist() == [0, 1, 2]
    log_loss(log_odds, torch.arange(3)).sum().backward()
    assert torch.isfinite(layer.weight.grad).all()


@pytest.mark.parametrize(
    ("features", "labels", "message"),
    [
        (np.zeros((4, 3)), np.zeros(4, int), "rows? of 2 features"),
        (np.zeros((4, 2)), np.zeros(3, int), "one label for each"),
        (np.full((4, 2), np.nan), np.zeros(4, int), "NaN"),
        (np.zeros((4, 2)), np.array([0, 1, 2, 3]), "contains 3, but there are 3 classes"),
        (np.zeros((4, 2)), np.array([0, 1, -1, 2]), "contains -1"),
        (np.zeros((4, 2)), np.array([0.0, 1, 2, 1]), "dtype float64; give integers from 0 to 2"),
    ],
)
def test_bad_features_and_labels(features, labels, message):
    with pytest.raises(ValueError, match=message):
        LDNN(2, 3, 2, 2).initialize_from(features, labels)


def test_bad_sizes_and_input():
    with pytest.raises(ValueError, match="n_conjunctions=0 is not allowed: give an integer of at least 1"):
        LDNN(2, 2, 0, 2)
    with pytest.raises(ValueError, match=r"in_features=2\.5 is not allowed"):
        LDNN(2.5, 2, 2, 2)
    with pytest.raises(ValueError, match="start_scale=0 is not allowed"):
        LDNN(2, 2, 2, 2, start_scale=0)
    with pytest.raises(ValueError, match=r"shape \(4, 7\); this LDNN takes \(\.\.\., 6\)"):
        LDNN(6, 2, 2, 2)(torch.zeros(4, 7))
