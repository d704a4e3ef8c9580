"""Log-odds of stored images, and what is made of them."""

import numpy as np
import torch
from tiny_run import data, new_network, preparation

from ldnn.deep import Preparation, evaluate, probabilities
from ldnn.deep.inference import predicted_classes


def test_images_are_evaluated_without_random_views():
    """In parts of 500 images, with the centre crop; dropout is off, and the network stays in its mode."""
    images, _ = data(1100)
    network = new_network()
    network.trunk.append(torch.nn.Dropout(0.5))
    network.train()
    log_odds = evaluate(network, preparation(), images)
    assert network.training and log_odds.shape == (1100, 3) and not log_odds.requires_grad
    expected = network.eval()(images[:, :, 1:9, 1:9])
    torch.testing.assert_close(log_odds, expected.detach(), rtol=1e-4, atol=1e-5)


def test_log_odds_are_averaged_over_views():
    images, _ = data(20)
    network, prepare = new_network(), Preparation((1, 10, 10), crop=8, flip=True, shift=1)
    found = evaluate(network, prepare, images, views=True)
    expected = torch.stack([network(x) for x in prepare.fixed_views(images)]).mean(0)
    torch.testing.assert_close(found, expected.detach())
    assert not torch.allclose(found, evaluate(network, prepare, images))


def test_probabilities_are_each_output_divided_by_the_sum():
    log_odds = torch.randn(5, 3, dtype=torch.float64)
    f = torch.sigmoid(log_odds).numpy()
    np.testing.assert_allclose(probabilities(log_odds), f / f.sum(axis=1, keepdims=True), rtol=1e-12)
    np.testing.assert_allclose(probabilities(torch.tensor([[-2000.0, -2001.0]])).sum(), 1)  # where f underflows


def test_one_output_is_the_probability_of_the_second_class():
    log_odds = torch.tensor([[-1.0], [0.0], [3.0]], dtype=torch.float64)
    f = torch.sigmoid(log_odds).numpy()
    np.testing.assert_allclose(probabilities(log_odds), np.hstack([1 - f, f]))
    assert predicted_classes(log_odds).tolist() == [0, 0, 1]


def test_the_predicted_class_has_the_largest_output():
    assert predicted_classes(torch.tensor([[-3.0, -1.0, -2.0], [5.0, 4.0, 6.0]])).tolist() == [1, 2]
