import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from benchmarks.evaluation import calibration_error, evaluate, quality_of_probabilities


def test_calibration_error():
    proba = np.array([[0.8, 0.2]] * 10)
    assert calibration_error(proba, np.array([0] * 8 + [1] * 2)) == pytest.approx(0)
    assert calibration_error(proba, np.zeros(10, int)) == pytest.approx(0.2)


def test_a_model_is_evaluated_on_its_test_rows(random):
    X = random.standard_normal((200, 2))
    y = np.where(X[:, 0] > 0, "b", "a")
    found = evaluate(LogisticRegression(), X[:150], y[:150], X[150:], y[150:])
    model = LogisticRegression().fit(X[:150], y[:150])
    assert found["error"] == pytest.approx(100 * (1 - model.score(X[150:], y[150:])))
    proba = model.predict_proba(X[150:])
    own = proba[np.arange(50), (y[150:] == "b").astype(int)]
    assert found["log_loss"] == pytest.approx(-np.mean(np.log(own)))
    assert found["auroc"] == pytest.approx(roc_auc_score(y[150:], proba[:, 1]))
    assert 0 < found["fit_cpu_seconds"] < 10


def test_auroc_of_several_classes_is_the_mean_of_each_against_the_rest(random):
    y = np.arange(60) % 3
    proba = random.dirichlet(np.ones(3), 60) + np.eye(3)[y]
    expected = roc_auc_score(y, proba / proba.sum(axis=1, keepdims=True), multi_class="ovr")
    assert quality_of_probabilities(proba / proba.sum(axis=1, keepdims=True), y)["auroc"] == pytest.approx(expected)
