"""Settings are chosen on validation rows; test rows are used once, at the end."""

import numpy as np
import pytest

from experiments.plain_network import PLAIN
from experiments.splits import FOLDS, Problem
from reproduction import setting_search, table_runs
from reproduction.setting_search import choose
from reproduction.tasks import SearchStage, Task

TASK = Task("pima", "logistic regression", "logistic", {}, (SearchStage({"C": (0.01, 1.0)}),))


class Spy:
    """A classifier that notes the rows it gets. The first column of X has the row number; odd rows are class 1."""

    shown: list[tuple[str, set[int]]] = []

    def __init__(self, error=0.0):
        self.error = error

    def fit(self, X, y):
        self.shown.append(("fit", set(X[:, 0].astype(int).tolist())))
        return self

    def predict(self, X):
        """Wrong for the share `error` of the rows."""
        rows = X[:, 0].astype(int)
        self.shown.append(("predict", set(rows.tolist())))
        return rows % 2 ^ (np.arange(len(rows)) < self.error * len(rows))


@pytest.fixture
def spy(monkeypatch):
    """Make every classifier a spy; the settings of those that were built."""
    made = []

    def build(method, settings, seed):
        made.append(dict(settings))
        return Spy(settings.get("error", 0.0))

    monkeypatch.setattr(Spy, "shown", [])
    monkeypatch.setattr(setting_search, "build", build)
    monkeypatch.setattr(table_runs, "build", build)
    return made


def table(n=300):
    X = np.column_stack([np.arange(n), np.arange(n) % 7])
    return X.astype(np.float32), np.arange(n) % 2


def test_choosing_never_looks_at_test_rows():
    """Test rows that nobody can learn from: any use of them is an error."""
    random = np.random.default_rng(0)
    X = random.standard_normal((300, 4))
    y = (X[:, 0] > 0).astype(int)
    train = np.arange(200)
    chosen = choose(TASK, X, y, train, seed=0)
    X[200:] = np.nan
    y[200:] = 99
    assert choose(TASK, X, y, train, seed=0).chosen == chosen.chosen


@pytest.mark.parametrize("name", ["pima", "ijcnn1"])
def test_test_rows_are_predicted_once_at_the_end(spy, monkeypatch, name):
    X, y = table()
    train, test = (np.arange(200), np.arange(200, 300)) if name == "ijcnn1" else (None, None)
    monkeypatch.setattr(table_runs, "load", lambda *_: Problem(X, y, train, test))
    task = Task(name, "spy", "spy", {}, (SearchStage({"error": (0.4, 0.6)}), SearchStage({"more": (1,)}, keep=1)))
    record = table_runs.on_data_set(task, 0, None)
    is_test = set(Problem(X, y, train, test).split(0)[1].tolist())
    assert len(is_test) == 100
    touched = [kind for kind, rows in Spy.shown if rows & is_test]
    assert touched == ["predict"]
    assert Spy.shown[-2:] == [("predict", is_test), ("predict", set(range(300)) - is_test)]
    assert (record["train_rows"], record["test_rows"]) == (200, 100)


def test_official_sets_choose_once(spy, monkeypatch):
    X, y = table()
    monkeypatch.setattr(table_runs, "load", lambda *_: Problem(X, y, np.arange(200), np.arange(200, 300)))
    task = Task("ijcnn1", "spy", "spy", {}, (SearchStage({"error": (0.5, 0.1, 0.3)}),))
    first = table_runs.on_data_set(task, 0, None)
    assert first["trials"] == 3
    spy.clear()
    second = table_runs.on_data_set(task, 1, first)
    assert second["chosen"] == first["chosen"]
    assert spy == [first["chosen"]]


def test_random_splits_choose_each_time(spy, monkeypatch):
    X, y = table()
    monkeypatch.setattr(table_runs, "load", lambda *_: Problem(X, y))
    task = Task("pima", "spy", "spy", {}, (SearchStage({"error": (0.5, 0.1)}),))
    first = table_runs.on_data_set(task, 0, None)
    spy.clear()
    second = table_runs.on_data_set(task, 1, first)
    assert len(spy) == 5 * 2 + 1
    assert (first["split"]["seed"], second["split"]["seed"]) == (0, 1)


def test_the_lowest_validation_error_wins_and_equals_go_to_the_first(spy):
    X, y = table()
    task = Task("pima", "spy", "spy", {}, (SearchStage({"error": (0.5, 0.2, 0.3), "other": ("a", "b")}),))
    choice = choose(task, X, y, np.arange(300), 0)
    assert choice.chosen == {"error": 0.2, "other": "a"}
    assert choice.error == pytest.approx(20)
    assert choice.trials == 6


def test_rounds_narrow_down(spy):
    X, y = table()
    stages = (SearchStage({"error": (0.1, 0.3, 0.2)}, is_final=False), SearchStage({"extra": ("x", "y")}, keep=2))
    choice = choose(Task("pima", "spy", "spy", {}, stages), X, y, np.arange(300), 0)
    tried = spy[::FOLDS]
    assert tried[:3] == [{"error": 0.1}, {"error": 0.3}, {"error": 0.2}]
    assert tried[3:] == [{"error": error, "extra": extra} for error in (0.1, 0.2) for extra in "xy"]
    assert choice.chosen == {"error": 0.1, "extra": "x"}  # what was only a first round is not chosen


def test_few_rows_are_enough_for_a_first_round(spy):
    X, y = table(4000)
    choose(Task("pima", "spy", "spy", {}, (SearchStage({"error": (0.1,)}, rows=400),)), X, y, np.arange(4000), 0)
    assert [len(rows) for _, rows in Spy.shown] == [400, 100]


def test_a_setting_that_diverges_is_not_chosen(moons):
    X, y = moons
    settings = {**PLAIN, "size": (2, 2), "validation_fraction": 0}
    stage = SearchStage({"learning_rate": (1e30, 0.1), "max_epochs": (2,)})
    assert choose(Task("x", "LDNN", "ldnn", settings, (stage,)), X, y, np.arange(400), 0).chosen["learning_rate"] == 0.1
