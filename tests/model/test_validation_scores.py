"""Scores are those of rows that networks were not trained on."""

import numpy as np
import pytest
from networks import plain
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from ldnn import LDNNClassifier, load, save
from ldnn._model.validation_scores import HeldOutRows, ValidationScores, mean_roc_auc


def split(y, weights=None, is_weighted=False):
    y = np.asarray(y, np.int32)
    return HeldOutRows(y, np.ones(len(y)) if weights is None else np.asarray(weights, float), is_weighted)


def test_scores_of_several_splits():
    log_odds = np.array([[-1.0, 2.0, -3.0, 1.0]])
    splits = [(split([0, 1, 0, 0]), log_odds), (split([1, 1, 0, 0]), log_odds)]
    scores = ValidationScores.of_log_odds("rows", splits, 1.0).to_dict(np.array(["no", "yes"]))
    assert (scores["n_rows"], scores["n_splits"], scores["error"]) == (4, 2, 3 / 8)
    assert scores["recall"] == {"no": 3 / 5, "yes": 2 / 3} and scores["precision"] == {"no": 3 / 4, "yes": 2 / 4}
    assert scores["balanced_accuracy"] == pytest.approx((3 / 5 + 2 / 3) / 2)
    assert (scores["baseline_label"], scores["baseline_error"]) == ("no", 3 / 8)
    assert scores["roc_auc"] == pytest.approx((1 + 0.75) / 2)
    assert scores["baseline_p_value"] > 0.5 and not scores["is_weighted"]


def test_weights_count():
    log_odds = np.array([[-1.0, 2.0, -3.0]])
    held_out = split([0, 1, 1], [1, 2, 5], is_weighted=True)
    scores = ValidationScores.of_log_odds("rows", [(held_out, log_odds)], 1.0).to_dict(np.array([0, 1]))
    assert scores["error"] == 5 / 8 and scores["baseline_error"] == 1 / 8 and scores["n_rows"] == 3
    assert scores["is_weighted"] and scores["baseline_p_value"] is None


def test_areas_of_several_classes():
    random = np.random.default_rng(0)
    y, scores = random.integers(0, 3, 60), random.dirichlet(np.ones(3), 60)
    assert mean_roc_auc(scores, y) == pytest.approx(roc_auc_score(y, scores, multi_class="ovr"))
    weights, rounded = random.uniform(0.1, 3, 60), scores[:, 1].round(1)
    two = np.stack([1 - rounded, rounded], axis=1)  # with equal scores
    assert mean_roc_auc(two, y == 1, weights) == pytest.approx(roc_auc_score(y == 1, rounded, sample_weight=weights))
    assert mean_roc_auc(scores, np.where(y == 2, 1, y)) is not None  # a class without rows
    assert mean_roc_auc(scores, np.zeros(60, int)) is None


def test_validation_rows_of_the_user(moons, tmp_path):
    X, y = moons
    model = plain(2, 2, max_epochs=3, class_weight={0: 1, 1: 5}).fit(X[:150], y[:150], X_val=X[150:], y_val=y[150:])
    scores = model.validation_scores_
    predicted = model.predict(X[150:])
    assert scores["error"] == pytest.approx(np.mean(predicted != y[150:]))  # class weights do not count
    assert scores["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(y[150:], predicted))
    assert scores["n_rows"] == len(y) - 150 and scores["rows"].startswith("validation rows")
    save(model, tmp_path / "m.ldnn")
    assert load(tmp_path / "m.ldnn").validation_scores_ == scores


def test_rows_held_out_by_fraction(moons):
    X, y = moons
    model = plain(2, 2, max_epochs=3, validation_fraction=0.2).fit(X, y)
    assert model.validation_scores_["error"] == pytest.approx(model.history_["validation_error"][model.best_epoch_ - 1])
    weighted = plain(2, 2, max_epochs=3, validation_fraction=0.2).fit(X, y, sample_weight=np.arange(1, len(y) + 1))
    assert weighted.validation_scores_["is_weighted"]
    assert plain(2, 2, max_epochs=3, validation_fraction=0).fit(X, y).validation_scores_ is None


def test_rows_held_out_to_compare_plans(moons):
    X, y = moons
    model = LDNNClassifier(effort=0.05, random_state=0, class_weight="balanced").fit(X[:120], y[:120])
    scores = model.validation_scores_
    last = [trial for trial in model.search_history_ if trial["round"] == model.search_history_[-1]["round"]]
    errors = [trial["validation_error"] for trial in last]
    assert scores["n_splits"] >= 1 and scores["n_rows"] == 30 and "compare plans" in scores["rows"]
    assert scores["error"] <= max(errors) + 0.05


def test_rows_that_were_trained_on_are_not_measured():
    """Where no class has a row to spare, plans are compared on the training rows, which says nothing about new ones."""
    X = np.arange(24.0).reshape(12, 2)
    model = LDNNClassifier(effort=0.05, random_state=0).fit(X, np.repeat(np.arange(6), 2))
    assert model.search_history_ and model.validation_scores_ is None
