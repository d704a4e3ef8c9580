"""Centroids that the user passes as init."""

from dataclasses import replace

import numpy as np
import pytest
from networks import plain

from ldnn import LDNNClassifier
from ldnn._encoding.bases import Missing
from ldnn._encoding.encoder import Encoder
from ldnn._encoding.normalizer import Normalizer
from ldnn._model.given_centroids import read_centroids


@pytest.fixture
def encoder():
    return Encoder(np.arange(2), Normalizer(np.array([1.0, 2.0]), np.array([0.5, 4.0])), [])


def test_centroids_are_normalised_like_rows(encoder):
    ((positive, negative),) = read_centroids(([[1.0, 2.0], [3.0, 2.0]], np.array([[1, 3]])), 1, encoder)
    np.testing.assert_array_equal(positive, [[0, 0], [1, 0]])
    np.testing.assert_array_equal(negative, [[0, 4]])


def test_every_class_has_its_own(encoder, random):
    positive, negative = random.standard_normal((3, 4, 2)), random.standard_normal((3, 5, 2))
    found = read_centroids((positive, negative), 3, encoder)
    assert [(one.shape, other.shape) for one, other in found] == [((4, 2), (5, 2))] * 3
    np.testing.assert_allclose(found[2][1], (negative[2] - [1, 2]) * [0.5, 4], rtol=1e-5)
    ((one, _),) = read_centroids((positive[:1], negative[:1]), 1, encoder)  # of two classes, too
    np.testing.assert_array_equal(one, found[0][0])


@pytest.mark.parametrize(
    ("init", "networks"),
    [
        ((np.ones((2, 2)),), 1),
        ((np.ones((2, 3)), np.ones((2, 3))), 1),
        ((np.ones(2), np.ones(2)), 1),
        ((np.ones((0, 2)), np.ones((2, 2))), 1),
        ((np.ones((2, 2)), np.ones((2, 2))), 3),
        ((np.ones((2, 2, 2)), np.ones((2, 2, 2))), 3),
        ((np.ones((2, 2)), [["a", "b"]]), 1),
        ((np.ones((2, 2)), [[1.0], [2.0, 3.0]]), 1),
    ],
)
def test_wrong_shapes(encoder, init, networks):
    expected = r"\(3, N, features\)" if networks == 3 else r"\(N, features\)"
    with pytest.raises(ValueError, match=f"pair of centroid arrays of shapes {expected}.*features is 2"):
        read_centroids(init, networks, encoder)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_no_numbers(encoder, value):
    with pytest.raises(ValueError, match="contain NaN or infinity"):
        read_centroids((np.array([[1.0, value]]), np.ones((1, 2))), 1, encoder)


def test_only_linear_discriminants_on_numbers(encoder):
    for changes in ({"is_conic": True}, {"bases": [Missing(0, np.array([np.nan]))]}):
        with pytest.raises(ValueError, match="needs linear discriminants"):
            read_centroids((np.ones((1, 2)), np.ones((1, 2))), 1, replace(encoder, **changes))


def test_a_model_starts_midway_between_them(random):
    X = random.standard_normal((100, 2)) * [1, 50]
    y = X[:, 0] > 0
    init = ([[1.0, 0.0], [2.0, 10.0]], [[-1.0, 0.0]])
    model = plain(9, 9, init=init, max_epochs=1).fit(X, y)
    assert model.sizes_.tolist() == [[2, 1]]
    assert (model.plan_["n_conjunctions"], model.plan_["n_discriminants"]) == (2, 1)
    for i in range(2):
        midpoint = (np.array(init[0][i]) + init[1][0]) / 2
        assert model.initial_weights_[0, i, 0] @ midpoint + model.initial_biases_[0, i, 0] == pytest.approx(0, abs=1e-5)


def test_all_members_start_from_them(random):
    X = random.standard_normal((100, 2))
    init = (X[:2], X[2:4])
    model = LDNNClassifier(init=init, n_estimators=2, max_epochs=1, random_state=0).fit(X, X[:, 0] > 0)
    np.testing.assert_array_equal(model.initial_weights_[0], model.initial_weights_[1])
