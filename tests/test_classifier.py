"""LDNNClassifier as a user meets it."""

import inspect
import io
import pickle
import warnings
from dataclasses import fields, is_dataclass, replace

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from networks import plain
from scipy.special import expit
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ldnn import LDNNClassifier, ModularNetworkClassifier, farthest_centroids, reference
from ldnn._table.training_table import TrainingTable
from ldnn.datasets import make_two_spirals

BOTH = pytest.mark.parametrize("Classifier", [LDNNClassifier, ModularNetworkClassifier])


def small(**parameters):
    return plain(3, 3, **{"max_epochs": 10, **parameters})


def test_learns_what_a_linear_model_cannot(moons):
    X, y = moons
    assert small(max_epochs=60).fit(X, y).score(X, y) > 0.96 > LogisticRegression().fit(X, y).score(X, y)


def test_real_data():
    X, X_test, y, y_test = train_test_split(*load_breast_cancer(return_X_y=True), random_state=0)
    assert LDNNClassifier(random_state=0).fit(X, y).score(X_test, y_test) > 0.95


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
        normalized = model._state.encoder.transform(X[:20])[0].astype(float)
        expected = [reference.network(x, model.normalized_weights_[0], model.normalized_biases_[0]) for x in normalized]
        np.testing.assert_allclose(f[0], expected, rtol=1e-4, atol=1e-6)


class TestEnsemble:
    def test_the_mean_of_the_outputs_decides(self, blobs):
        X, y = blobs
        model = plain(2, 2, n_estimators=3, max_epochs=5).fit(X, y)
        assert model.weights_.shape[0] == 9
        z = np.einsum("rk,cijk->rcij", X, model.weights_) + model.biases_
        f = 1 - np.prod(1 - np.prod(1 / (1 + np.exp(-z)), axis=3), axis=2)
        mean = f.reshape(len(X), 3, 3).mean(axis=1)
        np.testing.assert_allclose(1 / (1 + np.exp(-model.decision_function(X))), mean, rtol=1e-3, atol=1e-6)

    def test_members_differ(self, moons):
        weights = plain(3, 3, n_estimators=2, max_epochs=2).fit(*moons).weights_
        assert not np.allclose(weights[0], weights[1])


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
        with joblib.parallel_config("threading"):
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

    @pytest.mark.parametrize(("name", "size"), [("n_conjunctions", "2x"), ("n_discriminants", "x2")])
    def test_only_a_size_that_was_asked_for_can_be_smaller(self, random, name, size):
        """The other one follows from the number of rows, and may be larger than what a class has rows for."""
        few, many = [[8.0, 8.0], [8.1, 8.0]], random.standard_normal((60, 2))
        X, is_few = np.concatenate([few, many]), np.arange(62) < 2
        for is_positive in (is_few, ~is_few):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                model = LDNNClassifier(**{name: 5}, init="kmeans", random_state=0)
                model.partial_fit(X, is_positive, classes=[False, True])
            assert sorted(model.plan_[size] for size in ("n_conjunctions", "n_discriminants")) == [3, 5]
            told = [str(warning.message) for warning in caught if "smaller than the" in str(warning.message)]
            was_asked_for = (is_positive is is_few) == (name == "n_conjunctions")
            assert len(told) == was_asked_for
            assert all(size in each for each in told)

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


# Another value of each parameter, and what of the plan, of the search space or of the rest of the fit belongs to it.
OTHERS = {
    "n_conjunctions": (3, {"start.N", "space.N"}),
    "n_discriminants": (3, {"start.M", "space.M"}),
    "discriminant": ("conic", {"encoding.is_conic", "space.knots", "space.conics"}),
    "n_estimators": (4, {"n_estimators", "space.estimators"}),
    "monotonic_cst": ({"a": 1}, set()),
    "init": ("kmeans", {"start.method", "start.limit"}),
    "n_init": (7, {"start.n_init"}),
    "loss": ("log", {"training.loss", "space.loss"}),
    "label_smoothing": (0.1, {"training.label_smoothing", "space.likelihood"}),
    "learning_rate": (0.5, {"training.learning_rate", "relative_rate", "space.rate", "space.likelihood"}),
    "learning_rate_schedule": ("constant", {"training.learning_rate_schedule"}),
    "momentum": (0.5, {"training.momentum"}),
    "max_epochs": (5, {"training.max_epochs", "space.epochs"}),
    "revisit_every": (2, {"training.revisit_every", "space.likelihood"}),
    "validation_fraction": (0.3, set()),
    "scoring": ("accuracy", {"training.scoring"}),
    "effort": (2.0, set()),
    "normalize": ("common", {"encoding.normalize", "space.components", "space.normalize"}),
    "categorical_features": (None, set()),
    "class_weight": ("balanced", set()),
    "warm_start": (True, set()),
    "n_jobs": (2, {"training.n_jobs"}),
    "random_state": (3, set()),
    "verbose": (True, {"training.verbose"}),
}


