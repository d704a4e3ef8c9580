"""Conic discriminants, which the paper's conclusion hopes for: products of columns as features."""

import numpy as np
import pandas as pd
import pytest
from networks import plain
from scipy.special import expit

from ldnn import LDNNClassifier, reference
from ldnn._encoding.products import ALL_PRODUCTS, product_pairs, with_products


@pytest.fixture
def rings(random):
    """A ring around the middle: two ellipses, or many half-planes."""
    X = random.standard_normal((1500, 2)) * [1, 5]
    radius = np.hypot(X[:, 0], X[:, 1] / 5)
    return X, (radius > 0.7) & (radius < 1.6)


def test_products_of_normal_numbers_have_mean_0_and_variance_1(random):
    numbers = random.standard_normal((100_000, 3)).astype(np.float32)
    both = with_products(numbers)
    np.testing.assert_array_equal(both[:, :3], numbers)
    assert product_pairs(3) == [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    np.testing.assert_allclose(both[:, 4], numbers[:, 0] * numbers[:, 1])
    np.testing.assert_allclose(both.mean(axis=0, dtype=float), 0, atol=0.02)
    np.testing.assert_allclose(both.std(axis=0, dtype=float), 1, atol=0.02)


def test_an_ellipse_is_one_discriminant(rings):
    X, y = rings
    inside = np.hypot(X[:, 0], X[:, 1] / 5) < 1
    assert plain(1, 1).fit(X, inside).score(X, inside) < 0.8
    assert plain(1, 1, discriminant="conic").fit(X, inside).score(X, inside) > 0.97
    assert plain(1, 2, discriminant="conic").fit(X, y).score(X, y) > 0.95


def test_the_output_is_that_of_the_products_as_features(rings):
    X, y = rings
    model = plain(2, 3, discriminant="conic", max_epochs=5).fit(X, y)
    assert model.terms_ == ["x0", "x1", "x0 * x0 (normalised)", "x0 * x1 (normalised)", "x1 * x1 (normalised)"]
    z = (X[:30] - model._state.encoder.normalizer.center) * model._state.encoder.normalizer.scale
    products = np.column_stack([(z[:, 0] ** 2 - 1) / 2**0.5, z[:, 0] * z[:, 1], (z[:, 1] ** 2 - 1) / 2**0.5])
    for features, weights, biases in (
        (z, model.normalized_weights_, model.normalized_biases_),
        (X[:30], model.weights_, model.biases_),
    ):
        expected = [reference.network(x, weights[0], biases[0]) for x in np.concatenate([features, products], axis=1)]
        np.testing.assert_allclose(expit(model.decision_function(X[:30])), expected, rtol=1e-3, atol=1e-6)


def test_conics_start_as_the_planes_between_clusters(rings):
    X, y = rings
    conic = plain(3, 3, discriminant="conic", max_epochs=1).fit(X, y)
    linear = plain(3, 3, max_epochs=1).fit(X, y)
    np.testing.assert_allclose(conic.initial_weights_[..., :2], linear.initial_weights_)
    np.testing.assert_array_equal(conic.initial_weights_[..., 2:], 0)


def test_many_columns_have_squares_only(random):
    X = random.standard_normal((100, ALL_PRODUCTS + 1))
    model = plain(1, 1, discriminant="conic", max_epochs=1).fit(X, X[:, 0] > 0)
    assert model.weights_.shape[-1] == 2 * (ALL_PRODUCTS + 1)


def test_with_categories_and_missing_values(random):
    table = pd.DataFrame({"a": random.standard_normal(300), "b": random.choice(["x", "y"], 300)})
    y = (table["a"] ** 2 > 1) ^ (table["b"] == "x")
    table.loc[::11, "a"] = np.nan
    model = LDNNClassifier(3, 3, discriminant="conic", random_state=0).fit(table, y)
    assert model.score(table, y) > 0.85
    assert len(model.terms_) == model.weights_.shape[-1]


def test_huge_values(rings):
    X, y = rings
    model = plain(2, 2, discriminant="conic", max_epochs=5).fit(X, y)
    assert np.isfinite(model.predict_proba(X * 1e300)).all()
