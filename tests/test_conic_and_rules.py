"""What the paper's conclusion hopes for: conic discriminants, and rules as initialisation."""

import numpy as np
import pandas as pd
import pytest
from networks import plain
from scipy.special import expit
from sklearn.tree import DecisionTreeClassifier

from ldnn import LDNNClassifier, reference
from ldnn.encode import PRODUCTS


@pytest.fixture
def rings(random):
    """A ring around the middle: two ellipses, or many half-planes."""
    X = random.standard_normal((1500, 2)) * [1, 5]
    radius = np.hypot(X[:, 0], X[:, 1] / 5)
    return X, (radius > 0.7) & (radius < 1.6)


class TestConic:
    def test_an_ellipse_is_one_discriminant(self, rings):
        X, y = rings
        inside = np.hypot(X[:, 0], X[:, 1] / 5) < 1
        assert plain(1, 1).fit(X, inside).score(X, inside) < 0.8
        assert plain(1, 1, discriminant="conic").fit(X, inside).score(X, inside) > 0.97
        assert plain(1, 2, discriminant="conic").fit(X, y).score(X, y) > 0.95

    def test_the_output_is_that_of_the_products_as_features(self, rings):
        X, y = rings
        model = plain(2, 3, discriminant="conic", max_epochs=5).fit(X, y)
        assert model.terms_ == [
            "x0", "x1", "x0 * x0 (normalised)", "x0 * x1 (normalised)", "x1 * x1 (normalised)",
        ]  # fmt: skip
        z = (X[:30] - model._state.encoder.normalizer.center) * model._state.encoder.normalizer.scale
        products = np.column_stack([(z[:, 0] ** 2 - 1) / 2**0.5, z[:, 0] * z[:, 1], (z[:, 1] ** 2 - 1) / 2**0.5])
        for features, weights, biases in (
            (z, model.normalized_weights_, model.normalized_biases_),
            (X[:30], model.weights_, model.biases_),
        ):
            expected = [
                reference.network(x, weights[0], biases[0]) for x in np.concatenate([features, products], axis=1)
            ]
            np.testing.assert_allclose(expit(model.decision_function(X[:30])), expected, rtol=1e-3, atol=1e-6)

    def test_conics_start_as_the_planes_between_clusters(self, rings):
        X, y = rings
        conic = plain(3, 3, discriminant="conic", max_epochs=1).fit(X, y)
        linear = plain(3, 3, max_epochs=1).fit(X, y)
        np.testing.assert_allclose(conic.initial_weights_[..., :2], linear.initial_weights_)
        np.testing.assert_array_equal(conic.initial_weights_[..., 2:], 0)

    def test_many_columns_have_squares_only(self, random):
        X = random.standard_normal((100, PRODUCTS + 1))
        model = plain(1, 1, discriminant="conic", max_epochs=1).fit(X, X[:, 0] > 0)
        assert model.weights_.shape[-1] == 2 * (PRODUCTS + 1)

    def test_with_bends_categories_and_missing_values(self, random):
        table = pd.DataFrame({"a": random.standard_normal(300), "b": random.choice(["x", "y"], 300)})
        y = (table["a"] ** 2 > 1) ^ (table["b"] == "x")
        table.loc[::11, "a"] = np.nan
        model = LDNNClassifier(3, 3, discriminant="conic", random_state=0).fit(table, y)
        assert model.score(table, y) > 0.85
        assert len(model.terms_) == model.weights_.shape[-1]

    def test_huge_values(self, rings):
        X, y = rings
        model = plain(2, 2, discriminant="conic", max_epochs=5).fit(X, y)
        assert np.isfinite(model.predict_proba(X * 1e300)).all()


class TestRules:
    def test_the_first_output_is_that_of_the_tree(self, random):
        X = random.uniform(-1, 1, (2000, 3))
        y = ((X[:, 0] > 0.2) & (X[:, 1] < 0.4)) | (X[:, 2] > 0.8)
        untrained = plain(6, 4, init="rules", max_epochs=1, step_size=1e-9, validation_fraction=0).fit(X, y)
        tree = DecisionTreeClassifier(max_depth=4, max_leaf_nodes=18, random_state=0).fit(X, y)
        agree = np.mean(untrained.predict(X) == tree.predict(X))
        assert agree > 0.9
        trained = plain(6, 4, init="rules", max_epochs=40, validation_fraction=0).fit(X, y)
        assert trained.score(X, y) > max(untrained.score(X, y), 0.97)

    def test_conditions_are_on_single_columns_and_midway_at_the_threshold(self, random):
        X = random.uniform(-1, 1, (1000, 2))
        y = X[:, 0] > 0.3
        model = plain(1, 1, init="rules", max_epochs=1, step_size=1e-9, validation_fraction=0).fit(X, y)
        w, b = model.initial_weights_[0, 0, 0], model.initial_biases_[0, 0, 0]
        assert w[0] > 0
        assert w[1] == 0
        assert -b / w[0] == pytest.approx(0.3, abs=0.02)

    def test_several_classes_categories_and_votes(self, random):
        table = pd.DataFrame({"a": random.standard_normal(400), "b": random.choice(["x", "y", "z"], 400)})
        y = np.where(table["b"] == "x", "one", np.where(table["a"] > 0, "two", "three"))
        model = plain(3, 3, init="rules", n_networks=2).fit(table, y)
        assert model.score(table, y) > 0.95
        assert not np.array_equal(model.initial_weights_[0], model.initial_weights_[3])

    def test_few_rows(self):
        model = plain(4, 4, init="rules", max_epochs=5).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
        assert np.isfinite(model.predict_proba([[0.5]])).all()
