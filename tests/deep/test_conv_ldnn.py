"""Trunks and heads as they are built from a configuration."""

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

SHAPES = {  # of the network's input (after cropping), and the number of classes
    "mnist": ((1, 28, 28), 10),
    "mnist-augmented": ((1, 24, 24), 10),
    "cifar10": ((3, 24, 24), 10),
    "norb": ((2, 44, 44), 6),
    "svhn": ((1, 28, 28), 10),
    "cifar100": ((3, 24, 24), 100),
}


@pytest.mark.parametrize("activation", ["relu", "logistic"])
def test_pooling_before_the_activation_gives_the_same_maps(activation):
    """The maximum of activated pixels, although the activation is applied after pooling."""
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
    """PyTorch's meta device has no values: tensors that were created on the CPU by mistake could not be combined."""
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


def test_initial_weights_keep_the_mean_square_of_signals():
    x = torch.randn(64, 3, 32, 32)
    features = ConvLDNN("cifar10", (3, 32, 32), 10).trunk(x)
    assert 0.1 < features.square().mean().item() < 10


@pytest.mark.parametrize("pool", [MaxPool(2, 2), MaxPool(3, 2), MaxPool(2, 3), MaxPool(5, 1)])
@pytest.mark.parametrize("side", [5, 6, 7, 8])
def test_sizes_of_pooled_maps(pool, side):
    network = ConvLDNN(Configuration((Convolution(2, 1), pool), 1, 1), (1, side, side + 1), 2)
    images = torch.rand(1, 1, side, side + 1)
    assert network.trunk(images).shape == (1, network.head.in_features)
    assert network(images).shape == (1, 2)


@pytest.mark.parametrize("head", ["ldnn", "fully_connected"])
@pytest.mark.parametrize(("normalize", "axis"), [("batch", 0), ("layer", 1)])
def test_normalized_features(normalize, axis, head):
    """Mean 0 and variance 1, without further parameters; and the same network comes back from its state."""
    configuration = Configuration((Convolution(4, 3, activation="logistic"), MaxPool(2, 2)), 2, 2)
    network = ConvLDNN(configuration, (1, 8, 8), 3, head, normalize=normalize)
    images = torch.rand(40, 1, 8, 8)
    features = network.trunk(images)
    torch.testing.assert_close(features.mean(axis), torch.zeros_like(features.mean(axis)), rtol=0, atol=1e-5)
    torch.testing.assert_close(features.var(axis, correction=0), torch.ones_like(features.mean(axis)), rtol=0.1, atol=0)
    plain = ConvLDNN(configuration, (1, 8, 8), 3, head)
    assert len(list(network.parameters())) == len(list(plain.parameters()))
    again = network.stored().restored()
    assert again.normalize == normalize
    torch.testing.assert_close(again.eval()(images), network.eval()(images), rtol=0, atol=0)


def test_start_scale_is_that_of_the_layer():
    configuration = Configuration((Convolution(16, 3),), 2, 2)
    network = ConvLDNN(configuration, (1, 12, 12), 10, start_scale=3.0)
    assert network.head.weight.std().item() == pytest.approx(3 * network.head.in_features**-0.5, rel=0.05)


def test_compiled_as_one_graph():
    layers = (Convolution(4, 3, padding=1), MaxPool(3, 2), Local(3, 3, padding=1, activation="logistic"))
    network = ConvLDNN(Configuration(layers, 2, 3), (2, 8, 8), 3)
    x, labels = torch.rand(8, 2, 8, 8), torch.randint(3, (8,))
    gradients = []
    for run in (network, torch.compile(network, backend="aot_eager", fullgraph=True)):
        network.zero_grad()
        log_loss(run(x), labels).mean().backward()
        gradients.append([parameter.grad.clone() for parameter in network.parameters()])
    torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-6)


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
        (
            lambda: ConvLDNN("mnist", (1, 28, 28), 10, normalize="mean"),
            "normalize='mean' is not known: use 'auto' or None",
        ),
        (lambda: ConvLDNN("mnist", (28, 28), 10), r"image_shape=\(28, 28\) is not allowed"),
        (lambda: ConvLDNN("mnist-augmented", (1, 10, 10), 10), "does not fit: its input has only 3x3 pixels"),
        (lambda: ConvLDNN("mnist", (1, 28, 28), 10)(torch.zeros(2, 28, 28, 1)), r"takes .* = \(n, 1, 28, 28\)"),
        (lambda: ConvLDNN(Configuration((Local(2, 5),), 2, 2), (1, 4, 4), 2), "does not fit"),
    ],
)
def test_bad_networks(call, message):
    with pytest.raises(ValueError, match=message):
        call()
