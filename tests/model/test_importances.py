"""`feature_importances_`: of every kind of model, on training rows."""

import numpy as np
import pandas as pd
import pytest
from configurations import NAMES
from networks import plain
from scipy import sparse
from sklearn.feature_selection import SelectFromModel
from sklearn.pipeline import make_pipeline

import ldnn
from ldnn import LDNNClassifier, ModularNetworkClassifier
from ldnn._model.importances import column_importances
from ldnn.rules import importance

BOTH = pytest.mark.parametrize("Classifier", [LDNNClassifier, ModularNetworkClassifier])


@pytest.fixture(scope="module")
def noisy():
    """Columns 1 and 3 of five decide."""
    X = np.random.default_rng(0).standard_normal((400, 5)) * [1, 10, 1, 0.1, 1]
    return X, (X[:, 1] > 0) & (X[:, 3] > -0.03)


@pytest.mark.parametrize("name", NAMES)
def test_of_every_model(fitted, name):
    """It has an entry per column and is the same that `importance` finds on the training rows, if these are few."""
    model, X, _ = fitted[name]
    found = model.feature_importances_
    assert found.shape == (model.n_features_in_,)
    assert found.sum() == pytest.approx(1) and found.min() >= 0
    measured = importance(model, X)
    names = list(X.columns) if hasattr(X, "columns") else [f"x{k}" for k in range(X.shape[1])]
    np.testing.assert_allclose(found, [measured[name] for name in names], atol=0.05)  # other rows, no weights


@BOTH
def test_columns_that_decide(noisy, Classifier):
    X, y = noisy
    model = plain(2, 2, Classifier=Classifier, max_epochs=20).fit(X, y)
    assert set(np.argsort(model.feature_importances_)[-2:]) == {1, 3}
    assert np.delete(model.feature_importances_, [1, 3]).max() < (0.1 if Classifier is LDNNClassifier else 0.25)


@BOTH
def test_the_slopes_are_those_of_the_output(noisy, Classifier):
    """Of a model of one half-space, f = sigma(w.x + b), the definition can be written down."""
    X, y = noisy
    model = plain(1, 1, Classifier=Classifier, max_epochs=3, validation_fraction=0).fit(X, y)
    f = 1 / (1 + np.exp(-model.decision_function(X)))
    added = (X - X.mean(axis=0)) * model.weights_[0, 0, 0] * (f * (1 - f))[:, None]
    expected = np.abs(added).mean(axis=0)
    found = column_importances(model._state, model._output_slopes, X)
    np.testing.assert_allclose(found, expected / expected.sum(), rtol=1e-4)


def test_weights_of_rows_count(noisy):
    X, y = noisy
    model = plain(2, 2, max_epochs=3).fit(X, y)
    repeated = column_importances(model._state, model._output_slopes, X[:50], np.repeat([1.0, 3.0], 25))
    plainly = column_importances(model._state, model._output_slopes, X[:50])
    assert not np.allclose(repeated, plainly)
    assert repeated.sum() == pytest.approx(1)


def test_select_from_model(noisy):
    X, y = noisy
    frame = pd.DataFrame(X, columns=list("abcde"))
    selector = SelectFromModel(plain(2, 2, max_epochs=20), threshold="mean").set_output(transform="pandas")
    assert list(selector.fit(frame, y).transform(frame)) == ["b", "d"]
    pipeline = make_pipeline(selector, plain(2, 2, max_epochs=20)).fit(frame, y)
    assert pipeline[-1].n_features_in_ == 2
    assert pipeline.score(frame, y) > 0.9


def test_dates_and_sparse_columns_are_columns_of_the_table(noisy):
    """A date becomes several columns of numbers; of a sparse matrix, columns may be left out."""
    X, y = noisy
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(400) * 13, unit="h")
    model = plain(2, 2, max_epochs=5).fit(frame, y)
    assert len(model.terms_) > 6
    assert model.feature_importances_.shape == (6,)
    assert model.feature_importances_.sum() == pytest.approx(1)
    model = plain(2, 2, max_epochs=5).fit(sparse.csr_array(X), y)
    assert model.feature_importances_.shape == (5,)


def test_partial_fit_measures_again(noisy):
    X, y = noisy
    model = plain(2, 2, max_epochs=3).fit(X, y)
    before = model.feature_importances_
    after = model.partial_fit(X, y).feature_importances_
    assert not np.array_equal(after, before)


def test_they_are_stored(noisy, tmp_path):
    X, y = noisy
    model = plain(2, 2, max_epochs=3).fit(X, y)
    ldnn.save(model, tmp_path / "model")
    np.testing.assert_array_equal(ldnn.load(tmp_path / "model").feature_importances_, model.feature_importances_)


def test_sums_that_are_rounded_up_are_stored(monkeypatch, tmp_path):
    """Parts of a date are one column: their shares may add up to 1.0000000000000002."""
    table = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=100, freq="13h")})
    monkeypatch.setattr(
        "ldnn.base.column_importances", lambda state, slopes, matrix, weights: np.full(3, 1 / 3 + 1e-16)
    )
    model = plain(2, 2, max_epochs=2).fit(table, np.arange(100) % 2)
    assert model.feature_importances_.tolist() == [1.0]
    ldnn.save(model, tmp_path / "model.ldnn")


def test_columns_without_information():
    """Of constant columns none contributes: no division by zero."""
    X = np.ones((20, 2))
    model = plain(1, 1, max_epochs=2, validation_fraction=0).fit(X, np.arange(20) % 2)
    assert model.feature_importances_.tolist() == [0, 0]
