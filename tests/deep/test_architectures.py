"""Descriptions of networks: the paper's, the default for other images, and wrong ones."""

import pytest
import torch

from ldnn.deep import CONFIGURATIONS, Configuration, ConvLDNN, Convolution, Local, MaxPool
from ldnn.deep.architectures import default_configuration, named_configuration


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


@pytest.mark.parametrize("side", [8, 28, 32, 64, 96])
@pytest.mark.parametrize("classes", [2, 100])
def test_default_network(side, classes):
    shape = (3, side, side)
    network = ConvLDNN(default_configuration(shape, classes), shape, classes)
    assert network(torch.rand(1, *shape)).shape == (1, classes)
    assert network.head.in_features <= 64 * 8 * 8


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
        (lambda: Configuration(("conv",), 2, 2), "'conv' is not a layer"),
    ],
)
def test_wrong_descriptions(call, message):
    with pytest.raises(ValueError, match=message):
        call()
