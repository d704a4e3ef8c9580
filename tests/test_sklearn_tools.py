"""scikit-learn's tools around the classifiers: pipelines, searches, routed weights, inspection, several labels."""

import itertools

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import sklearn
from networks import plain
from sklearn.base import clone
from sklearn.inspection import PartialDependenceDisplay, permutation_importance
from sklearn.metrics import get_scorer
from sklearn.model_selection import cross_validate
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ldnn import LDNNClassifier, ModularNetworkClassifier, RuleClassifier

BOTH = pytest.mark.parametrize("Classifier", [LDNNClassifier, ModularNetworkClassifier])


@pytest.fixture(scope="module")
def first_column():
    """A table whose first column decides."""
    X = np.random.default_rng(0).standard_normal((200, 3))
    return X, np.where(X[:, 0] > 0.3, "yes", "no")


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def small(Classifier=LDNNClassifier, **parameters):
    return plain(2, 2, Classifier=Classifier, **{"max_epochs": 5, **parameters})


class TestMetadataRouting:
    @BOTH
    def test_weights_reach_the_fits_of_a_cross_validation(self, routing, first_column, Classifier):
        X, y = first_column
        weights = np.random.default_rng(1).uniform(0, 2, len(y))
        classifier = small(Classifier).set_fit_request(sample_weight=True)
        model = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), classifier)
        accuracy = get_scorer("accuracy").set_score_request(sample_weight=True)
        folds = [(np.arange(0, 100), np.arange(100, 200))]
        routed = cross_validate(
            model, X, y, scoring=accuracy, params={"sample_weight": weights}, cv=folds, return_estimator=True
        )
        by_hand = small(Classifier).fit(StandardScaler().fit_transform(X[:100]), y[:100], weights[:100])
        fitted = routed["estimator"][0][-1]
        np.testing.assert_array_equal(fitted.weights_, by_hand.weights_)
        rows = routed["estimator"][0][0].transform(X[100:])
        right = fitted.predict(rows) == y[100:]
        assert routed["test_score"][0] == pytest.approx(np.average(right, weights=weights[100:]))

    def test_weights_that_nobody_asked_for_are_refused(self, routing, first_column):
        X, y = first_column
        with pytest.raises(Exception, match="sample_weight"):
            cross_validate(small(), X, y, params={"sample_weight": np.ones(len(y))}, cv=2, error_score="raise")

    def test_validation_rows_through_a_pipeline(self, routing, first_column):
        """scikit-learn transforms the validation rows, too, if told to."""
        X, y = first_column
        classifier = small().set_fit_request(X_val=True, y_val=True)
        pipeline = make_pipeline(StandardScaler(), classifier, transform_input=["X_val"])
        pipeline.fit(X[:150], y[:150], X_val=X[150:], y_val=y[150:])
        scaler = StandardScaler().fit(X[:150])
        by_hand = small().fit(scaler.transform(X[:150]), y[:150], eval_set=(scaler.transform(X[150:]), y[150:]))
        np.testing.assert_array_equal(pipeline[-1].weights_, by_hand.weights_)
        assert pipeline[-1].validation_scores_ == by_hand.validation_scores_


def test_parameters_in_any_order(first_column):
    """No parameter is checked before the fit, so `set_params` may pass through states that would be refused."""
    X, y = first_column
    wanted = {"discriminant": "linear", "n_init": 2, "normalize": "common", "init": "kmeans"}
    expected = clone(small()).set_params(**wanted).fit(X, y).weights_
    for order in itertools.permutations(wanted):
        model = small(discriminant="conic", normalize="whiten", init="rules")
        for name in order:
            model.set_params(**{name: wanted[name]})
        assert model.get_params() == small(**wanted).get_params()
    np.testing.assert_array_equal(model.fit(X, y).weights_, expected)


class TestInspection:
    def test_permutation_importance_agrees(self, first_column):
        X, y = first_column
        model = small().fit(X[:150], y[:150])
        found = permutation_importance(model, X[150:], y[150:], n_repeats=3, random_state=0).importances_mean
        assert found.argmax() == model.feature_importances_.argmax() == 0
        assert found[0] > 0.2 and np.abs(found[1:]).max() < 0.1

    def test_partial_dependence(self, first_column):
        X, y = first_column
        with mpl.rc_context({"backend": "agg"}):
            display = PartialDependenceDisplay.from_estimator(small().fit(X, y), X, [0, (0, 1)], grid_resolution=10)
        line = display.lines_[0, 0].get_ydata()
        assert line[0] < 0.2 < 0.8 < line[-1]  # the probability of "yes" along the first column
        mpl.pyplot.close(display.figure_)


def shapley_values(predict, background, row):
    """Of one row, (columns, classes): columns join in all orders, the others being those of the background rows."""
    columns = range(len(row))

    def mean_with(known):
        return predict(np.where(np.isin(columns, known), row, background)).mean(axis=0)

    orders = list(itertools.permutations(columns))
    values = np.zeros((len(row), len(mean_with([]))))
    for order in orders:
        for k, column in enumerate(order):
            values[column] += (mean_with(order[: k + 1]) - mean_with(order[:k])) / len(orders)
    return values


@pytest.mark.parametrize("Classifier", [LDNNClassifier, RuleClassifier])
def test_shap_explains_a_model(first_column, monkeypatch, Classifier):
    """The model itself, not its method, also if it was fitted to a frame with names."""
    with monkeypatch.context() as patch:  # shap would compile for several seconds
        patch.setattr("numba.config.DISABLE_JIT", 1)
        shap = pytest.importorskip("shap")
    X, y = first_column
    X = pd.DataFrame(X, columns=["a", "b", "c"])
    model = (small() if Classifier is LDNNClassifier else RuleClassifier(max_conditions=3, random_state=0)).fit(X, y)
    explanation = shap.Explainer(model, X[:20])(X[20:23])
    assert explanation.feature_names == ["a", "b", "c"]
    for k in range(3):
        expected = shapley_values(
            lambda rows: model.predict_proba(pd.DataFrame(rows, columns=X.columns)), X[:20].to_numpy(), X.iloc[20 + k]
        )
        np.testing.assert_allclose(explanation.values[k], expected, atol=1e-12)
    assert np.abs(explanation.values[:, 0]).min() > 5 * np.abs(explanation.values[:, 1:]).max()


@pytest.mark.parametrize("Several", [MultiOutputClassifier, ClassifierChain])
def test_several_labels(first_column, Several):
    X, _ = first_column
    labels = np.column_stack([X[:, 0] > 0, X[:, 1] > 0]).astype(int)
    model = Several(small(max_epochs=20)).fit(X, labels)
    assert (model.predict(X) == labels).mean() > 0.9
    assert len(model.estimators_) == 2
