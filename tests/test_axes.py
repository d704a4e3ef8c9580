"""Principal axes: what networks learn on few directions of a wide table is the same as on its columns, but faster."""

import numpy as np
import pandas as pd
import pytest
from networks import plain
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split

from ldnn import LDNNClassifier
from ldnn.axes import count_axes, principal_axes, turned_back


def correlated(random, n=200, features=12, directions=3, noise=0.1):
    """Rows that differ most in few directions."""
    few = random.standard_normal((n, directions)) * np.arange(directions, 0, -1)
    mixed = few @ random.standard_normal((directions, features))
    return (mixed + noise * random.standard_normal((n, features))).astype(np.float32), few


@pytest.mark.parametrize("shape", [(50, 8), (8, 50)])
def test_axes_are_those_of_scikit_learn(random, shape):
    X = (random.standard_normal(shape) * np.linspace(1, 3, shape[1])).astype(np.float32)
    variances, axes = principal_axes(X, np.ones(len(X)))
    found = PCA().fit(X)
    count = len(variances)
    assert count == min(shape[1], len(X) - 1)  # the mean takes one direction of few rows
    np.testing.assert_allclose(variances / variances.sum(), found.explained_variance_ratio_[:count], rtol=1e-4)
    np.testing.assert_allclose(np.abs(np.sum(axes * found.components_[:count].T, axis=0)), 1, rtol=1e-4)
    np.testing.assert_allclose(axes.T @ axes, np.eye(count), atol=1e-5)


def test_a_weight_is_as_many_copies(random):
    X = random.standard_normal((30, 4)).astype(np.float32)
    weights = random.integers(1, 4, size=30)
    variances, axes = principal_axes(X, weights.astype(float))
    of_copies = principal_axes(np.repeat(X, weights, axis=0), np.ones(weights.sum()))
    np.testing.assert_allclose(variances, of_copies[0], rtol=1e-5)
    np.testing.assert_allclose(np.abs(np.sum(axes * of_copies[1], axis=0)), 1, rtol=1e-5)


def test_rows_that_do_not_differ_have_one_axis():
    variances, axes = principal_axes(np.ones((5, 3), np.float32), np.ones(5))
    assert axes.shape == (3, 1)
    assert count_axes(variances, 0.9) == count_axes(variances, 2) == 1


def test_shares_and_counts():
    variances = np.array([5.0, 3.0, 1.0, 1.0])
    assert [count_axes(variances, share) for share in (0.4, 0.5, 0.6, 0.8, 0.81, 0.999)] == [1, 1, 2, 2, 3, 4]
    assert [count_axes(variances, number) for number in (1, 3, 7)] == [1, 3, 4]


def test_turning_back_leaves_what_is_not_on_axes(random):
    axes = np.linalg.qr(random.standard_normal((4, 2)))[0].astype(np.float32)
    vectors = random.standard_normal((5, 3)).astype(np.float32)
    unturned = turned_back(vectors, axes)
    x = random.standard_normal(4)
    np.testing.assert_allclose(unturned[:, :4] @ x, vectors[:, :2] @ (x @ axes), rtol=1e-5)
    np.testing.assert_array_equal(unturned[:, 4:], vectors[:, 2:])


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("normalize", ["standard", "common", None])
def test_on_all_axes_networks_learn_the_same_as_on_columns(random, classes, normalize):
    """Clusters and steps do not depend on how columns are turned."""
    X, few = correlated(random, noise=0.5)
    y = np.digitize(few[:, 0], [0.0] if classes == 2 else [-1.0, 1.0])
    settings = {"normalize": normalize, "step_size": 0.01, "momentum": 0.3, "max_epochs": 2}
    turned, columns = (plain(3, 2, n_axes=n, **settings).fit(X, y) for n in (12, None))
    np.testing.assert_allclose(turned.initial_weights_, columns.initial_weights_, atol=1e-4)
    np.testing.assert_allclose(turned.weights_, columns.weights_, atol=1e-3)
    np.testing.assert_allclose(turned.predict_proba(X), columns.predict_proba(X), atol=1e-3)
    for one, other in zip(turned._state.centroids, columns._state.centroids, strict=True):
        np.testing.assert_allclose(np.concatenate(one), np.concatenate(other), atol=1e-4)


