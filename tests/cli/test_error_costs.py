"""Decisions by cost."""

import json

import numpy as np
import pandas as pd
import pytest
from cli_runner import PLAIN, error_of, run

from ldnn import load
from ldnn.cli.error_costs import cost_scores, cost_sentences, least_cost, parse_costs, threshold
from ldnn.cli.messages import UserError

CLASSES = ["a", "b:c", "d"]


def test_costs_of_errors():
    costs = parse_costs(["a=5", "b:c=2", "d:b:c=0.5"], CLASSES)
    assert costs.tolist() == [[0, 5, 5], [2, 0, 2], [1, 0.5, 0]]
    assert parse_costs([], [0, 1]).tolist() == [[0, 1], [1, 0]]
    assert parse_costs(["1=3"], [0, 1]).tolist() == [[0, 1], [3, 0]]


@pytest.mark.parametrize("text", ["a", "a=", "a=-1", "a=nan", "a=inf"])
def test_texts_that_are_no_costs(text):
    with pytest.raises(UserError, match="is not a cost: write LABEL=COST"):
        parse_costs([text], CLASSES)


def test_classes_that_are_not_there():
    with pytest.raises(UserError, match="there is no class 'fraude'; did you mean 'fraud'"):
        parse_costs(["fraude=2"], ["fraud", "ok"])


def test_the_threshold_is_that_of_the_least_cost():
    costs = parse_costs(["1=5"], [0, 1])
    assert threshold(costs) == pytest.approx(1 / 6)
    p = np.linspace(0, 1, 101)
    assert (least_cost(np.column_stack([1 - p, p]), costs) == (p > 1 / 6)).all()
    assert cost_sentences(costs, [0, 1])[1] == "So 1 is predicted if its probability is 0.167 or more."
    assert cost_sentences(parse_costs(["0=5"], [0, 1]), [0, 1])[1].startswith("So 0 is predicted if its probability")
    assert threshold(parse_costs([], CLASSES)) is None


def test_what_decisions_cost():
    costs = parse_costs(["1=5"], [0, 1])
    y, weights = np.array([0, 0, 1, 1, -1]), np.array([1.0, 1.0, 1.0, 2.0, 9.0])
    p = np.array([0.1, 0.3, 0.1, 0.9, 0.5])
    found = cost_scores([(y, weights, np.column_stack([1 - p, p]))], costs)
    assert found["least_cost"] == pytest.approx((0 + 1 + 5 + 0) / 5)  # a row of an unknown class does not count
    assert found["most_probable"] == pytest.approx(5 / 5)
    assert (found["always"], found["always_index"]) == (pytest.approx(2 / 5), 1)
    assert found["recall"] == [0.5, pytest.approx(2 / 3)]


def test_fit_and_predict(folder, people, tmp_path):
    model, out = tmp_path / "m.ldnn", tmp_path / "p.csv"
    call = ("fit", folder / "people.csv", "-t", "answer", "-o", model, "-q", *PLAIN, "--cost", "yes=9")
    result = json.loads(run(*call, "--json").stdout)
    assert result["costs"] == [[0, 1], [9, 0]]
    held_out = result["held_out"]["costs"]
    assert held_out["least_cost"] < held_out["always"] <= 1 and held_out["always_index"] == 1
    run("predict", model, folder / "people.csv", "-o", out, "-q")
    predicted = pd.read_csv(out)
    assert (predicted["prediction"] == np.where(predicted["probability_yes"] > 0.1, "yes", "no")).all()
    said = json.loads(run("predict", model, folder / "people.csv", "-o", out, "--json", "-q").stdout)
    wrong = predicted["prediction"] != people["answer"]
    assert said["cost"] == pytest.approx((wrong * np.where(people["answer"] == "yes", 9, 1)).mean())
    run("predict", model, folder / "people.csv", "-o", out, "-q", "--cost", "none")
    plain = pd.read_csv(out)
    assert (plain["prediction"] == load(model).predict(people[["income", "city", "owner", "age"]])).all()
    said = run("predict", model, folder / "people.csv", "-o", out, "--cost", "no=4").stderr
    assert "So no is predicted if its probability is 0.2 or more." in said
    assert "per row, on the 300 rows with a class." in said
    assert "Rules are about the most probable class" in run("rules", model).stderr


def test_what_fit_prints(folder, tmp_path):
    call = ("fit", folder / "people.csv", "-t", "answer", "-o", tmp_path / "m.ldnn", "-q", *PLAIN)
    for more in ([], ["--test", folder / "people.csv"]):
        said = run(*call, *more, "--cost", "yes=9").stdout
        assert "Costs: yes predicted as no 9; other errors 1.\nSo yes is predicted" in said
        assert "cost per row" in said and "Measured on the same rows as the scores above." in said


def test_costs_are_checked_before_the_work(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("ldnn.cli.fitting.LDNNClassifier.fit", None)
    said = error_of("fit", folder / "people.csv", "-t", "answer", "-o", tmp_path / "m.ldnn", "--cost", "yess=2")
    assert said == "--cost yess=2: there is no class 'yess'; did you mean 'yes'?"
