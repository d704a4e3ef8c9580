"""Summaries of a comparison."""

import json

import numpy as np

from ldnn.comparison import Comparison, Outcome


def outcome(name, errors):
    return Outcome(name, np.zeros(3, int), np.zeros((3, 2)), True, errors, [1.0] * len(errors), [1.0] * len(errors))


def test_summaries():
    def summary(**errors):
        outcomes = [outcome(name.replace("_", "-"), values) for name, values in errors.items()]
        return Comparison([0, 1], np.array([0, 1, 1]), 2, 3, outcomes, {}, None).summary()

    assert summary(LDNN=[0.1, 0.2, 0.1], SVM=[0.2, 0.3, 0.2]) == (
        "Of 2 classifiers, LDNN made the fewest errors: 13.33 %. Next is SVM with 23.33 %; LDNN was better than SVM in "
        "3 of 3 folds, worse in 0."
    )
    text = summary(LDNN=[0.1, 0.3, 0.2], Mod_N=[0.4, 0.4, 0.4], SVM=[0.2, 0.1, 0.2])
    assert "SVM made the fewest errors: 16.67 %. LDNN is number 2 with 20.00 %" in text
    assert "better than SVM in 1 of 3 folds, worse in 1 — too close to call" in text
    assert summary(SVM=[0.1], Mod_N=[0.2], LDNN=[0.1]) == (
        "Of 3 classifiers, LDNN and SVM made the fewest errors: 10.00 %."
    )
    assert summary(SVM=[0.1], Mod_N=[0.2]) == "Of 2 classifiers, SVM made the fewest errors: 10.00 %."
    assert summary(SVM=[0.1]) == "SVM made 10.00 % errors."


def test_the_table_is_ranked(comparison):
    table = comparison.table()
    assert [row[0] for row in table.rows] == [outcome.name for outcome in comparison.ranked()]
    errors = [row[1].value for row in table.rows]
    assert errors == sorted(errors)


def test_figures_as_json(comparison):
    data = json.loads(json.dumps(comparison.to_dict()))
    assert [entry["name"] for entry in data["classifiers"]] == [outcome.name for outcome in comparison.ranked()]
    assert all(len(entry["errors"]) == data["folds"] == 3 for entry in data["classifiers"])
