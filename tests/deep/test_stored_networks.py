"""What files hold of networks of images, and which of it is refused."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from ldnn.deep import Configuration, ConvLDNN, Preparation
from ldnn.deep.architectures import Block, Convolution, Local, MaxPool, Whitening

LAYERS = (Whitening(2), Block(4), MaxPool(2, 1), Convolution(3, 3, padding=1, activation="gelu"), Local(2, 2))


@pytest.mark.parametrize("head", ["ldnn", "fully_connected", "linear"])
def test_networks_come_back(head):
    images = torch.rand(5, 1, 8, 8, generator=torch.Generator().manual_seed(0))
    network = ConvLDNN(Configuration(LAYERS, 2, 2), (1, 8, 8), 3, head).fit_whitening(images)
    network(images)  # changes the running means
    again = network.stored().restored()
    assert again.head_kind == head and again.configuration == network.configuration and again.training
    assert torch.equal(again.eval()(images), network.eval()(images))


def test_preparations_come_back():
    given = {"crop": 6, "max_rotation": 3.0, "max_scaling": 0.1, "flip": True, "shift": 2}
    preparation = Preparation((1, 8, 8), **given).fit_mean(torch.rand(4, 1, 8, 8))
    stored = preparation.stored()
    assert {name: getattr(stored, name) for name in given} == given
    again = stored.restored()
    assert again.stored().flip and again.output_shape == (1, 6, 6) and torch.equal(again.mean, preparation.mean)


@pytest.mark.parametrize("block", [Block(4, n_convolutions=1000), Block(2**16), Block(5)])
def test_layers_without_weights(block):
    stored = ConvLDNN(Configuration(LAYERS, 2, 2), (1, 8, 8), 3).stored()
    configuration = replace(stored.configuration, layers=(LAYERS[0], block, *LAYERS[2:]))
    with pytest.raises(ValueError, match=r"the weights are not those of its layers|has shape"):
        replace(stored, configuration=configuration).restored()


def test_negative_variances():
    stored = ConvLDNN(Configuration(LAYERS, 2, 2), (1, 8, 8), 3).stored()
    name = next(name for name in stored.weights if name.endswith("running_var"))
    changed = {**stored.weights, name: np.full_like(stored.weights[name], -1)}
    with pytest.raises(ValueError, match=rf"{name} has negative variances"):
        replace(stored, weights=changed).restored()
