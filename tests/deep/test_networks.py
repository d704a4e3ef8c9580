"""Trunks, heads, the paper's configurations, and locally connected layers against a plain loop."""

import itertools

import pytest
import torch
from torch import nn

from ldnn.deep import (
    CONFIGURATIONS,
    LDNN,
    Configuration,
    ConvLDNN,
    Convolution,
    Local,
    LocallyConnected2d,
    MaxPool,
    log_loss,
    squared_loss,
)
from ldnn.deep.networks import GreyConvolution2d, default_configuration

SHAPES = {  # what the network sees (after cropping), and the classes
    "mnist": ((1, 28, 28), 10),
    "mnist-augmented": ((1, 24, 24), 10),
    "cifar10": ((3, 24, 24), 10),
    "norb": ((2, 44, 44), 6),
    "svhn": ((1, 28, 28), 10),
    "cifar100": ((3, 24, 24), 100),
}


def plain_local(layer, x):
    """One position after the other."""
    height, width = layer.output_size
    pad, kernel = layer.padding, layer.kernel
    x = nn.functional.pad(x, (pad, pad, pad, pad))
    y = x.new_zeros(len(x), layer.weight.shape[1], height, width)
    for row, column in itertools.product(range(height), range(width)):
        position = row * width + column
        patch = x[:, :, row : row + kernel, column : column + kernel].permute(0, 2, 3, 1).flatten(1)
        y[:, :, row, column] = patch @ layer.weight[position].t() + layer.bias[position, :, 0]
    return y


@pytest.mark.parametrize(
    ("size", "kernel", "padding"), [((6, 6), 3, 1), ((5, 4), 3, 0), ((4, 6), 2, 2), ((3, 3), 1, 0)]
)
def test_local_layer_is_the_loop_over_positions(size, kernel, padding):
    layer = LocallyConnected2d(3, 4, size, kernel, padding).double()
    nn.init.normal_(layer.bias)
    x = torch.randn(2, 3, *size, dtype=torch.float64, requires_grad=True)
    y, expected = layer(x), plain_local(layer, x)
    torch.testing.assert_close(y, expected)
    weights = torch.randn_like(y)
    of = (x, layer.weight, layer.bias)
    torch.testing.assert_close(
        torch.autograd.grad((y * weights).sum(), of), torch.autograd.grad((expected * weights).sum(), of)
    )


def test_local_layer_with_equal_filters_is_a_convolution():
    convolution = nn.Conv2d(3, 4, 3, padding=1)
    layer = LocallyConnected2d(3, 4, (5, 6), 3, 1)
    layer.weight.data[:] = convolution.weight.data.permute(0, 2, 3, 1).flatten(1)
    layer.bias.data[:] = convolution.bias.data[:, None]
    x = torch.randn(2, 3, 5, 6)
    torch.testing.assert_close(layer(x), convolution(x))


@pytest.mark.parametrize("padding", [0, 3])
def test_grey_convolution_is_a_convolution(padding):
    """Its matrix product in training is what PyTorch's own convolution gives, and so is its gradient."""
    layer = GreyConvolution2d(1, 4, 5, padding=padding).double()
    x = torch.randn(3, 1, 9, 8, dtype=torch.float64, requires_grad=True)
    of = (x, layer.weight, layer.bias)
    y, expected = layer(x), layer.eval()(x)
    torch.testing.assert_close(y, expected)
    weights = torch.randn_like(y)
    torch.testing.assert_close(
        torch.autograd.grad((y * weights).sum(), of), torch.autograd.grad((expected * weights).sum(), of)
    )


@pytest.mark.parametrize("activation", ["relu", "logistic"])
def test_pooled_maps_are_those_of_activated_ones(activation):
    """The largest of activated pixels, though only what is left after pooling is activated."""
    layers = (Convolution(3, 3, activation=activation), MaxPool(3, 2), MaxPool(2, 2))
    network = ConvLDNN(Configuration(layers, 2, 2), (2, 12, 12), 3)
    x = torch.randn(4, 2, 12, 12)
    convolution = next(module for module in network.trunk if isinstance(module, nn.Conv2d))
    function = {"relu": torch.relu, "logistic": torch.sigmoid}[activation]
    maps = nn.functional.max_pool2d(function(convolution(x)), 3, 2, ceil_mode=True)
    maps = nn.functional.max_pool2d(maps, 2, 2, ceil_mode=True)
    torch.testing.assert_close(network.trunk(x), maps.flatten(1))
    assert len([module for module in network.trunk if isinstance(module, nn.ReLU | nn.Sigmoid)]) == 1


