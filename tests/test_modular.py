"""ModularNetworkClassifier."""

import numpy as np

from ldnn import LDNNClassifier, ModularNetworkClassifier


def test_modular_network_is_min_and_max(blobs):
    X, y = blobs
    model = ModularNetworkClassifier(3, 4, max_epochs=5, random_state=0).fit(X, y)
    z = np.einsum("rk,cijk->rcij", X, model.weights_) + model.biases_
    np.testing.assert_allclose(model.decision_function(X), z.min(axis=3).max(axis=2), rtol=1e-3, atol=1e-3)


def test_parameters_are_those_of_the_other_classifier():
    others = {"effort", "discriminant", "n_estimators", "monotonic_cst", "revisit_every"}
    assert LDNNClassifier().get_params().keys() - ModularNetworkClassifier().get_params().keys() == others
    assert ModularNetworkClassifier().get_params().keys() < LDNNClassifier().get_params().keys()


def test_it_starts_as_the_plain_network_does(blobs):
    """The two differ in what they learn from a row, not in where they begin."""
    X, y = blobs
    modular = ModularNetworkClassifier(3, 4, max_epochs=1, label_smoothing=0.0, random_state=0).fit(X, y)
    joint = LDNNClassifier.from_paper(3, 4, max_epochs=1, random_state=0).fit(X, y)
    np.testing.assert_array_equal(modular.initial_weights_, joint.initial_weights_)
    np.testing.assert_array_equal(modular.initial_biases_, joint.initial_biases_)
    assert not np.array_equal(modular.weights_, joint.weights_)
