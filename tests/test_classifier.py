"""LDNNClassifier as a user meets it."""

import io
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from networks import plain
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ldnn import LDNNClassifier, ModularNetworkClassifier, reference

BOTH = pytest.mark.parametrize("Classifier", [LDNNClassifier, ModularNetworkClassifier])


def small(**parameters):
    return plain(3, 3, **{"max_epochs": 10, **parameters})


def test_learns_what_a_linear_model_cannot(moons):
    X, y = moons
    assert small(max_epochs=60).fit(X, y).score(X, y) > 0.96 > LogisticRegression().fit(X, y).score(X, y)


@pytest.mark.parametrize(("load", "limit"), [(load_breast_cancer, 0.95), (load_digits, 0.95)])
def test_real_data(load, limit):
    X, X_test, y, y_test = train_test_split(*load(return_X_y=True), random_state=0)
    assert LDNNClassifier(random_state=0).fit(X, y).score(X_test, y_test) > limit


@BOTH
@pytest.mark.parametrize(
    "labels",
    [["no", "yes"], [-1, 1], [False, True], [3, 70], [-2.0, 5.0], ["a", "b", "c"], [-5, 0, 12], ["", "ä", "日本"]],
    ids=str,
)
def test_labels_of_any_kind(blobs, Classifier, labels):
    X, y = blobs
    y = np.array(labels, dtype=object if isinstance(labels[0], str) else None)[
        np.searchsorted(["a", "b", "c"], y) % len(labels)
    ]
    model = plain(3, 3, Classifier=Classifier, max_epochs=20).fit(X, y)
    assert list(model.classes_) == sorted(labels)
    assert model.predict(X).dtype == model.classes_.dtype
    assert set(model.predict(X)) == set(labels)
    assert model.score(X, y) > 0.6


@BOTH
def test_probabilities_and_decisions_agree(moons, blobs, Classifier):
    for X, y in (moons, blobs):
        model = plain(3, 3, Classifier=Classifier, max_epochs=10).fit(X, y)
        n_classes = len(model.classes_)
        proba, decision = model.predict_proba(X), model.decision_function(X)
        assert proba.shape == (len(X), n_classes)
        assert proba.dtype == np.float64
        np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-12)
        np.testing.assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(X))
        if n_classes == 2:
            assert decision.shape == (len(X),)
            np.testing.assert_array_equal(model.predict(X) == model.classes_[1], decision > 0)
        else:
            np.testing.assert_allclose(proba, softmax(model.sharpness_ * decision, axis=1), rtol=1e-9)
            np.testing.assert_array_equal(model.classes_[decision.argmax(axis=1)], model.predict(X))


@pytest.mark.parametrize("normalize", ["standard", "common", "whiten", None])
def test_half_spaces_in_both_units_give_the_output(moons, blobs, normalize):
    for X, y in (moons, blobs):
        if normalize is None:
            X = (X - X.mean(axis=0)) / X.std(axis=0)
        model = small(normalize=normalize).fit(X, y)
        networks = 1 if len(model.classes_) == 2 else 3
        assert model.weights_.shape == (networks, 3, 3, X.shape[1])
        assert model.biases_.shape == (networks, 3, 3)
        f = expit(np.atleast_2d(model.decision_function(X[:20]).T))
        for c in range(networks):
            expected = [reference.network(x, model.weights_[c], model.biases_[c]) for x in X[:20]]
            np.testing.assert_allclose(f[c], expected, rtol=1e-3, atol=1e-6)
        normalized = model._state.encoder.apply(X[:20])[0].astype(float)
        expected = [reference.network(x, model.normalized_weights_[0], model.normalized_biases_[0]) for x in normalized]
        np.testing.assert_allclose(f[0], expected, rtol=1e-4, atol=1e-6)


def test_modular_network_is_min_and_max(blobs):
    X, y = blobs
    model = ModularNetworkClassifier(3, 4, max_epochs=5, random_state=0).fit(X, y)
    z = np.einsum("rk,cijk->rcij", X, model.weights_) + model.biases_
    np.testing.assert_allclose(model.decision_function(X), z.min(axis=3).max(axis=2), rtol=1e-3, atol=1e-3)


class TestComposition:
    def test_pipeline_and_grid_search(self, moons):
        X, y = moons
        search = GridSearchCV(
            make_pipeline(StandardScaler(), small(normalize=None)), {"ldnnclassifier__n_conjunctions": [1, 3]}, cv=3
        ).fit(X, y)
        assert search.best_score_ > 0.9

    @BOTH
    def test_calibration_voting_and_cross_validation(self, blobs, Classifier):
        X, y = blobs
        model = plain(2, 2, Classifier=Classifier, max_epochs=5)
        assert CalibratedClassifierCV(model, cv=3).fit(X, y).score(X, y) > 0.7
        voting = VotingClassifier([("network", model), ("line", LogisticRegression())], voting="soft")
        assert voting.fit(StandardScaler().fit_transform(X), y).score(StandardScaler().fit_transform(X), y) > 0.7
        assert cross_val_predict(model, X, y, method="predict_proba", cv=3).shape == (len(X), 3)
        assert cross_val_score(model, X, y, cv=3, n_jobs=2).mean() > 0.7
        assert BaggingClassifier(model, 3).fit(X, y).score(X, y) > 0.7

    def test_boosting_gives_weights_that_sum_to_one(self, moons):
        X, y = moons
        assert AdaBoostClassifier(small(), n_estimators=3, random_state=0).fit(X, y).score(X, y) > 0.9

    @BOTH
    def test_clone_pickle_and_joblib(self, blobs, tmp_path, Classifier):
        X, y = blobs
        model = plain(3, 3, Classifier=Classifier, max_epochs=5).fit(X, y)
        file = io.BytesIO()
        joblib.dump(model, file)
        file.seek(0)
        for copy in (pickle.loads(pickle.dumps(model)), joblib.load(file), clone(model).fit(X, y)):
            np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(
            again.partial_fit(X, y).decision_function(X), model.partial_fit(X, y).decision_function(X)
        )