def flat(value, place=""):
    """The fields of nested dataclasses by their paths."""
    if not is_dataclass(value):
        return {place: value}
    parts = (flat(getattr(value, field.name), f"{place}.{field.name}".lstrip(".")) for field in fields(value))
    return {name: part for inner in parts for name, part in inner.items()}


def decided(model, columns):
    """Everything that parameters say about a fit to a table of so many columns."""
    rows = np.arange(500)
    table = TrainingTable(
        np.zeros((500, columns)), rows, (rows % 2).astype(np.int32), np.ones(500), np.zeros(columns, bool), 2
    )
    space = model._search_space().for_table(table)
    return flat(model._plan(table)) | {f"space.{name}": value for name, value in flat(space).items()}


class TestParameters:
    def test_there_are_few(self):
        parameters = inspect.signature(LDNNClassifier).parameters
        assert len(parameters) <= 24
        assert set(OTHERS) == set(parameters)

    @pytest.mark.parametrize("columns", [4, 300])
    @pytest.mark.parametrize("name", OTHERS)
    def test_no_default_depends_on_another_parameter(self, name, columns):
        value, own = OTHERS[name]
        default = decided(LDNNClassifier(), columns)
        given = decided(LDNNClassifier(**{name: value}), columns)
        changed = {part for part in default if default[part] != given[part]}
        assert changed <= own
        if columns == 300:  # where all parts are open
            assert changed == own

    @pytest.mark.parametrize("name", sorted(OTHERS.keys() - {"warm_start", "n_jobs", "random_state", "verbose"}))
    def test_each_one_matters(self, name):
        """A fit with another value gives another model, or other probabilities."""
        random = np.random.default_rng(0)
        X = np.column_stack([random.standard_normal((150, 2)), random.integers(3, size=150)])
        y = (X[:, 0] * X[:, 1] > 0.4).astype(int)
        table = pd.DataFrame(X, columns=["a", "b", "c"]).astype({"c": "category"})
        fixed = {"effort": 0.001, "max_epochs": 3, "random_state": 0, "n_jobs": 1}
        if name == "scoring":  # where the two scores disagree about the epoch
            fixed |= {"validation_fraction": 0.3, "learning_rate": 3.0, "max_epochs": 20}
        if name == "n_init":  # where the first start of k-means is not the best
            fixed |= {"n_conjunctions": 6, "n_discriminants": 6}
        here = {"categorical_features": ["b", "c"], "n_estimators": 1}  # the table is narrow
        value = here.get(name, OTHERS[name][0])
        default = LDNNClassifier(**fixed).fit(table, y)
        other = LDNNClassifier(**{**fixed, name: value}).fit(table, y)
        assert not np.array_equal(default.predict_proba(table), other.predict_proba(table))

    @pytest.mark.parametrize("name", ["n_conjunctions", "n_discriminants"])
    def test_one_of_the_two_sizes_may_be_given(self, moons, name):
        X, y = moons
        model = LDNNClassifier(**{name: 2}, random_state=0).fit(X, y)
        other = ({"n_conjunctions", "n_discriminants"} - {name}).pop()
        assert {trial[name] for trial in model.search_history_} == {2} == {model.plan_[name]}
        assert len({trial[other] for trial in model.search_history_}) > 2  # this one was chosen
        assert (model.sizes_[:, 0 if name == "n_conjunctions" else 1] == 2).all()
        assert model.score(X, y) > 0.9

    def test_a_grid_search_over_one_size(self, moons):
        X, y = moons
        search = GridSearchCV(LDNNClassifier(effort=0.01, random_state=0), {"n_conjunctions": [1, 3]}, cv=2).fit(X, y)
        assert search.best_score_ > 0.9
        assert search.best_estimator_.plan_["n_conjunctions"] == search.best_params_["n_conjunctions"]

    def test_one_size_may_be_given_where_rows_come_in_parts(self, moons):
        X, y = moons
        model = LDNNClassifier(n_conjunctions=2, random_state=0).partial_fit(X, y, classes=[0, 1])
        assert model.plan_["n_conjunctions"] == 2 < model.plan_["n_discriminants"]


