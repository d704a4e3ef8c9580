"""Clusters see numbers and categories, but neither knots nor products."""

import numpy as np
import pytest

from ldnn._encoding.clustering_space import ClusteringSpace
from ldnn._encoding.fit_encoder import fit_encoder
from ldnn._model.network import Network
from ldnn._plan import EncodingPlan, KnotPlan
from ldnn._table.training_table import TrainingTable


@pytest.fixture
def table(random):
    X = np.column_stack([random.integers(0, 2, 200), random.standard_normal((200, 2)), random.integers(0, 3, 200)])
    X[::9, 2] = np.nan
    y = (X[:, 1] > 0).astype(np.int32)
    return TrainingTable(X, np.arange(200), y, np.ones(200), np.array([True, False, False, True]), 2)


PLANS = {
    "linear": EncodingPlan("standard"),
    "piecewise": EncodingPlan("standard", KnotPlan("mixed", 8)),
    "conic": EncodingPlan("standard", is_conic=True),
    "components": EncodingPlan("standard", n_components=1),
}


@pytest.mark.parametrize("name", PLANS)
def test_rows_are_numbers_and_indicators(table, name):
    encoder = fit_encoder(table, PLANS[name], np.random.default_rng(0))
    rows = encoder.encode_table(table)
    space = ClusteringSpace(encoder)
    dense = space.encode(rows)
    assert dense.X.shape == (200, space.width)
    assert (dense.X.dtype, space.width) == (np.float32, encoder.n_numbers + 2 + 3)
    np.testing.assert_array_equal(dense.X[:, : encoder.n_numbers], rows.X[:, : encoder.n_numbers])
    indicators = [table.X[:, 0, None] == np.arange(2), table.X[:, 3, None] == np.arange(3)]
    np.testing.assert_array_equal(dense.X[:, encoder.n_numbers :], np.hstack(indicators))
    assert dense.y is rows.y and dense.weights is rows.weights


@pytest.mark.parametrize("name", PLANS)
def test_expanded_half_spaces_say_the_same(table, random, name):
    """w.x + b in the clustering space is that of the network on the encoded rows."""
    encoder = fit_encoder(table, PLANS[name], np.random.default_rng(0))
    rows = encoder.encode_table(table)
    space = ClusteringSpace(encoder)
    weights, biases = random.standard_normal((2, 3, space.width)), random.standard_normal((2, 3))
    expanded = space.expand(weights)
    assert expanded.shape == (2, 3, encoder.n_features)
    network = Network.from_discriminants([(expanded, biases)], encoder.basis_table, encoder.n_dense)
    expected = np.einsum("rk,ijk->rij", space.encode(rows).X, weights) + biases
    np.testing.assert_allclose(network.half_space_values(rows.features, 0), expected, rtol=1e-4, atol=1e-5)


def test_numbers_alone_are_not_copied(random):
    X = random.standard_normal((50, 2))
    table = TrainingTable(X, np.arange(50), (X[:, 0] > 0).astype(np.int32), np.ones(50), np.zeros(2, bool), 2)
    encoder = fit_encoder(table, PLANS["linear"], random)
    rows = encoder.encode_table(table)
    space = ClusteringSpace(encoder)
    assert space.encode(rows) is rows
    weights = random.standard_normal((2, 2, 2))
    assert space.expand(weights) is weights
