"""What is chosen when nothing is set, and how it can be looked at."""

from dataclasses import fields

import numpy as np
import pytest
from networks import plain
from sklearn.datasets import load_digits, load_wine
from sklearn.model_selection import train_test_split

from ldnn import LDNNClassifier
from ldnn._search.choose import _final_plan, choose
from ldnn._search.costs import Costs
from ldnn._search.space import SearchSpace
from ldnn._search.trials import Candidate
from ldnn._table.training_table import TrainingTable
from ldnn.plotting import SearchHistoryDisplay


@pytest.mark.parametrize(("load", "most"), [(load_wine, 0.06), (load_digits, 0.04)])
def test_defaults_on_tables_of_several_kinds(load, most):
    """Error rates far below what a wrong choice would give."""
    X, X_test, y, y_test = train_test_split(*load(return_X_y=True), random_state=0, stratify=load().target)
    assert 1 - LDNNClassifier(random_state=0).fit(X, y).score(X_test, y_test) < most


def test_the_choice_can_be_looked_at(moons):
    model = LDNNClassifier(random_state=0).fit(*moons)
    assert {trial["round"] for trial in model.search_history_} == {1, 2, 3}
    assert {trial["discriminant"] for trial in model.search_history_ if trial["round"] == 1} == {
        "linear", "piecewise", "piecewise-tree", "conic",
    }  # fmt: skip
    assert all(0 <= trial["validation_error"] <= 1 for trial in model.search_history_)
    last = [trial for trial in model.search_history_ if trial["round"] == 3]
    kinds = {(trial["n_conjunctions"], trial["discriminant"]) for trial in last}
    assert (model.plan_["n_conjunctions"], model.plan_["discriminant"]) in kinds
    assert model.n_epochs_ == model.plan_["max_epochs"]
    assert len(model.weights_) == model.plan_["n_estimators"] >= 2


def test_what_is_given_is_not_searched(moons):
    X, y = moons
    assert plain(3, 3).fit(X, y).search_history_ == []
    model = LDNNClassifier(2, 4, learning_rate=0.1, max_epochs=7, n_estimators=3, loss="log", random_state=0).fit(X, y)
    assert model.plan_["learning_rate"] == 0.1
    assert (model.plan_["n_conjunctions"], model.plan_["n_discriminants"]) == (2, 4)
    assert (model.plan_["max_epochs"], model.plan_["n_estimators"], model.plan_["loss"]) == (7, 3, "log")
    assert {trial["n_conjunctions"] for trial in model.search_history_} == {2}
    assert {trial["n_discriminants"] for trial in model.search_history_} == {4}
    assert len({trial["discriminant"] for trial in model.search_history_}) > 1  # this alone was open


@pytest.mark.parametrize(("rows", "given", "epochs"), [(1500, False, 20), (2500, False, 10), (2500, True, 20)])
def test_for_the_likelihood_of_many_rows_half_of_the_epochs_are_enough(random, rows, given, epochs):
    """Unless the user gave their number. That is no reason for more members, but for a larger learning rate."""
    X = random.standard_normal((rows, 3))
    table = TrainingTable(X, np.arange(rows), (X[:, 0] > 0).astype(np.int32), np.ones(rows), np.zeros(3, bool), 2)
    model = LDNNClassifier(max_epochs=20) if given else LDNNClassifier()
    space, costs = model._search_space().for_table(table), Costs.of(table)
    plan = model._plan(table).with_training(max_epochs=20)
    likely = plan.with_training(loss="log", label_smoothing=0.0, revisit_every=1, max_epochs=10)
    trial = Candidate(likely, n_visits=round(0.75 * rows * 10))
    seconds = 3.5 * rows * costs.of_row(likely.with_training(max_epochs=20))
    final = _final_plan(plan, trial, space, costs, seconds)
    assert (final.training.max_epochs, final.training.loss, final.n_estimators) == (epochs, "log", 3)
    assert final.relative_rate == pytest.approx(likely.relative_rate * (10 / epochs) ** (1 / 3))


def test_effort_buys_more_trials_and_members(random):
    X = random.standard_normal((3000, 10))
    y = (X[:, 0] * X[:, 1] > 0).astype(np.int32)
    table = TrainingTable(X, np.arange(3000), y, np.ones(3000), np.zeros(10, bool), 2)
    everything = SearchSpace(*[True] * len(fields(SearchSpace))).for_table(table)
    plan = LDNNClassifier(random_state=0, n_jobs=2)._plan(table)
    spent = []
    for effort in (0.03, 3):
        choice = choose(plan, everything, table, effort, np.random.default_rng(0), lambda line, done: None)
        visits = sum(trial["rows"] * trial["max_epochs"] for trial in choice.history)
        spent.append((visits, choice.plan.n_estimators * choice.plan.training.max_epochs))
    for less, more in zip(*spent, strict=True):
        assert more > less


@pytest.mark.parametrize("rows", [2, 3, 5, 9, 10, 15])
def test_very_few_rows(random, rows):
    X = random.standard_normal((rows, 3))
    y = np.arange(rows) % 2
    model = LDNNClassifier(random_state=0).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()
    assert (model.search_history_ == []) == (rows < 10)


def test_a_class_of_one_row(random):
    X = random.standard_normal((60, 2))
    y = np.where(np.arange(60) == 0, "rare", np.where(X[:, 0] > 0, "a", "b"))
    model = LDNNClassifier(random_state=0).fit(X, y)
    assert set(model.predict(X)) <= {"rare", "a", "b"}
    assert model.search_history_ == []  # no row of it could be held out


def test_columns_with_heavy_tails(random):
    X = random.standard_cauchy((500, 4)) ** 3
    y = X[:, 0] + X[:, 1] > 0
    model = LDNNClassifier(random_state=0).fit(X, y)
    assert model.score(X, y) > 0.8
    assert np.isfinite(model.predict_proba(X)).all()


def test_of_many_classes_some_are_compared_on(random, monkeypatch):
    monkeypatch.setattr("ldnn._search.choose.MANY_CLASSES", 4)
    monkeypatch.setattr("ldnn._search.choose._COMPARED_CLASSES", 3)
    centers = 4 * random.standard_normal((5, 2))
    X, y = np.repeat(centers, 12, axis=0) + random.standard_normal((60, 2)), np.repeat(np.arange(5), 12)
    model = LDNNClassifier(effort=0.05, class_weight={0: 2.0}, random_state=0).fit(X, y)
    history = model.search_history_
    assert {trial["round"] for trial in history} == {1, 2, 3, 4}
    assert [trial["rows"] for trial in history if trial["round"] == 4] == [45]  # of all classes
    assert all(trial["rows"] == 27 for trial in history if trial["round"] < 4)  # of three
    assert model.validation_scores_["rows"].startswith("rows held out")
    assert model.score(X, y) > 0.6 and model.predict_proba(X).shape == (60, 5)
    assert len(SearchHistoryDisplay.from_estimator(model).labels) == len({str(plan) for plan in _plans(history)})


def _plans(history):
    return [{name: value for name, value in trial.items() if not name.startswith("validation_")} for trial in history]