class TestFromPaper:
    PAPER = {
        "discriminant": "linear", "n_estimators": 1, "init": "kmeans", "n_init": 50, "loss": "squared",
        "label_smoothing": 0.0, "learning_rate_schedule": "constant", "revisit_every": 1, "validation_fraction": 0.1,
    }  # fmt: skip

    def test_parameters_are_those_of_the_paper(self, moons):
        model = LDNNClassifier.from_paper(3, 4)
        assert type(model) is LDNNClassifier
        parameters = model.get_params()
        assert (parameters["n_conjunctions"], parameters["n_discriminants"]) == (3, 4)
        assert self.PAPER.items() <= parameters.items()
        others = {"learning_rate": 0.3, "max_epochs": 60, "normalize": "standard"}
        assert {**LDNNClassifier(3, 4).get_params(), **self.PAPER, **others} == parameters
        fitted = clone(model).set_params(random_state=0).fit(*moons)
        assert fitted.search_history_ == [] and fitted.weights_.shape == (1, 3, 4, 2)
        normals, _ = replace(fitted._state.network, parameters=fitted._state.initial_parameters).discriminants()
        np.testing.assert_allclose(np.linalg.norm(normals, axis=-1), 1, rtol=1e-6)

    def test_others_may_be_given_instead(self):
        given = {"n_init": 3, "normalize": None, "momentum": 0.1, "random_state": 5}
        model = LDNNClassifier.from_paper(n_discriminants=2, **given)
        assert model.get_params() == {**LDNNClassifier.from_paper("auto", 2).get_params(), **given}
        with pytest.raises(TypeError, match="patience"):
            LDNNClassifier.from_paper(patience=3)

    def test_a_clone_is_the_same(self, moons):
        X, y = moons
        model = LDNNClassifier.from_paper(2, 2, max_epochs=3, n_init=2, random_state=0)
        assert clone(model).get_params() == model.get_params()
        np.testing.assert_array_equal(clone(model).fit(X, y).weights_, model.fit(X, y).weights_)

    def test_two_spirals_are_learned_without_error(self):
        X, y = make_two_spirals()
        init = farthest_centroids(X[y == 1], 2.0), farthest_centroids(X[y == 0], 2.0)
        model = LDNNClassifier.from_paper(
            init=init, normalize=None, learning_rate=0.3, momentum=0.1, max_epochs=1600, validation_fraction=0,
            random_state=0,
        ).fit(X, y)  # fmt: skip
        assert model.sizes_.tolist() == [[21, 21]] == [[len(init[0]), len(init[1])]]
        assert model.score(X, y) == 1


_GRIDS = {
    "n_conjunctions": [2, 4], "n_discriminants": [2, 4], "discriminant": ["linear", "conic"], "n_estimators": [1],
    "monotonic_cst": [[1, 0]], "init": ["kmeans"], "n_init": [1], "loss": ["squared", "log"],
    "label_smoothing": [0.0], "learning_rate": [0.1],
    "learning_rate_schedule": ["constant"], "momentum": [0.5], "max_epochs": [3], "revisit_every": [1],
    "validation_fraction": [0.2], "scoring": ["accuracy"], "effort": [0.05], "normalize": ["whiten", None],
    "categorical_features": [None, [1]], "class_weight": ["balanced"], "warm_start": [True],
    "n_jobs": [2], "random_state": [1], "verbose": [False],
}  # fmt: skip


def test_every_parameter_has_a_grid():
    assert set(_GRIDS) == set(LDNNClassifier().get_params())


@pytest.mark.parametrize("name", _GRIDS)
def test_a_grid_over_one_parameter_alone(name):
    random = np.random.default_rng(0)
    X = np.column_stack([random.normal(size=20), random.integers(3, size=20)])
    base, rows = LDNNClassifier(effort=0.01, random_state=0, n_jobs=1), np.arange(len(X))
    search = GridSearchCV(base, {name: _GRIDS[name]}, cv=[(rows, rows)], refit=False, error_score="raise")
    search.fit(X, X[:, 0] + X[:, 1] > 1)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
