"""The fitted attributes of a classifier."""

import numpy as np
import pytest
from networks import plain
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from ldnn import LDNNClassifier, ModularNetworkClassifier
from ldnn._model.attributes import FittedAttributes

ATTRIBUTES = [name for name, value in vars(FittedAttributes).items() if isinstance(value, property)]


@pytest.fixture(scope="module")
def model():
    random = np.random.default_rng(0)
    X = random.standard_normal((100, 2)) * [1, 50] + [3, -7]
    return plain(2, 3, max_epochs=4).fit(X, X[:, 0] > 3)


def test_there_are_all_of_them():
    assert {"classes_", "plan_", "weights_", "biases_", "history_", "terms_", "sizes_"} < set(ATTRIBUTES)
    assert "search_history_" in ATTRIBUTES


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_fitted_attributes_cannot_be_assigned(model, name):
    before = getattr(model, name)
    with pytest.raises(AttributeError):
        setattr(model, name, None)
    np.testing.assert_array_equal(getattr(model, name), before)


@pytest.mark.parametrize("name", ATTRIBUTES)
@pytest.mark.parametrize("Classifier", [LDNNClassifier, ModularNetworkClassifier])
def test_before_a_fit_there_are_none(Classifier, name):
    assert not hasattr(Classifier(), name)
    with pytest.raises(NotFittedError):
        getattr(Classifier(), name)


def test_a_clone_is_not_fitted(model):
    assert model.__sklearn_is_fitted__()
    assert not clone(model).__sklearn_is_fitted__()


def test_shapes_and_numbers(model):
    assert model.weights_.shape == model.initial_weights_.shape == model.normalized_weights_.shape == (1, 2, 3, 2)
    assert model.biases_.shape == model.initial_biases_.shape == model.normalized_biases_.shape == (1, 2, 3)
    assert model.sizes_.tolist() == [[2, 3]]
    assert model.classes_.tolist() == [False, True]
    assert model.terms_ == ["x0", "x1"]
    assert model.n_epochs_ == len(model.history_["validation_loss"]) == 4
    assert model.best_epoch_ == 1 + np.argmin(model.history_["validation_loss"])
    assert model.search_history_ == []
    assert model.plan_["n_conjunctions"] == 2
    assert model.plan_["learning_rate"] == 0.25


def test_half_spaces_in_user_units_and_normalised_are_the_same(model, random):
    X = random.standard_normal((20, 2)) * [1, 50] + [3, -7]
    normalizer = model._state.encoder.normalizer
    z = np.einsum("rk,cijk->rcij", X, model.weights_) + model.biases_
    normalized = (X - normalizer.center) * normalizer.scale
    expected = np.einsum("rk,cijk->rcij", normalized, model.normalized_weights_) + model.normalized_biases_
    np.testing.assert_allclose(z, expected, rtol=1e-6, atol=1e-6)


def test_the_first_half_spaces_are_kept(model):
    """Unit normals in normalised units, which training has moved."""
    scale = model._state.encoder.normalizer.scale
    np.testing.assert_allclose(np.linalg.norm(model.initial_weights_ / scale, axis=-1), 1, rtol=1e-5)
    assert not np.allclose(model.initial_weights_, model.weights_)


def test_arrays_are_made_anew(model):
    before = model.weights_.copy()
    model.weights_[:] = 7
    np.testing.assert_array_equal(model.weights_, before)
