"""What plots take from a model is what the model itself computes."""

import numpy as np
import pandas as pd
from networks import plain

from ldnn.plotting import _model_view as view


def test_probabilities_and_discriminants_of_several_classes(blobs):
    X, y = blobs
    model = plain(2, 3, max_epochs=3).fit(X, y)
    matrix = view.as_matrix(model, X)
    np.testing.assert_allclose(view.class_probabilities(model, matrix).T, model.predict_proba(X), atol=1e-9)
    assert view.n_networks(model) == view.n_networks_per_member(model) == 3
    assert [view.network_label(model, k) for k in range(3)] == ["a", "b", "c"]
    for k in range(3):
        z = np.einsum("rk,ijk->rij", X, model.weights_[k]) + model.biases_[k]
        np.testing.assert_allclose(view.discriminant_values(model, matrix, k), z, atol=1e-3)


def test_the_initial_model_leaves_the_trained_one_as_it_is(moons_model):
    model, X, _ = moons_model
    before = model.predict_proba(X)
    initial = view.initial_model(model)
    z = np.einsum("rk,ijk->rij", X.to_numpy(), model.initial_weights_[0]) + model.initial_biases_[0]
    np.testing.assert_allclose(view.discriminant_values(initial, view.as_matrix(model, X), 0), z, atol=1e-3)
    assert not np.allclose(initial.predict_proba(X), before, atol=0.05)
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_column_units(moons):
    X, y = moons
    table = pd.DataFrame(X, columns=["a", "b"])
    assert view.column_units(plain(2, 2, max_epochs=1).fit(X, y)) == ["number", "number"]
    model = plain(2, 2, max_epochs=1).fit(table.assign(kind=np.where(y, "x", "z")), y)
    assert view.column_units(model) == ["number", "number", "category"]
