"""Figures of a comparison are those of the classifiers on the folds."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score
from sklearn.model_selection import StratifiedKFold

from ldnn.comparison import compare, cross_validation, peers
from ldnn.comparison.cross_validation import _choose


def folds_of(X, y):
    return StratifiedKFold(3, shuffle=True, random_state=0).split(X, y)


def test_figures_are_those_of_the_folds(mixed_table, comparison):
    X, y = mixed_table
    y_index = np.unique(y, return_inverse=True)[1]
    outcome = next(outcome for outcome in comparison.outcomes if outcome.name == "SVM")
    for error, (train, test) in zip(outcome.errors, folds_of(X, y_index), strict=True):
        model = peers(X)["SVM"]().fit(X.iloc[train], y_index[train])
        assert error == pytest.approx(1 - accuracy_score(y_index[test], model.predict(X.iloc[test])))
        assert (outcome.y_pred[test] == model.predict(X.iloc[test])).all()
    assert not outcome.is_probability and outcome.log_losses == []


def test_models_of_the_labels_are_those_of_class_indices(mixed_table, comparison):
    """Mod-N is fitted on the labels; class indices give the same predictions and probabilities."""
    X, y = mixed_table
    y_index = np.unique(y, return_inverse=True)[1]
    outcome = next(outcome for outcome in comparison.outcomes if outcome.name == "Mod-N")
    for train, test in folds_of(X, y_index):
        model = peers(X)["Mod-N"]().fit(X.iloc[train], y_index[train])
        np.testing.assert_array_equal(outcome.y_pred[test], model.predict(X.iloc[test]))
        np.testing.assert_array_equal(outcome.scores[test], model.predict_proba(X.iloc[test]))
    assert outcome.is_probability and len(outcome.log_losses) == 3


def test_rules_show_the_labels(comparison):
    assert comparison.rules is not None and comparison.rules.otherwise in ("a", "b", "c")
    assert {rule.label for rule in comparison.rules} <= {"a", "b", "c"}


def test_labels_of_any_type(mixed_table):
    X, y = mixed_table
    comparison = compare(X, y == "b", folds=2, names=["Mod-N", "HistGradientBoosting"], with_rules=False)
    assert comparison.classes == [False, True]
    np.testing.assert_array_equal(comparison.y_true, (y == "b").astype(int))
    for outcome in comparison.outcomes:
        assert outcome.error == pytest.approx(np.mean(outcome.y_pred != comparison.y_true))
        assert outcome.error < 0.3  # always predicting the more frequent class gives a third


def test_no_more_folds_than_rows_of_the_rarest_class(mixed_table):
    X, y = mixed_table
    few = np.where(np.isin(np.arange(len(y)), (0, 50, 100)), "rare", "frequent")
    assert compare(X, few, folds=5, names=["SVM"]).folds == 3


def test_wrong_calls(mixed_table):
    X, y = mixed_table
    with pytest.raises(ValueError, match="one class only"):
        compare(X, np.ones(len(y)))
    with pytest.raises(ValueError, match="Class 'z' has one row only"):
        compare(X, np.where(np.arange(len(y)) == 3, "z", y))
    with pytest.raises(ValueError, match="no classifier 'SVN'; there are LDNN, Mod-N"):
        compare(X, y, names=["SVN"])
    with pytest.raises(ValueError, match="at least two folds"):
        compare(X, y, folds=1)
    with pytest.raises(ValueError, match="positive number of minutes"):
        compare(X, y, budget=0)


def test_no_classifier_is_started_after_the_budget(mixed_table):
    X, y = mixed_table
    found = compare(X, y, folds=2, names=["Mod-N", "SVM", "logistic regression"], budget=1e-6, with_rules=False)
    assert [outcome.name for outcome in found.outcomes] == ["Mod-N"]
    assert set(found.left_out) == {"SVM", "logistic regression"}
    assert found.left_out["SVM"] == "the 1e-06 minutes of the budget were used up"
    assert found.left_out_sentences() == [f"{', '.join(found.left_out)} were left out: {found.left_out['SVM']}."]


class Waiting(DummyClassifier):
    """A classifier whose fits take half a minute of a clock that only it moves."""

    now = 100.0

    def fit(self, X, y):
        Waiting.now += 30
        return super().fit(np.zeros((len(y), 1)), y)


def test_a_classifier_ends_between_folds_after_the_budget(mixed_table, monkeypatch):
    X, y = mixed_table
    makers = {"LDNN": lambda: DummyClassifier(), "first": Waiting, "second": Waiting, "third": Waiting}
    monkeypatch.setattr(cross_validation, "peers", lambda X, seed: makers)
    monkeypatch.setattr(cross_validation.time, "monotonic", lambda: Waiting.now)
    monkeypatch.setattr(cross_validation.time, "perf_counter", lambda: Waiting.now)
    begun = []
    found = compare(X, y, folds=4, names=["first", "second", "third"], budget=3, with_rules=False, report=begun.append)
    assert [outcome.name for outcome in found.outcomes] == ["first"]  # two of the three minutes
    assert [line.split(" (")[0] for line in begun[4:]] == ["second, fold 1 of 4", "third, fold 1 of 4"]
    reason = "1 of 4 folds took 30 s, and the others would have ended after the 3 minutes of the budget"
    assert found.left_out["second"] == reason


def test_settings_of_ours_run_on_request(mixed_table):
    makers = peers(mixed_table[0])
    chosen, left_out = _choose(makers, None, 100)
    assert {"LDNN", "SVM", "random forest"} <= set(chosen) and "SVM, C=10" not in chosen and left_out == {}
    assert ("LightGBM, 500 trees" in chosen) == ("LightGBM" in makers)
    chosen, left_out = _choose(makers, None, 50_000)
    assert "SVM" not in chosen and "hours" in left_out["SVM"]


def test_the_time_left_is_reported(monkeypatch):
    clock = iter([100.0, 100.0, 104.0, 108.0])
    monkeypatch.setattr(cross_validation.time, "monotonic", lambda: next(clock))
    said = []
    tell = cross_validation._Steps(4, 115.0, said.append)
    for line in ("SVM, fold 1 of 2", "SVM, fold 2 of 2", "rules"):
        tell(line)
    assert said == [
        "SVM, fold 1 of 2 (step 1 of 4)",
        "SVM, fold 2 of 2 (step 2 of 4, about 11 s left)",  # 12 s, but the budget ends before
        "rules (step 3 of 4, about 7 s left)",  # 8 s
    ]
