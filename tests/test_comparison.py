"""Comparisons: what is measured is what the classifiers do, and the page shows it."""

import json
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.metrics import accuracy_score
from sklearn.model_selection import StratifiedKFold
from test_cli import run, sentence
from threadpoolctl import threadpool_limits

from ldnn.comparison import Comparison, Outcome, compare
from ldnn.comparison_page import comparison_page
from ldnn.peers import peers


@pytest.fixture(scope="module")
def table():
    """Numbers, text and holes; three classes."""
    random = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 40)
    X = pd.DataFrame(
        random.standard_normal((120, 3)) + 2 * np.eye(3)[np.repeat([0, 1, 2], 40)], columns=["u", "v", "w"]
    )
    X["city"] = random.choice(["Oslo", "Rome", None], 120)
    X.loc[::11, "v"] = np.nan
    return X, y


@pytest.mark.filterwarnings("ignore")
def test_all_peers_read_all_tables(table):
    X, y = table
    codes = np.unique(y, return_inverse=True)[1]
    arrow = pa.Table.from_pandas(X)
    makers = peers(arrow)
    assert {"LDNN", "Mod-N", "MLP", "random forest", "SVM", "HistGradientBoosting"} <= set(makers)
    with threadpool_limits(1):
        for name, make in makers.items():
            assert make().fit(arrow, codes).score(arrow, codes) > 0.7, name
    new = X.assign(city="Paris")  # a city that was never seen
    for name in ("Mod-N", "SVM"):
        assert set(peers(X)[name]().fit(X, codes).predict(new)) <= {0, 1, 2}


@pytest.fixture(scope="module")
def comparison(table):
    return compare(*table, folds=3, names=["LDNN", "Mod-N", "SVM"])


def test_figures_are_those_of_the_folds(table, comparison):
    X, y = table
    codes = np.unique(y, return_inverse=True)[1]
    outcome = next(outcome for outcome in comparison.outcomes if outcome.name == "SVM")
    for error, (train, test) in zip(
        outcome.errors, StratifiedKFold(3, shuffle=True, random_state=0).split(X, codes), strict=True
    ):
        model = peers(X)["SVM"]().fit(X.iloc[train], codes[train])
        assert error == pytest.approx(1 - accuracy_score(codes[test], model.predict(X.iloc[test])))
        assert (outcome.codes[test] == model.predict(X.iloc[test])).all()
    assert not outcome.is_probability and outcome.losses == []
    assert comparison.rules is not None and comparison.rules.otherwise in ("a", "b", "c")
    assert json.dumps(comparison.to_dict())


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
    told = summary(LDNN=[0.1, 0.3, 0.2], Mod_N=[0.4, 0.4, 0.4], SVM=[0.2, 0.1, 0.2])
    assert "SVM made the fewest errors: 16.67 %. LDNN is number 2 with 20.00 %" in told
    assert "better than SVM in 1 of 3 folds, worse in 1 — too close to call" in told
    assert summary(SVM=[0.1], Mod_N=[0.2], LDNN=[0.1]) == (
        "Of 3 classifiers, LDNN and SVM made the fewest errors: 10.00 %."
    )
    assert summary(SVM=[0.1]) == "SVM made 10.00 % errors."


def test_wrong_calls(table):
    X, y = table
    with pytest.raises(ValueError, match="one class only"):
        compare(X, np.ones(len(y)))
    with pytest.raises(ValueError, match="Class 'z' has one row only"):
        compare(X, np.where(np.arange(len(y)) == 3, "z", y))
    with pytest.raises(ValueError, match="no classifier 'SVN'; there are LDNN, Mod-N"):
        compare(X, y, names=["SVN"])


@pytest.mark.parametrize("width", [1200, 390])
def test_the_page_in_a_browser(comparison, tmp_path, visit, width):
    path = comparison_page(comparison, "people <1>", "class").write(tmp_path / "page.html")
    page = visit(path, width=width)
    assert page.title() == "LDNN beside other classifiers — people <1>: class"
    assert page.locator(".summary").inner_text() == comparison.summary()
    names = page.locator("#results tbody th")
    assert names.all_inner_texts() == [outcome.name for outcome in comparison.ranked()]
    page.get_by_role("columnheader", name="fit, s").click()
    cells = page.locator("#results tbody td:nth-child(5)")
    seconds = [float(cell.get_attribute("data-key")) for cell in cells.all()]
    assert seconds == sorted(seconds)
    for outcome in comparison.outcomes:
        page.locator("#confusion").get_by_role("tab", name=outcome.name, exact=True).click()
        shown = page.locator("#confusion .panel:not([hidden])")
        counts = [int(text) for text in shown.locator("tbody td").all_inner_texts()]
        expected = np.zeros((3, 3), int)
        np.add.at(expected, (comparison.truth, outcome.codes), 1)
        assert counts == expected.ravel().tolist()
    page.locator("#curves").get_by_role("tab", name="c", exact=True).click()
    assert page.get_by_text("ROC curves for class c").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert "otherwise" in page.locator("#rules").inner_text()


def test_the_command(table, tmp_path, monkeypatch):
    X, y = table
    X.assign(y=y).to_csv(tmp_path / "people.csv", index=False)
    monkeypatch.chdir(tmp_path)
    call = ("compare", "people.csv", "-t", "y", "--folds", "2", "--only", "mod-n", "--only", "svm", "-q")
    said = run(*call).stdout
    assert "classifier" in said and "★" in said and "Page: people-compare.html" in said
    assert "<!doctype html>" in (tmp_path / "people-compare.html").read_text()
    told = json.loads(run(*call, "--json").stdout)
    assert sorted(entry["name"] for entry in told["classifiers"]) == ["Mod-N", "SVM"]
    assert re.fullmatch(r"Of 2 classifiers, .* made the fewest errors: [\d.]+ %\.", told["summary"])
    assert "did you mean 'Mod-N'?" in sentence("compare", "people.csv", "-t", "y", "--only", "modn")
