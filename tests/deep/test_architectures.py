"""Descriptions of networks: the paper's, the default for other images, and wrong ones."""

import pytest
import torch

from ldnn.deep import (
    CONFIGURATIONS,
    Block,
    Configuration,
    ConvLDNN,
    Convolution,
    Local,
    MaxPool,
    Whitening,
    configuration_for,
)
from ldnn.deep.architectures import named_configuration


def test_sizes_of_the_papers_ldnns():
    sizes = {name: (found.n_conjunctions, found.n_discriminants) for name, found in CONFIGURATIONS.items()}
    assert sizes == {
        "mnist": (5, 5),
        "mnist-augmented": (4, 4),
        "cifar10": (7, 7),
        "norb": (7, 7),
        "svhn": (4, 4),
        "cifar100": (4, 4),
    }


@pytest.mark.parametrize(("side", "channels"), [(8, 1), (28, 1), (32, 3), (64, 3), (96, 1)])
@pytest.mark.parametrize("classes", [2, 100])
def test_network_for_images_of_any_size(side, channels, classes):
    """Every trunk ends with one pixel of its last maps; width is a factor of all maps."""
    shape = (channels, side, side)
    for width in (0.1, 0.25):
        network = ConvLDNN(configuration_for(shape, classes, width), shape, classes)
        assert network.eval()(torch.rand(1, *shape)).shape == (1, classes)
        assert network.head.in_features == max(8, 8 * round(256 * width / 8))
        assert network.normalize == "batch"


def test_layers_for_cifar10_and_oblong_images():
    blocks = (Block(64), Block(256), Block(256))
    assert configuration_for((3, 32, 32), 10).layers == (Whitening(2), *blocks, MaxPool(3, 3))
    layers = configuration_for((1, 40, 90), 2, 0.25).layers
    assert layers[0] == Whitening(3)
    assert ConvLDNN(Configuration(layers, 2, 2), (1, 40, 90), 2).eval()(torch.rand(1, 1, 40, 90)).shape == (1, 2)


def test_names_and_configurations():
    own = Configuration([Convolution(2, 3), MaxPool(2, 2), Local(2, 3)], 2, 2)
    assert own.layers == (Convolution(2, 3), MaxPool(2, 2), Local(2, 3))
    assert named_configuration(own) is own
    assert named_configuration("mnist") is CONFIGURATIONS["mnist"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: named_configuration("mnits"), "no network 'mnits'; use one of 'mnist'"),
        (lambda: Configuration((Convolution(2, 3, activation="tanh"),), 2, 2), "activation='tanh' is not known"),
        (lambda: Configuration(("conv",), 2, 2), "'conv' is not a layer: a trunk consists of Convolution, MaxPool, L"),
        (lambda: Configuration((Block(8), Whitening()), 2, 2), "Whitening must be the first layer"),
        (lambda: configuration_for((3, 32, 32), 10, width=0), "width=0 is not allowed"),
    ],
)
def test_wrong_descriptions(call, message):
    with pytest.raises(ValueError, match=message):
        call()