@pytest.mark.parametrize("name", CONFIGURATIONS)
@pytest.mark.parametrize("head", ["ldnn", "fully_connected"])
def test_networks_stay_on_their_device(name, head):
    """On PyTorch's device without numbers: whatever would be made on the processor by mistake could not be used."""
    shape, classes = SHAPES[name]
    network = ConvLDNN(name, shape, classes, head).to("meta")
    labels = torch.zeros(2, dtype=torch.long, device="meta")
    log_odds = network(torch.zeros(2, *shape, device="meta"))
    (log_loss(log_odds, labels) + squared_loss(log_odds, labels)).mean().backward()
    assert all(parameter.grad.is_meta for parameter in network.parameters())


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_the_papers_networks(name):
    shape, classes = SHAPES[name]
    hidden = set()
    for head in ("ldnn", "fully_connected"):
        network = ConvLDNN(name, shape, classes, head)
        assert network(torch.rand(2, *shape)).shape == (2, classes)
        hidden.add(len(network.head.bias if head == "ldnn" else network.head[0].bias))
    assert hidden == {classes * CONFIGURATIONS[name].n_conjunctions * CONFIGURATIONS[name].n_discriminants}


def test_the_layer_file_of_cifar10():
    network = ConvLDNN("cifar10", (3, 32, 32), 10)
    maps, sizes = torch.rand(1, 3, 32, 32), []
    for module in network.trunk:
        maps = module(maps)
        sizes.append(tuple(maps.shape[1:]))
    pooled = [size for module, size in zip(network.trunk, sizes, strict=True) if isinstance(module, nn.MaxPool2d)]
    assert pooled == [(64, 16, 16), (64, 8, 8)]
    local = [size for module, size in zip(network.trunk, sizes, strict=True) if isinstance(module, LocallyConnected2d)]
    assert local == [(32, 8, 8), (32, 8, 8)]
    assert sizes[-1] == (2048,)
    assert repr(network.head) == "LDNN(in_features=2048, n_classes=10, n_conjunctions=7, n_discriminants=7)"


def test_signals_keep_their_size_at_the_start():
    x = torch.randn(64, 3, 32, 32)
    features = ConvLDNN("cifar10", (3, 32, 32), 10).trunk(x)
    assert 0.1 < features.square().mean().item() < 10


@pytest.mark.parametrize("side", [8, 28, 32, 64, 96])
@pytest.mark.parametrize("classes", [2, 100])
def test_default_network(side, classes):
    shape = (3, side, side)
    network = ConvLDNN(default_configuration(shape, classes), shape, classes)
    assert network(torch.rand(1, *shape)).shape == (1, classes)
    assert network.head.in_features <= 64 * 8 * 8


@pytest.mark.parametrize("pool", [MaxPool(2, 2), MaxPool(3, 2), MaxPool(2, 3), MaxPool(5, 1)])
@pytest.mark.parametrize("side", [5, 6, 7, 8])
def test_sizes_of_pooled_maps(pool, side):
    ConvLDNN(Configuration((Convolution(2, 1), pool), 1, 1), (1, side, side + 1), 2)(torch.rand(1, 1, side, side + 1))


def test_clusters_of_a_trunks_features(random):
    network = ConvLDNN(Configuration((Convolution(4, 3), MaxPool(2, 2)), 2, 2), (1, 8, 8), 3)
    labels = torch.arange(60) % 3
    images = 0.1 * torch.rand(60, 1, 8, 8)
    images[:, 0, :4, :] += (labels[:, None, None] == 1).float()
    images[:, 0, :, :4] += (labels[:, None, None] == 2).float()
    network.head.initialize_from(network.trunk(images), labels, random_state=0)
    assert isinstance(network.head, LDNN)
    assert float((network(images).argmax(1) == labels).float().mean()) > 0.95


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ConvLDNN("mnits", (1, 28, 28), 10), "no network 'mnits'; use one of 'mnist'"),
        (lambda: ConvLDNN("mnist", (1, 28, 28), 10, "softmax"), "head='softmax' is not known: use 'ldnn' or"),
        (lambda: ConvLDNN("mnist", (28, 28), 10), r"image_shape=\(28, 28\) is not allowed"),
        (lambda: ConvLDNN("mnist-augmented", (1, 10, 10), 10), "does not fit: its input has only 3x3 pixels"),
        (lambda: ConvLDNN("mnist", (1, 28, 28), 10)(torch.zeros(2, 28, 28, 1)), r"takes .* = \(n, 1, 28, 28\)"),
        (lambda: Configuration((Convolution(2, 3, activation="tanh"),), 2, 2), "activation='tanh' is not known"),
        (lambda: Configuration(("conv",), 2, 2), "'conv' is no layer"),
        (lambda: LocallyConnected2d(1, 1, (2, 2), 3), "3x3 filter does not fit 2x2"),
        (lambda: LocallyConnected2d(1, 1, (4, 4), 3)(torch.zeros(1, 1, 5, 4)), r"takes \(n, 1, 4, 4\)"),
        (lambda: ConvLDNN(Configuration((Local(2, 5),), 2, 2), (1, 4, 4), 2), "does not fit"),
    ],
)
def test_bad_networks(call, message):
    with pytest.raises(ValueError, match=message):
        call()
