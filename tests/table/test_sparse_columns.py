"""Sparse matrices: which columns are kept, and that nothing else depends on how a matrix is stored."""

from functools import partial

import numpy as np
import pytest
from networks import plain
from scipy import sparse

import ldnn
from ldnn import LDNNClassifier, ModularNetworkClassifier
from ldnn._table import sparse_columns
from ldnn._table.sparse_columns import SparseColumns, sparse_gains

BOTH = pytest.mark.parametrize("Classifier", [LDNNClassifier, ModularNetworkClassifier])


@pytest.fixture(scope="module")
def words():
    """Counts of 300 words in 200 texts, of which words 7 and 250 decide."""
    random = np.random.default_rng(0)
    X = random.poisson(0.1, size=(200, 300)).astype(float)
    return X, np.where(X[:, 7] + X[:, 250] > 0, "spam", "ham")


@pytest.fixture
def few(monkeypatch):
    """Few columns are kept."""
    monkeypatch.setattr(sparse_columns, "_MOST_COLUMNS", 60)


def slow_gain(values, y, weights):
    """The same for one column, from the definition."""

    def impurity(rows):
        counts = np.array([weights[rows & (y == label)].sum() for label in np.unique(y)])
        return counts.sum() - (counts**2).sum() / counts.sum() if counts.sum() > 0 else 0.0

    stored = values != 0
    mean = values[stored & ~np.isnan(values)].mean() if stored.any() else 0.0
    groups = [~stored, stored & ~(values > mean), stored & (values > mean)]
    everything = impurity(np.ones(len(y), bool))
    used = sum(bool(weights[group].sum() > 0) for group in groups)
    return everything - sum(map(impurity, groups)) - (used - 1) * everything / len(y)


def test_gains_are_those_of_the_definition():
    random = np.random.default_rng(1)
    X = random.normal(size=(50, 6)) * (random.random((50, 6)) < 0.4)
    X[:, 4], X[3, 5], X[:, 3] = 0, np.nan, np.abs(X[:, 3]) + 1
    y, weights = random.integers(3, size=50), random.random(50) * (random.random(50) < 0.9)
    weights /= weights.mean()
    expected = [slow_gain(column, y, weights) for column in X.T]
    for stored in (sparse.csr_array(X), sparse.csc_matrix(X), sparse.coo_array(X)):
        np.testing.assert_allclose(sparse_gains(stored, y, weights * 7), expected, atol=1e-9)


@BOTH
def test_few_columns_give_the_model_of_the_dense_matrix(words, Classifier):
    X, y = words
    dense = plain(2, 2, Classifier=Classifier, max_epochs=3).fit(X, y)
    expected = dense.predict_proba(X[:9])
    for stored in (sparse.csr_array(X), sparse.csc_matrix(X), sparse.coo_array(X)):
        model = plain(2, 2, Classifier=Classifier, max_epochs=3).fit(stored, y)
        for rows in (X[:9], sparse.csr_array(X[:9])):
            np.testing.assert_array_equal(model.predict_proba(rows), expected)
    np.testing.assert_array_equal(dense.predict_proba(sparse.csr_array(X[:9])), expected)


@BOTH
def test_of_many_columns_the_best_are_kept(words, few, tmp_path, Classifier):
    X, y = words
    model = plain(2, 2, Classifier=Classifier, max_epochs=10).fit(sparse.csr_array(X), y)
    assert model.n_features_in_ == 300
    assert model.weights_.shape[-1] == len(model.terms_) == 60
    assert {"x7", "x250"} <= set(model.terms_)
    expected = model.predict_proba(sparse.csr_array(X))
    np.testing.assert_array_equal(model.predict_proba(X), expected)
    ldnn.save(model, tmp_path / "model.ldnn")
    np.testing.assert_array_equal(ldnn.load(tmp_path / "model.ldnn").predict_proba(sparse.coo_array(X)), expected)
    with pytest.raises(ValueError, match="X has 299 features, but .* is expecting 300 features"):
        model.predict(sparse.csr_array(X[:, 1:]))


def test_fits_go_on(words, few):
    X, y = words
    parts = [slice(0, 100), slice(100, 200)]
    model = plain(2, 2)
    for part in parts:
        model.partial_fit(sparse.csr_array(X[part]), y[part], classes=["ham", "spam"])
    assert len(model.terms_) == 60
    model = plain(2, 2, max_epochs=2).fit(
        sparse.csr_array(X), y, X_val=sparse.csr_array(X[:20]), y_val=y[:20], sample_weight=np.arange(200)
    )
    assert len(model.history_["validation_loss"]) == 2


def test_rules_and_onnx_of_the_kept_columns(words, few, tmp_path):
    import onnxruntime

    X, y = words
    model = plain(2, 2, max_epochs=10).fit(sparse.csr_array(X), y)
    found = ldnn.rules.rules(model, sparse.csr_array(X), y)
    np.testing.assert_array_equal(found.predict(sparse.csr_array(X)), found.predict(X))
    ldnn.to_onnx(model, tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    probabilities = session.run(["probabilities"], {"X": X})[0]
    np.testing.assert_allclose(probabilities, model.predict_proba(X), atol=1e-5)


def test_the_memory_limits_what_is_kept(monkeypatch):
    monkeypatch.setattr(sparse_columns, "_MOST_NUMBERS", 10_000)
    X = sparse.csr_array(sparse.random(100, 500, density=0.1, random_state=0))
    assert len(SparseColumns.fit(X, np.arange(100) % 2, np.ones(100)).kept) == 100


def test_wrong_calls(words):
    X, y = words
    stored = sparse.csr_array(X)
    with pytest.raises(ValueError, match="categorical_features is for dense tables"):
        plain(2, 2, categorical_features=[0]).fit(stored, y)
    with pytest.raises(ValueError, match="requires y"):
        plain(2, 2).fit(stored, None)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        plain(2, 2).fit(stored, y[:5])
    infinite = stored.copy()
    infinite.data[3] = np.inf
    with pytest.raises(ValueError, match="contains infinity"):
        plain(2, 2).fit(infinite, y)
    text = plain(2, 2, max_epochs=1).fit(np.array([["a", "b"], ["b", "a"]] * 5, dtype=object), [0, 1] * 5)
    with pytest.raises(TypeError, match="X is sparse, but the model was fitted to a table with categories"):
        text.predict(sparse.csr_array(np.eye(2)))
    for kept in (np.array([0, 5]), np.array([1, 1]), np.array([], dtype=np.int64)):
        assert not all(holds for holds, _ in SparseColumns(kept, 5).claims())


def test_a_dense_table_of_huge_integers_is_refused(words):
    X, y = words
    model = plain(2, 2, max_epochs=1).fit(X, y)
    row = np.zeros((1, X.shape[1]), dtype=object)
    row[0, 0] = 10**400
    with pytest.raises(ValueError, match="contains infinity"):
        model.predict(row)


@pytest.mark.parametrize("index", [-7, 10**6])
def test_a_damaged_matrix_is_refused(index, random):
    X = sparse.csr_array(random.random((60, 20)) * (random.random((60, 20)) < 0.2))
    y = np.arange(60) % 2
    model, of_array = (plain(2, 2, max_epochs=2).fit(table, y) for table in (X, X.toarray()))
    damaged = X.copy()
    damaged.indices[3] = index
    calls = [lambda: plain(2, 2).fit(damaged, y), *(partial(own.predict, damaged) for own in (model, of_array))]
    for call in calls:
        with pytest.raises(ValueError, match="X is a damaged sparse matrix"):
            call()
