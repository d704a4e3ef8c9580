"""What `ldnn fit` says about the scores of a model."""

import json

import numpy as np
import pandas as pd
import pytest
from cli_runner import PLAIN, run
from sklearn.metrics import balanced_accuracy_score, precision_score, recall_score, roc_auc_score

import ldnn
from ldnn.cli.score_display import rare_class, score_rows, score_table, score_warning

SCORES = {
    "rows": "validation rows", "n_rows": 1000, "n_splits": 1, "is_weighted": False, "error": 0.002,
    "baseline_label": "no", "baseline_error": 0.002, "baseline_p_value": 0.5, "balanced_accuracy": 0.5, "roc_auc": 0.7,
    "share": {"no": 0.998, "yes": 0.002}, "recall": {"no": 1.0, "yes": 0.0}, "precision": {"no": 0.998, "yes": None},
}  # fmt: skip


def test_a_rare_class_is_shown():
    assert rare_class({"a": 0.998, "b": 0.002}) == "b"
    assert rare_class({"a": 0.7, "b": 0.3}) is None
    assert rare_class({"a": 0.4, "b": 0.05, "c": 0.55, "unseen": 0.0}) == "b"
    rows = {row[0]: row[1:] for row in score_table(SCORES).rows}
    assert rows["error"] == ["0.20 %", "0.20 %"]
    assert rows["recall of yes (0.2 % of the rows)"] == ["0.0 %", "0.0 %"]
    assert rows["precision of yes"] == ["never predicted", ""]
    balanced = score_table({**SCORES, "share": {"no": 0.6, "yes": 0.4}})
    assert [row[0] for row in balanced.rows] == ["error", "balanced accuracy", "area under ROC"]


def test_the_rows_are_said():
    assert score_rows(SCORES) == "Measured on 1,000 rows: validation rows"
    weighted = {**SCORES, "n_splits": 3, "is_weighted": True}
    assert score_rows(weighted) == (
        "Measured on 1,000 rows in each of 3 random splits: validation rows; rows count by their sample weights"
    )


def test_a_model_that_is_no_better_than_the_baseline():
    assert "no fewer errors than always predicting no" in score_warning(SCORES)
    assert "not significantly better than always predicting no (sign test, p = 0.50)" in score_warning(
        {**SCORES, "error": 0.001}
    )
    assert score_warning({**SCORES, "error": 0.001, "baseline_p_value": 0.01}) is None
    assert score_warning({**SCORES, "error": 0.001, "baseline_p_value": None}) is None


@pytest.fixture(scope="module")
def rare(tmp_path_factory):
    """Training and test rows of which one in twenty is of a class that is hard to find, and a model."""
    folder = tmp_path_factory.mktemp("rare")
    random = np.random.default_rng(0)
    for name in ("train", "test"):
        X = pd.DataFrame(random.standard_normal((400, 2)).round(3), columns=["a", "b"])
        X.assign(y=np.where(X["a"] + random.normal(0, 0.3, 400) > 1.7, "alarm", "quiet")).to_csv(
            folder / f"{name}.csv", index=False
        )
    return folder


def test_scores_of_a_test_file(rare):
    call = ("fit", rare / "train.csv", "-t", "y", "-o", rare / "m.ldnn", "-q", *PLAIN, "--test", rare / "test.csv")
    scores = json.loads(run(*call, "--json").stdout)["test"]
    table, model = pd.read_csv(rare / "test.csv"), ldnn.load(rare / "m.ldnn")
    X, y = table[["a", "b"]], table["y"]
    predicted = model.predict(X)
    assert scores["error"] == pytest.approx(np.mean(predicted != y))
    assert scores["baseline_error"] == pytest.approx(np.mean(y == "alarm"))
    assert scores["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(y, predicted))
    assert scores["roc_auc"] == pytest.approx(roc_auc_score(y == "quiet", model.predict_proba(X)[:, 1]), abs=1e-4)
    assert scores["recall"]["alarm"] == pytest.approx(recall_score(y, predicted, pos_label="alarm"))
    if scores["precision"]["alarm"] is not None:
        assert scores["precision"]["alarm"] == pytest.approx(precision_score(y, predicted, pos_label="alarm"))
    printed = run(*call).stdout
    assert "recall of alarm (" in printed and "always quiet" in printed


def test_nothing_is_measured_where_no_rows_were_held_out(rare):
    call = ("fit", rare / "train.csv", "-t", "y", "-o", rare / "m.ldnn", "-q", *PLAIN, "--set", "validation_fraction=0")
    assert "No rows were held out, so the errors to expect are not known" in run(*call).stdout
    assert json.loads(run(*call, "--json").stdout)["held_out"] is None
