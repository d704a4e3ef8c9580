"""A decomposed model computes what the model does."""

import numpy as np
import pytest
from configurations import NAMES
from networks import plain

from ldnn import LDNNClassifier, ModularNetworkClassifier
from ldnn._model.forward import mean_log_odds
from ldnn.rules.decomposition import Decomposition, networks_by_class


@pytest.mark.parametrize("name", NAMES)
def test_parts_are_the_model(fitted, name):
    """Half-spaces from columns, and outputs from half-spaces, as the kernels compute them."""
    model, X, _ = fitted[name]
    parts = Decomposition.of(model, model._matrix(X))
    columns = np.array([np.tensordot(parts.weights[c], parts.features, axes=1) for c in range(len(parts.weights))])
    np.testing.assert_allclose(
        parts.half_spaces(0), np.moveaxis(columns[0] + parts.biases[0][..., None], 2, 0), rtol=1e-4, atol=1e-4
    )
    weights = parts.weights[0, 0, 0]
    apart = parts.contributions(weights).sum(axis=1) + weights[parts.owner < 0] @ parts.features[parts.owner < 0]
    np.testing.assert_allclose(apart + parts.biases[0, 0, 0], parts.half_spaces(0)[:, 0, 0], rtol=1e-3, atol=1e-3)
    log_odds = []
    for c in range(len(parts.weights)):
        log_not_f = parts.log_not_output(parts.conjunctions(parts.half_spaces(c).astype(float)))
        log_odds.append(np.log(-np.expm1(log_not_f)) - log_not_f)
    found = mean_log_odds(np.reshape(log_odds, (model._state.plan.n_estimators, -1, len(X))))
    np.testing.assert_allclose(found, model._log_odds(model._matrix(X)), rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("Classifier", [LDNNClassifier, ModularNetworkClassifier])
def test_slopes_are_derivatives(random, Classifier):
    X, y = random.standard_normal((80, 3)), random.integers(2, size=80)
    model = plain(2, 3, Classifier=Classifier, max_epochs=3).fit(X, y)
    parts = Decomposition.of(model, X)
    z = parts.half_spaces(0).astype(float)

    def output(z):
        return -np.expm1(parts.log_not_output(parts.conjunctions(z)))

    for i in range(2):
        for j in range(3):
            moved = z.copy()
            moved[:, i, j] += 1e-6
            np.testing.assert_allclose(parts.slopes(z)[:, i, j], (output(moved) - output(z)) / 1e-6, atol=1e-4)


def test_networks_by_class_classes(fitted):
    assert networks_by_class(fitted["linear members"][0]) == {1: [0, 1, 2]}
    networks = networks_by_class(fitted["classes"][0])
    count = 3 * len(networks[0])
    assert list(networks) == [0, 1, 2] and sorted(c for own in networks.values() for c in own) == list(range(count))
