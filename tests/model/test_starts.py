"""Where half-spaces start: midway between centroids, at random, at the conditions of rules."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks import plain
from sklearn.tree import DecisionTreeClassifier

from ldnn import LDNNClassifier, reference
from ldnn._encoding.rows import EncodedRows
from ldnn._model.starts import start_from_centroids, start_network
from ldnn._plan import StartPlan


def rows_of(X, y):
    X = np.ascontiguousarray(X, np.float32)
    return EncodedRows(X, np.empty((len(X), 0), np.float32), np.asarray(y, np.int32), np.ones(len(X)))


class TestCentroids:
    @given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 10), st.integers(0, 2**32 - 1))
    def test_initial_discriminants_are_one_half_at_the_midpoints(self, N, M, features, seed):
        random = np.random.default_rng(seed)
        plus, minus = 10 * random.standard_normal((N, features)), 10 * random.standard_normal((M, features))
        start = start_from_centroids(plus, minus)
        for i in range(N):
            for j in range(M):
                midpoint = (plus[i] + minus[j]) / 2
                assert reference.sigmoid(midpoint, start.weights, start.biases)[i, j] == pytest.approx(0.5)
                assert np.linalg.norm(start.weights[i, j]) == pytest.approx(1)
                assert reference.sigmoid(plus[i], start.weights, start.biases)[i, j] > 0.5
        w, b = reference.discriminants(plus, minus)
        np.testing.assert_allclose(start.weights, w)
        np.testing.assert_allclose(start.biases, b, atol=1e-12)

    @given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 10), st.floats(0.1, 50), st.integers(0, 2**32 - 1))
    def test_limited_discriminants_are_no_steeper_at_their_centroids(self, N, M, features, limit, seed):
        random = np.random.default_rng(seed)
        plus, minus = 10 * random.standard_normal((N, features)), 10 * random.standard_normal((M, features))
        start, unlimited = start_from_centroids(plus, minus, limit), start_from_centroids(plus, minus)
        at_centroids = np.einsum("ijk,ik->ij", start.weights, plus) + start.biases
        before = np.einsum("ijk,ik->ij", unlimited.weights, plus) + unlimited.biases
        np.testing.assert_allclose(at_centroids, np.minimum(before, limit), rtol=1e-9, atol=1e-9)
        is_gentle = before <= limit
        np.testing.assert_array_equal(start.weights[is_gentle], unlimited.weights[is_gentle])

    def test_coinciding_centroids_give_a_flat_half_space(self):
        start = start_from_centroids(np.ones((1, 3)), np.ones((1, 3)))
        assert (start.weights == 0).all() and (start.biases == 0).all()

    def test_first_half_spaces_are_limited_where_asked_for_and_in_wide_tables(self, random):
        """At centroids that are far apart, as they are among hundreds of columns, sigmas would be 0 or 1."""
        y = np.repeat([0, 1], 60)
        wide = random.standard_normal((120, 200)) + y[:, None]
        narrow = wide[:, :20]

        def slopes(X, **settings):
            """The lengths of the first normals, in normalised units."""
            settings = {"init": "auto", "max_epochs": 1, "validation_fraction": 0, "learning_rate": 1e-9, **settings}
            model = plain(2, 2, **settings).fit(X, y)
            return np.linalg.norm(model.normalized_weights_, axis=-1).ravel()

        np.testing.assert_allclose(slopes(wide, init="kmeans"), 1, rtol=1e-5)  # as in the paper
        np.testing.assert_allclose(slopes(narrow), 1, rtol=1e-5)
        np.testing.assert_allclose(slopes(wide[:, 1:]), 1, rtol=1e-5)
        for settings in ({}, {"max_epochs": 2}, {"n_estimators": 4, "learning_rate": "auto", "max_epochs": "auto"}):
            start = LDNNClassifier(2, 2, discriminant="linear", normalize="standard", random_state=0, effort=0.1)
            assert start.set_params(**settings).fit(wide, y)._state.plan.start.limit == 2
        assert slopes(wide).max() < 0.5
        start = start_network(rows_of(narrow, y), 1, StartPlan("kmeans", 2, 2, 3, limit=0.5), random)
        assert np.linalg.norm(start.weights, axis=2).max() < 0.5


@pytest.mark.parametrize("method", ["kmeans", "farthest", "random", "rules"])
def test_starts_are_monotone(random, method):
    """No weight is against the direction of its column, and networks that start so are neither dead nor saturated."""
    X = random.standard_normal((300, 4))
    rows = rows_of(X, X[:, 0] - X[:, 1] + X[:, 2] > 0)
    directions = np.array([1, 1, 0, -1])  # the second is against the truth
    start = start_network(rows, 1, StartPlan(method, 4, 3, 1), np.random.default_rng(0), directions)
    assert (start.weights * directions).min() >= 0
    assert (start.weights != 0).any(axis=(0, 1)).all()
    outputs = [reference.network(x, start.weights, start.biases) for x in X]
    assert 0.05 < np.mean(outputs) < 0.95
    free = start_network(rows, 1, StartPlan(method, 4, 3, 1), np.random.default_rng(0))
    assert (free.weights * directions).min() < 0


class TestRandom:
    def test_random_start_is_neither_dead_nor_saturated(self, random):
        X = random.standard_normal((200, 5))
        for N, M in ((1, 1), (10, 8), (3, 30)):
            start = start_network(rows_of(X, np.arange(200) % 2), 1, StartPlan("random", N, M, 1), random)
            outputs = [reference.network(x, start.weights, start.biases) for x in X]
            assert 0.05 < np.mean(outputs) < 0.95
            assert start.positive_centroids is None

    @pytest.mark.parametrize("method", ["kmeans", "farthest", "rules"])
    @pytest.mark.parametrize("c", [0, 1])
    def test_a_side_without_rows_starts_at_random(self, random, method, c):
        rows = rows_of(random.standard_normal((20, 3)), np.full(20, c))
        start = start_network(rows, 1, StartPlan(method, 2, 3, 1), random)
        assert start.weights.shape == (2, 3, 3)
        assert start.positive_centroids is start.negative_centroids is None
        np.testing.assert_allclose(np.linalg.norm(start.weights, axis=2), 1)


class TestRules:
    """Rules as initialisation, which the paper's conclusion hopes for."""

    def test_the_first_output_is_that_of_the_tree(self, random):
        X = random.uniform(-1, 1, (2000, 3))
        y = ((X[:, 0] > 0.2) & (X[:, 1] < 0.4)) | (X[:, 2] > 0.8)
        untrained = plain(6, 4, init="rules", max_epochs=1, learning_rate=1e-9, validation_fraction=0).fit(X, y)
        tree = DecisionTreeClassifier(max_depth=4, max_leaf_nodes=18, random_state=0).fit(X, y)
        agree = np.mean(untrained.predict(X) == tree.predict(X))
        assert agree > 0.9
        trained = plain(6, 4, init="rules", max_epochs=40, validation_fraction=0).fit(X, y)
        assert trained.score(X, y) > max(untrained.score(X, y), 0.97)

    def test_conditions_are_on_single_columns_and_midway_at_the_threshold(self, random):
        X = random.uniform(-1, 1, (1000, 2))
        y = X[:, 0] > 0.3
        model = plain(1, 1, init="rules", max_epochs=1, learning_rate=1e-9, validation_fraction=0).fit(X, y)
        w, b = model.initial_weights_[0, 0, 0], model.initial_biases_[0, 0, 0]
        assert w[0] > 0
        assert w[1] == 0
        assert -b / w[0] == pytest.approx(0.3, abs=0.02)

    def test_several_classes_categories_and_ensembles(self, random):
        table = pd.DataFrame({"a": random.standard_normal(400), "b": random.choice(["x", "y", "z"], 400)})
        y = np.where(table["b"] == "x", "one", np.where(table["a"] > 0, "two", "three"))
        model = plain(3, 3, init="rules", n_estimators=2).fit(table, y)
        assert model.score(table, y) > 0.95
        assert not np.array_equal(model.initial_weights_[0], model.initial_weights_[3])

    def test_few_rows(self):
        model = plain(4, 4, init="rules", max_epochs=5).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
        assert np.isfinite(model.predict_proba([[0.5]])).all()
