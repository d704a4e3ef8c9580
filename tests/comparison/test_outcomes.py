"""Summaries of a comparison."""

import json

import numpy as np

from ldnn.comparison import Comparison, Outcome
from ldnn.comparison.outcomes import TEST, listed


def comparison_of(**wrong):
    """A comparison of 30 rows in three folds, of which the classifiers predict the given ones wrongly."""
    y = np.arange(30) % 2
    outcomes = []
    for name, rows in wrong.items():
        y_pred = y.copy()
        y_pred[list(rows)] ^= 1
        errors = [float(np.mean(part)) for part in np.split(y_pred != y, 3)]
        outcomes.append(Outcome(name.replace("_", "-"), y_pred, np.zeros((30, 2)), True, errors, [1.0] * 3, [1.0] * 3))
    return Comparison([0, 1], y, 2, 3, outcomes, {}, None)


def test_a_difference_of_few_rows_cannot_be_told():
    found = comparison_of(LDNN=[0], SVM=[0, 1, 2])
    assert found.p_values == {"SVM": 0.5}
    assert found.summary() == (
        "Of 2 classifiers, LDNN made the fewest errors on held-out rows: 3.33 %. LDNN differs significantly "
        f"from none of the others ({TEST})."
    )


def test_differences_that_can_be_told():
    text = comparison_of(LDNN=range(8), Mod_N=range(24), SVM=[0], MLP=range(6)).summary()
    assert text.startswith(
        "Of 4 classifiers, SVM made the fewest errors on held-out rows: 3.33 %. LDNN is number 3 with 26.67 %. LDNN "
        "made fewer errors than Mod-N and made more errors than SVM; it does not differ significantly from MLP ("
    )
    assert "McNemar's exact test" in text and "Holm" in text


def test_summaries_without_ldnn_or_others():
    assert comparison_of(SVM=[0]).summary() == "SVM made 3.33 % errors on held-out rows."
    assert "SVM differs significantly from none of the others" in comparison_of(MLP=[0, 1], SVM=[0]).summary()


def test_names_in_a_sentence():
    assert listed(["SVM"]) == "SVM"
    assert listed(["SVM", "LightGBM, 500 trees", "MLP"]) == "SVM, LightGBM (500 trees) and MLP"


def test_the_table_is_ranked(comparison):
    table = comparison.table()
    assert [row[0] for row in table.rows] == [outcome.name for outcome in comparison.ranked()]
    errors = [row[1].value for row in table.rows]
    assert errors == sorted(errors)


def test_figures_as_json(comparison):
    data = json.loads(json.dumps(comparison.to_dict()))
    assert [entry["name"] for entry in data["classifiers"]] == [outcome.name for outcome in comparison.ranked()]
    assert all(len(entry["errors"]) == data["folds"] == 3 for entry in data["classifiers"])


def test_stars_where_nothing_can_be_told():
    """No classifier gets a star for a difference that may be chance."""
    table = comparison_of(LDNN=[0], SVM=[0, 1, 2]).table()
    assert not any(table.is_best(row, 1) for row in range(2))
    table = comparison_of(LDNN=[0, 1], Mod_N=range(24), SVM=[0]).table()
    assert [table.rows[k][0] for k in range(3)] == ["SVM", "LDNN", "Mod-N"]
    assert [table.is_best(row, 1) for row in range(3)] == [True, True, False]
    assert not any(table.is_best(row, column) for row in range(3) for column in (2, 3, 4, 5, 6))


def test_stars_of_times():
    found = comparison_of(LDNN=[0], SVM=[1], MLP=[2])
    for outcome, seconds in zip(found.outcomes, ([1.0, 1.1, 1.2], [1.1, 1.0, 1.2], [9.0, 9.1, 9.3]), strict=True):
        outcome.fit_seconds = seconds
    table = found.table()
    assert {row[0]: table.is_best(k, 5) for k, row in enumerate(table.rows)} == {
        "LDNN": True,
        "SVM": True,
        "MLP": False,
    }
