"""The networks of a table in PyTorch: outputs and gradients are those of the kernels."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from networks import half_spaces, piecewise_network, piecewise_rows, train

from ldnn._model.network import Network, basis_features
from ldnn.deep import log_loss, squared_loss
from ldnn.deep.table_networks import TableNetworks

LOSSES = {"squared": squared_loss, "log": log_loss}


@pytest.fixture
def random():
    return np.random.default_rng(0)


def tensors(*arrays):
    return [torch.from_numpy(array) for array in arrays]


def test_features_are_those_of_the_encoder(random):
    network, _, _ = piecewise_network(random)
    X, positions = piecewise_rows(random)
    features = TableNetworks(network).features(*tensors(X, positions)).numpy()
    np.testing.assert_allclose(features, np.hstack([X, basis_features(positions, network.bases)]), atol=1e-6)


def test_log_odds_are_those_of_the_network(random):
    network, _, _ = piecewise_network(random)
    rows = piecewise_rows(random)
    log_odds = TableNetworks(network)(*tensors(*rows)).detach().numpy()
    np.testing.assert_allclose(log_odds[:, 0], network.exact_log_odds(rows, 0), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("loss", LOSSES)
def test_gradients_are_those_of_the_kernels(random, loss):
    network, w, b = piecewise_network(random)
    networks = TableNetworks(network)
    X, positions = piecewise_rows(random, n=12)
    for k in range(len(X)):
        row, label = slice(k, k + 1), [k % 2]
        networks.zero_grad()
        log_odds = networks(*tensors(X[row], positions[row]))
        LOSSES[loss](log_odds, torch.tensor(label), 0.2).sum().backward()
        learned = network.copy()
        train(learned, X[row], label, loss=loss, learning_rate=1.0, label_smoothing=0.2, positions=positions[row])
        new_w, new_b = half_spaces(learned)
        sizes = (network.M, network.N, 1)
        weight = networks.layer.weight.grad.view(*sizes, -1).permute(2, 1, 0, 3)[0]
        np.testing.assert_allclose(weight, w - new_w, atol=2e-5)
        np.testing.assert_allclose(networks.layer.bias.grad.view(sizes).permute(2, 1, 0)[0], b - new_b, atol=2e-5)


def test_half_spaces_go_there_and_back(random):
    network, _, _ = piecewise_network(random)
    copied = network.copy()
    copied.parameters[:] = 0
    TableNetworks(network).write_to(copied)
    np.testing.assert_array_equal(copied.parameters, network.parameters)


def test_what_a_network_does_not_have_stays(random):
    """Networks of different sizes, of which the second does not read the knots of a column and learns faster."""
    bases, linear = (np.array([[3, 5, levels], [8, 3, 1]], np.int32) for levels in (1, 0))
    shapes = [(3, 2), (2, 4)]
    network = Network.from_discriminants(
        [(random.standard_normal((*shape, 10)), random.standard_normal(shape)) for shape in shapes], bases, 2
    )
    network = replace(network, own_bases=[bases, linear], rate_factors=[1.0, 3.0])
    networks = TableNetworks(network)
    squared_loss(networks(*tensors(*piecewise_rows(random))), torch.arange(40) % 2).sum().backward()
    gradient = networks.layer.weight.grad.clone()
    networks.step(0.01, np.inf)
    learned = network.copy()
    networks.write_to(learned)
    (before, _), (after, _) = network.discriminants(), learned.discriminants()
    steps = before - after
    factors = np.zeros(steps.shape)
    factors[0, :3, :2] = 1
    factors[1, :2, :4] = 3
    factors[1, ..., 2:7] = 0
    expected = 0.01 * factors * gradient.view(4, 3, 2, 10).permute(2, 1, 0, 3).numpy()
    np.testing.assert_allclose(steps, expected, atol=1e-6)
    assert (expected != 0).sum() == (factors != 0).sum()


def test_steps_have_a_longest_length(random):
    network, w, b = piecewise_network(random)
    learned = network.copy()
    networks = TableNetworks(network)
    squared_loss(networks(*tensors(*piecewise_rows(random))), torch.arange(40) % 2).sum().backward()
    gradient = torch.cat([networks.layer.weight.grad, networks.layer.bias.grad[:, None]], 1)
    lengths = gradient.norm(dim=1).view(network.M, network.N).T.numpy()
    longest = float(np.median(lengths))
    networks.step(0.1, longest)
    networks.write_to(learned)
    new_w, new_b = half_spaces(learned)
    moved = np.sqrt(((new_w - w) ** 2).sum(-1) + (new_b - b) ** 2)
    np.testing.assert_allclose(moved, 0.1 * np.minimum(lengths, longest), rtol=1e-4)
