"""Principal components: networks learn the same on few directions of a wide table as on its columns, but faster."""

import numpy as np
import pandas as pd
import pytest
from networks import on_components, plain, with_plan
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split

from ldnn._encoding.components import component_sample, count_components, mapped_back, principal_components


def correlated(random, n=200, features=12, directions=3, noise=0.1):
    """Rows that differ most in few directions."""
    few = random.standard_normal((n, directions)) * np.arange(directions, 0, -1)
    mixed = few @ random.standard_normal((directions, features))
    return (mixed + noise * random.standard_normal((n, features))).astype(np.float32), few


@pytest.mark.parametrize("shape", [(50, 8), (8, 50)])
def test_components_are_those_of_scikit_learn(random, shape):
    X = (random.standard_normal(shape) * np.linspace(1, 3, shape[1])).astype(np.float32)
    variances, components = principal_components(X, np.ones(len(X)))
    found = PCA().fit(X)
    count = len(variances)
    assert count == min(shape[1], len(X) - 1)  # the mean takes one direction of few rows
    np.testing.assert_allclose(variances / variances.sum(), found.explained_variance_ratio_[:count], rtol=1e-4)
    np.testing.assert_allclose(np.abs(np.sum(components * found.components_[:count].T, axis=0)), 1, rtol=1e-4)
    np.testing.assert_allclose(components.T @ components, np.eye(count), atol=1e-5)


def test_a_weight_is_as_many_copies(random):
    X = random.standard_normal((30, 4)).astype(np.float32)
    weights = random.integers(1, 4, size=30)
    variances, components = principal_components(X, weights.astype(float))
    of_copies = principal_components(np.repeat(X, weights, axis=0), np.ones(weights.sum()))
    np.testing.assert_allclose(variances, of_copies[0], rtol=1e-5)
    np.testing.assert_allclose(np.abs(np.sum(components * of_copies[1], axis=0)), 1, rtol=1e-5)


def test_rows_that_do_not_differ_have_one_component():
    variances, components = principal_components(np.ones((5, 3), np.float32), np.ones(5))
    assert components.shape == (3, 1)
    assert count_components(variances, 0.9) == count_components(variances, 2) == 1


def test_shares_and_counts():
    variances = np.array([5.0, 3.0, 1.0, 1.0])
    assert [count_components(variances, share) for share in (0.4, 0.5, 0.6, 0.8, 0.81, 0.999)] == [1, 1, 2, 2, 3, 4]
    assert [count_components(variances, number) for number in (1, 3, 7)] == [1, 3, 4]


def test_components_are_found_on_evenly_spaced_rows_of_large_tables():
    np.testing.assert_array_equal(component_sample(300, 10), np.arange(300))
    for rows, columns, least in [(35_000, 10, 10_000), (35_000, 3000, 15_000)]:
        sample = component_sample(rows, columns)
        assert least <= len(sample) < 2 * least
        assert len(set(np.diff(sample))) == 1
        assert rows - sample[-1] <= np.diff(sample)[0]


def test_mapping_back_leaves_what_is_not_on_components(random):
    components = np.linalg.qr(random.standard_normal((4, 2)))[0].astype(np.float32)
    vectors = random.standard_normal((5, 3)).astype(np.float32)
    of_columns = mapped_back(vectors, components)
    x = random.standard_normal(4)
    np.testing.assert_allclose(of_columns[:, :4] @ x, vectors[:, :2] @ (x @ components), rtol=1e-5)
    np.testing.assert_array_equal(of_columns[:, 4:], vectors[:, 2:])


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("normalize", ["standard", "common", None])
def test_on_all_components_networks_learn_the_same_as_on_columns(random, classes, normalize):
    """Clusters and steps do not depend on how columns are rotated."""
    X, few = correlated(random, noise=0.5)
    y = np.digitize(few[:, 0], [0.0] if classes == 2 else [-1.0, 1.0])
    settings = {"normalize": normalize, "learning_rate": 0.01, "momentum": 0.3, "max_epochs": 2}
    projected, columns = (on_components(plain(3, 2, **settings), n).fit(X, y) for n in (12, None))
    np.testing.assert_allclose(projected.initial_weights_, columns.initial_weights_, atol=1e-4)
    np.testing.assert_allclose(projected.weights_, columns.weights_, atol=1e-3)
    np.testing.assert_allclose(projected.predict_proba(X), columns.predict_proba(X), atol=1e-3)
    for one, other in zip(projected._state.centroids, columns._state.centroids, strict=True):
        np.testing.assert_allclose(np.concatenate(one), np.concatenate(other), atol=1e-4)


