"""Which columns of a wide table are looked at."""

import numpy as np
import pandas as pd
import pytest
from networks import plain
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

from ldnn import LDNNClassifier
from ldnn.screen import telling


def gains(X, y, is_category=None, weights=None):
    n, features = X.shape
    is_category = np.zeros(features, dtype=bool) if is_category is None else np.array(is_category)
    weights = np.ones(n) if weights is None else weights
    return telling(X, y.astype(np.int32), np.arange(n), weights, is_category)


def test_columns_that_tell_and_columns_of_chance(random):
    """A shift, a class in the middle, categories and missing values tell something; chance tells about nothing."""
    y = np.arange(900) % 3
    X = random.standard_normal((900, 30))
    X[:, 0] += y
    X[:, 1] = np.where(y == 1, X[:, 1] / 4, 2 * X[:, 1])
    X[:, 2] = np.where(random.random(900) < 0.6, y, random.integers(8, size=900))
    X[:, 3] = random.integers(200, size=900)
    X[(y == 2) & (random.random(900) < 0.5), 4] = np.nan
    is_category = np.isin(np.arange(30), [2, 3])
    found = gains(X, y, is_category)
    assert set(np.argsort(-found)[:4]) == {0, 1, 2, 4}
    assert abs(found[3]) < 20  # of 600; without what chance gives, 200 categories would tell most of all
    assert found[5:].max() < found[[0, 1, 2, 4]].min() / 3


def test_constant_and_empty_columns_tell_nothing(random):
    y = np.arange(60) % 2
    X = np.column_stack([np.full(60, 3.0), np.full(60, np.nan), y.astype(float)])
    found = gains(X, y)
    assert found[0] <= 0 >= found[1]
    assert found[2] > 20


def test_rows_count_by_their_weights(random):
    """One column tells about the first rows, one about the last: the heavy rows decide, in whatever unit."""
    y, is_first = np.arange(80) % 2, np.arange(80) < 40
    X = random.standard_normal((80, 5))
    X[is_first, 0] = y[is_first]
    X[~is_first, 1] = y[~is_first]
    weights = np.where(is_first, 1.0, 0.01)
    found = gains(X, y, weights=weights)
    assert found.argmax() == 0
    assert gains(X, y, weights=weights[::-1]).argmax() == 1
    np.testing.assert_allclose(gains(X, y, weights=1000 * weights), found)


def test_a_wide_table_of_noise():
    """Few of 300 columns tell anything; with all of them there are many more errors."""
    X, y = make_classification(600, 300, n_informative=6, n_redundant=4, class_sep=1.5, shuffle=False, random_state=2)
    X, X_test, y, y_test = train_test_split(X, y, random_state=0)
    model = LDNNClassifier(random_state=0).fit(X, y)
    assert model.plan_["n_columns"] is not None
    assert {trial["n_columns"] for trial in model.search_history_ if trial["round"] == 1} == {None, 21, 85}
    everything = LDNNClassifier(random_state=0, n_columns=None).fit(X, y)
    assert everything.plan_["n_columns"] is None
    assert model.score(X_test, y_test) > everything.score(X_test, y_test) + 0.05


def test_other_columns_count_nothing(random):
    frame = pd.DataFrame(random.standard_normal((200, 6)), columns=list("abcdef"))
    frame["g"] = np.where(random.random(200) < 0.5, "x", "y")
    y = (frame["b"] + frame["e"] > 0).to_numpy()
    model = plain(2, 2, n_columns=2).fit(frame, y)
    assert model.terms_ == ["b", "e"]
    assert model.weights_.shape[-1] == 2
    other = frame.copy()
    other[["a", "c", "d", "f"]] = np.nan
    other["g"] = "never seen"
    np.testing.assert_array_equal(model.predict_proba(other), model.predict_proba(frame))


def test_tables_that_are_not_wide_are_seen_whole(random):
    X = random.standard_normal((600, 55))
    model = LDNNClassifier(random_state=0, effort=0.1).fit(X, X[:, 0] > 0)
    assert all(trial["n_columns"] is None for trial in model.search_history_)


def test_a_wide_table_of_categories(random):
    """Plans that look at different categories start from different clusters."""
    y = random.integers(2, size=120)
    frame = pd.DataFrame({f"c{k}": pd.Categorical(random.choice(list("abc"), 120)) for k in range(60)})
    frame["c7"] = pd.Categorical(np.where(y, "yes", "no"))
    model = LDNNClassifier(random_state=0).fit(frame, y)
    assert model.plan_["n_columns"] == 11
    assert model.score(frame, y) == 1


def test_more_than_there_are_is_all(random):
    X = random.standard_normal((50, 3))
    assert plain(2, 2, n_columns=7).fit(X, X[:, 0] > 0).weights_.shape[-1] == 3


def test_wrong_calls(random):
    X = random.standard_normal((50, 3))
    with pytest.raises(ValueError, match="'n_columns' parameter"):
        LDNNClassifier(n_columns=0).fit(X, X[:, 0] > 0)
    with pytest.raises(ValueError, match="is about all columns"):
        LDNNClassifier(2, 2, n_columns=2, init=(X[:2], X[2:4])).fit(X, X[:, 0] > 0)
