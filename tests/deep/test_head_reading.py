"""The features of a head, its conjunctions, and the picture of the images for which they fire."""

import pytest
import torch
from tiny_run import data, new_network, preparation

from ldnn.deep import LDNN, head_features, plot_fired_images


def test_conjunctions_are_products_of_half_spaces():
    head = LDNN(4, 3, n_conjunctions=2, n_discriminants=5)
    x = torch.randn(7, 4)
    weights, biases = head.half_spaces()
    g = torch.sigmoid(torch.einsum("bf,cnmf->bcnm", x, weights) + biases).prod(-1)
    torch.testing.assert_close(head.conjunctions(x), g.detach())
    torch.testing.assert_close(torch.sigmoid(head(x)), 1 - (1 - g).prod(-1))


def test_features_are_those_that_enter_the_head():
    network, x = new_network(), preparation()(data(30)[0])
    features = head_features(network, x, batch_size=7)
    torch.testing.assert_close(network.head(features), network.eval()(x))
    assert not features.requires_grad and not network.head._forward_pre_hooks


def test_the_picture():
    """One row for each conjunction, whose images are in the order of its values."""
    images = data(30)[0]
    network, x = new_network(), preparation()(images)
    figure = plot_fired_images(network, x, images[:, 0].numpy(), 1, n_images=5, title="class 1")
    g = network.head.conjunctions(head_features(network, x))[:, 1]
    assert len(figure.axes) == 2 * 5
    for number in range(2):
        row = figure.axes[5 * number : 5 * number + 5]
        assert [ax.get_xlabel() for ax in row] == [
            f"{value:.2f}" for value in g[:, number].sort(descending=True)[0][:5]
        ]
        count = int(((g.argmax(1) == number) & (g.amax(1) > 0.5)).sum())
        assert row[0].get_ylabel() == f"conjunction {number + 1}\n{count} images"


def test_wrong_calls():
    network, x = new_network(), preparation()(data(5)[0])
    with pytest.raises(ValueError, match="class_index=3 is not allowed: give a number from 0 to 2"):
        plot_fired_images(network, x, data(5)[0][:, 0].numpy(), 3)
    with pytest.raises(ValueError, match="x has 5 images and images has 4"):
        plot_fired_images(network, x, data(4)[0][:, 0].numpy(), 0)
    with pytest.raises(ValueError, match="has no LDNN"):
        head_features(torch.nn.Linear(2, 2), x)