def test_half_spaces_lie_along_the_first_axes(random):
    X, few = correlated(random)
    model = plain(2, 2, n_axes=3, max_epochs=5, validation_fraction=0).fit(X, few[:, 0] > 0)
    assert model.weights_.shape[-1] == model.n_features_in_ == 12
    _, axes = principal_axes(((X - X.mean(0)) / X.std(0)).astype(np.float32), np.ones(len(X)))
    weights = model.normalized_weights_
    assert np.linalg.norm(weights) > 0.1
    np.testing.assert_allclose(weights @ axes[:, 3:], 0, atol=1e-4)


@pytest.mark.parametrize("number", [float, np.float32])
def test_a_share_of_the_variance(random, number):
    X, few = correlated(random)
    by_share, by_count = (plain(2, 2, n_axes=n).fit(X, few[:, 0] > 0) for n in (number(0.97), np.int64(3)))
    np.testing.assert_array_equal(by_share.weights_, by_count.weights_)
    assert by_share.plan_["n_axes"] == by_count.plan_["n_axes"] == 3


def test_few_axes_of_digits_tell_nearly_as_much():
    X, y = load_digits(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, random_state=0)
    settings = {"normalize": "common", "init_limit": 2.0, "step_size": 0.3, "max_epochs": 20, "validation_fraction": 0}
    scores = [plain(4, 4, n_axes=n, **settings).fit(X, y).score(X_test, y_test) for n in (None, 0.9)]
    assert scores[1] > scores[0] - 0.01
    assert scores[1] > 0.96


def test_columns_beside_the_numbers(random):
    """Categories and missing values are not turned, and still count."""
    X, _ = correlated(random, 400)
    frame = pd.DataFrame(X).rename(columns=str)
    frame.loc[random.random(400) < 0.2, "3"] = np.nan
    frame["city"] = random.choice(["Oslo", "Rome", "Lima"], 400)
    y = (frame["city"] == "Rome").to_numpy()
    model = plain(2, 2, n_axes=2, max_epochs=30).fit(frame, y)
    assert model.score(frame, y) == 1
    assert [term for term in model.terms_ if "=" in term] == ["city = Lima", "city = Oslo", "city = Rome"]


def test_a_table_without_numbers(random):
    frame = pd.DataFrame({"city": random.choice(["Oslo", "Rome", "Lima"], 60)})
    y = (frame["city"] == "Rome").to_numpy()
    assert plain(1, 1, n_axes=3, max_epochs=30).fit(frame, y).score(frame, y) == 1
    model = LDNNClassifier(n_axes=0.9, random_state=0, effort=0.1).fit(frame, y)
    assert (model.score(frame, y), model.plan_["n_axes"]) == (1, None)


def test_a_continued_fit_goes_on_in_columns(random):
    X, few = correlated(random)
    y = few[:, 0] > 0
    model = plain(2, 2, n_axes=2, max_epochs=2, warm_start=True, validation_fraction=0).fit(X, y)
    before = model.history_["training_loss"][-1]
    model.fit(X, y)
    assert model.n_epochs_ == 4
    assert model.history_["training_loss"][-1] < before
    model.partial_fit(X, y)
    assert model.n_epochs_ == 5
    parts = plain(2, 2, n_axes=2).partial_fit(X[:100], y[:100], classes=[False, True]).partial_fit(X[100:], y[100:])
    assert parts.n_epochs_ == 2


def test_given_centroids_are_turned(random):
    X, few = correlated(random)
    y = few[:, 0] > 0
    settings = {"init": (X[y][:2], X[~y][:2]), "step_size": 0.01, "max_epochs": 1}
    turned, columns = (plain(2, 2, n_axes=n, **settings).fit(X, y) for n in (12, None))
    np.testing.assert_allclose(turned.weights_, columns.weights_, atol=1e-3)