class TestFrames:
    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
    def test_names_are_remembered_and_checked(self, blobs, frame):
        X, y = blobs
        names = ["age", "income", "height", "debt"]
        table = frame(dict(zip(names, X.T, strict=True)))
        model = small().fit(table, y)
        assert list(model.feature_names_in_) == names
        np.testing.assert_array_equal(model.predict(table), small().fit(X, y).predict(X))
        with pytest.raises(ValueError, match="feature names"):
            model.predict(table[["income", "age", "height", "debt"]])

    def test_target_as_series_and_mixed_number_types(self, blobs):
        X, y = blobs
        table = pd.DataFrame({"a": X[:, 0].astype("float32"), "b": X[:, 1].round().astype("int64"), "c": X[:, 2] > 3})
        model = small().fit(table, pd.Series(y))
        assert model.score(table, pd.Series(y)) > 0.6
        assert small().fit(pl.DataFrame({"a": X[:, 0]}), pl.Series(y)).classes_.tolist() == ["a", "b", "c"]


class TestInit:
    def test_given_centroids_are_where_it_starts(self, moons):
        X, y = moons
        plus, minus = X[y == 1][:4], X[y == 0][:5]
        model = small(init=(plus, minus)).fit(X, y)
        assert model.weights_.shape == model.initial_weights_.shape == (1, 4, 5, 2)
        midpoints = (plus[:, None] + minus[None]) / 2
        z = np.einsum("ijk,ijk->ij", midpoints, model.initial_weights_[0]) + model.initial_biases_[0]
        # Standardised space is another space, but its midpoints are the same points.
        np.testing.assert_allclose(z, 0, atol=1e-5)
        assert not np.allclose(model.weights_, model.initial_weights_, atol=0.01)

    def test_given_centroids_for_several_classes(self, blobs):
        X, y = blobs
        plus = np.stack([X[y == label][:2] for label in "abc"])
        minus = np.stack([X[y != label][:3] for label in "abc"])
        assert small(init=(plus, minus)).fit(X, y).weights_.shape == (3, 2, 3, 4)

    @pytest.mark.parametrize(
        "init", [(np.ones((2, 2)),), (np.ones((2, 3)), np.ones((2, 2))), (np.ones(2), np.ones(2)), ("a", "b"), [[], []]]
    )
    def test_wrong_centroids(self, moons, init):
        with pytest.raises(ValueError, match="pair of centroid arrays of shapes"):
            small(init=init).fit(*moons)

    def test_smaller_than_asked_says_so_once(self):
        X = np.array([[0.0], [0.1], [0.1], [3.0], [3.1], [3.2], [3.3]])
        with pytest.warns(UserWarning, match=r"smaller than the 5x5 asked for \(3x2 for class 1\)") as caught:
            y = [0, 0, 0, 1, 1, 1, 1]
            model = plain(5, 5, validation_fraction=0).fit(X[:6], y[:6])
        assert len(caught) == 1
        assert model.sizes_.tolist() == [[3, 2]]
        assert model.weights_.shape == (1, 3, 2, 1)
        assert model.score(X, y) == 1

    def test_networks_of_different_sizes(self, random):
        X = np.concatenate(
            [random.standard_normal((50, 2)), [[8.0, 8.0], [8.1, 8.0]], random.standard_normal((50, 2)) - 6]
        )
        y = np.repeat(["many", "few", "some"], [50, 2, 50])
        with pytest.warns(UserWarning, match="4x4 asked for .2x4 for class 'few'"):
            model = plain(4, 4, validation_fraction=0).fit(X, y)
        assert model.sizes_.tolist() == [[2, 4], [4, 4], [4, 4]]
        assert model.score(X, y) == 1
        # What is not there stays as it is: no gradient reaches it.
        np.testing.assert_array_equal(model.normalized_weights_[0, 2:], 0)
        assert (model.normalized_biases_[0, 2:] < -1000).all()

    def test_duplicate_points_do_not_hang(self):
        X = np.repeat([[0.0, 1.0], [1.0, 0.0]], 500, axis=0)
        with pytest.warns(UserWarning, match="smaller"):
            assert plain().fit(X, np.repeat([0, 1], 500)).score(X, np.repeat([0, 1], 500)) == 1

    def test_two_spirals_are_learned_without_error(self):
        from ldnn.datasets import make_two_spirals

        X, y = make_two_spirals()
        model = plain(
            init="farthest", distance_threshold=2.0, normalize=None, step_size=0.3, momentum=0.1,
            step_schedule="constant", softening=0, max_epochs=2000, validation_fraction=0,
        ).fit(X, y)  # fmt: skip
        assert model.sizes_.tolist() == [[21, 21]]
        assert model.score(X, y) == 1