def test_half_spaces_lie_along_the_first_components(random):
    X, few = correlated(random)
    model = on_components(plain(2, 2, max_epochs=5, validation_fraction=0), 3).fit(X, few[:, 0] > 0)
    assert model.weights_.shape[-1] == model.n_features_in_ == 12
    _, components = principal_components(((X - X.mean(0)) / X.std(0)).astype(np.float32), np.ones(len(X)))
    weights = model.normalized_weights_
    assert np.linalg.norm(weights) > 0.1
    np.testing.assert_allclose(weights @ components[:, 3:], 0, atol=1e-4)


def test_a_share_of_the_variance(random):
    X, few = correlated(random)
    by_share, by_count = (on_components(plain(2, 2), n).fit(X, few[:, 0] > 0) for n in (0.97, 3))
    np.testing.assert_array_equal(by_share.weights_, by_count.weights_)
    assert by_share.plan_["n_components"] == by_count.plan_["n_components"] == 3


def test_few_components_of_digits_tell_nearly_as_much():
    X, y = load_digits(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, random_state=0)
    settings = {"normalize": "common", "learning_rate": 0.3, "max_epochs": 20, "validation_fraction": 0}

    def on_share(share):
        return lambda plan: plan.with_start(limit=2.0).with_encoding(n_components=share)

    models = [with_plan(plain(4, 4, **settings), on_share(share)) for share in (None, 0.9)]
    scores = [model.fit(X, y).score(X_test, y_test) for model in models]
    assert scores[1] > scores[0] - 0.01
    assert scores[1] > 0.96


def test_columns_beside_the_numbers(random):
    """Categories and missing values are not projected, and still count."""
    X, _ = correlated(random, 400)
    frame = pd.DataFrame(X).rename(columns=str)
    frame.loc[random.random(400) < 0.2, "3"] = np.nan
    frame["city"] = random.choice(["Oslo", "Rome", "Lima"], 400)
    y = (frame["city"] == "Rome").to_numpy()
    model = on_components(plain(2, 2, max_epochs=30), 2).fit(frame, y)
    assert model.score(frame, y) == 1
    assert [term for term in model.terms_ if "=" in term] == ["city = Lima", "city = Oslo", "city = Rome"]


def test_a_table_without_numbers(random):
    frame = pd.DataFrame({"city": random.choice(["Oslo", "Rome", "Lima"], 60)})
    y = (frame["city"] == "Rome").to_numpy()
    assert on_components(plain(1, 1, max_epochs=30), 3).fit(frame, y).score(frame, y) == 1


def test_a_continued_fit_goes_on_in_columns(random):
    X, few = correlated(random)
    y = few[:, 0] > 0
    model = on_components(plain(2, 2, max_epochs=2, warm_start=True, validation_fraction=0), 2).fit(X, y)
    before = model.history_["training_loss"][-1]
    model.fit(X, y)
    assert model.n_epochs_ == 4
    assert model.history_["training_loss"][-1] < before
    model.partial_fit(X, y)
    assert model.n_epochs_ == 5
    parts = (
        on_components(plain(2, 2), 2).partial_fit(X[:100], y[:100], classes=[False, True]).partial_fit(X[100:], y[100:])
    )
    assert parts.n_epochs_ == 2


def test_given_centroids_are_projected(random):
    X, few = correlated(random)
    y = few[:, 0] > 0
    settings = {"init": (X[y][:2], X[~y][:2]), "learning_rate": 0.01, "max_epochs": 1}
    projected, columns = (on_components(plain(2, 2, **settings), n).fit(X, y) for n in (12, None))
    np.testing.assert_allclose(projected.weights_, columns.weights_, atol=1e-3)


def test_models_do_not_depend_on_threads_or_the_order_of_rows(random):
    X, few = correlated(random)
    y = np.digitize(few[:, 0], [-1.0, 1.0])
    one, with_threads = (on_components(plain(2, 2, n_jobs=n), 0.9).fit(X, y) for n in (1, 2))
    order = random.permutation(len(X))
    shuffled = on_components(plain(2, 2), 0.9).fit(X[order], y[order])
    for other in (with_threads, shuffled):
        np.testing.assert_array_equal(one.weights_, other.weights_)