def test_models_do_not_depend_on_threads_or_the_order_of_rows(random):
    X, few = correlated(random)
    y = np.digitize(few[:, 0], [-1.0, 1.0])
    one = plain(2, 2, n_axes=0.9, n_jobs=1).fit(X, y)
    shuffled = random.permutation(len(X))
    for other in (plain(2, 2, n_axes=0.9, n_jobs=2).fit(X, y), plain(2, 2, n_axes=0.9).fit(X[shuffled], y[shuffled])):
        np.testing.assert_array_equal(one.weights_, other.weights_)


def wide_table(random, n, features=220):
    X, few = correlated(random, n, features, directions=6, noise=1.0)
    return X, (few[:, 0] * few[:, 1] > 0).astype(int)


@pytest.mark.parametrize("n", [150, 400])  # fewer rows than columns, and more
def test_axes_of_wide_tables_are_compared(random, n):
    X, y = wide_table(random, n)
    model = LDNNClassifier(random_state=0, effort=0.2).fit(X, y)
    first = [trial for trial in model.search_history_ if trial["round"] == 1]
    turned = {(trial["normalize"], trial["n_axes"]) for trial in first if trial["n_axes"] is not None}
    assert {normalize for normalize, _ in turned} == {"standard", "common"}
    assert len(turned) == 6
    plain_straight = [t for t in first if t["bends"] is t["n_axes"] is t["n_columns"] is None]
    assert all(trial["discriminant"] == "conic" for trial in plain_straight)
    assert model.plan_["n_axes"] is not None or model.plan_["bends"] or model.plan_["n_columns"]


def test_what_is_given_is_not_compared(random):
    X, y = wide_table(random, 400)
    model = LDNNClassifier(random_state=0, effort=0.1, n_axes=0.5, normalize="common").fit(X, y)
    (axes,) = {trial["n_axes"] for trial in model.search_history_}
    assert 1 <= axes <= 6
    assert model.plan_["n_axes"] == axes
    assert {trial["bends"] for trial in model.search_history_} == {None}
    assert {trial["normalize"] for trial in model.search_history_} == {"common"}
    white = LDNNClassifier(random_state=0, effort=0.1, normalize="whiten").fit(X, y)
    assert {trial["n_axes"] for trial in white.search_history_} == {None}
    never = LDNNClassifier(random_state=0, effort=0.1, n_axes=None, normalize="standard").fit(X, y)
    assert {trial["n_axes"] for trial in never.search_history_} == {None}
    assert {trial["normalize"] for trial in never.search_history_} == {"standard"}


def test_narrow_tables_and_fixed_epochs_are_seen_in_columns(random):
    X, y = wide_table(random, 300)
    for model in (LDNNClassifier(effort=0.1), LDNNClassifier(2, 2, max_epochs=2)):
        model.set_params(random_state=0).fit(X[:, :50], y)
        assert {trial["n_axes"] for trial in model.search_history_} <= {None}
        assert (model.plan_["n_axes"], model.plan_["normalize"]) == (None, "standard")
    fixed = LDNNClassifier(2, 2, max_epochs=2, random_state=0).fit(X, y)
    assert (fixed.plan_["n_axes"], fixed.plan_["normalize"]) == (None, "standard")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_axes": 0}, "'n_axes' parameter"),
        ({"n_axes": 1.0}, "'n_axes' parameter"),
        ({"n_axes": "all"}, "'n_axes' parameter"),
        ({"n_axes": 2, "bends": "mixed"}, "n_axes=2 is for straight half-spaces"),
        ({"n_axes": 0.9, "discriminant": "conic"}, "n_axes=0.9 is for straight half-spaces"),
        ({"n_axes": 2, "normalize": "whiten"}, "whitened columns"),
    ],
)
def test_wrong_calls(random, parameters, message):
    X = random.standard_normal((50, 3))
    with pytest.raises(ValueError, match=message):
        LDNNClassifier(**parameters).fit(X, X[:, 0] > 0)
