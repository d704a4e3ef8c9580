"""Settings are chosen on validation rows; test rows are met once, at the end."""

import numpy as np
import pytest

from reproduction import measure, problems, selection
from reproduction.problems import FEW_ROWS, Problem, validation_splits
from reproduction.selection import choose
from reproduction.tasks import Stage, Task

TASK = Task("pima", "logistic regression", "logistic", {}, (Stage({"C": (0.01, 1.0)}),))


class Spy:
    """A classifier that notes which rows it is shown. X's first column has the row's number; odd ones are class 1."""

    shown: list[tuple[str, set[int]]] = []

    def __init__(self, error=0.0):
        self.error = error

    def fit(self, X, y):
        self.shown.append(("fit", set(X[:, 0].astype(int).tolist())))
        return self

    def predict(self, X):
        """Wrong for as large a share of the rows as `error` says."""
        rows = X[:, 0].astype(int)
        self.shown.append(("predict", set(rows.tolist())))
        return rows % 2 ^ (np.arange(len(rows)) < self.error * len(rows))


@pytest.fixture
def spy(monkeypatch):
    """Every classifier is a spy; what it was shown."""
    made = []

    def build(method, settings, seed):
        made.append(dict(settings))
        return Spy(settings.get("error", 0.0))

    monkeypatch.setattr(Spy, "shown", [])
    monkeypatch.setattr(selection, "build", build)
    monkeypatch.setattr(measure, "build", build)
    return made


def table(n=300):
    X = np.column_stack([np.arange(n), np.arange(n) % 7])
    return X.astype(np.float32), np.arange(n) % 2


@pytest.mark.parametrize("n", [900, FEW_ROWS + 500])
def test_validation_rows_are_training_rows(n):
    train = np.arange(n) * 3
    y = np.arange(3 * n) // 3 % 2
    splits = validation_splits(train, y, seed=1, most=None)
    assert len(splits) == (5 if n <= FEW_ROWS else 1)
    for fit, held_out in splits:
        assert set(fit).isdisjoint(held_out)
        assert set(fit) | set(held_out) == set(train)
        assert len(held_out) == pytest.approx(n / 5, abs=1)
    again = validation_splits(train, y, seed=1, most=None)
    assert all(
        np.array_equal(a, b) for one, other in zip(splits, again, strict=True) for a, b in zip(one, other, strict=True)
    )


def test_choosing_never_looks_at_test_rows():
    """Test rows that nobody can learn from: any look at them is an error."""
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
    monkeypatch.setattr(measure, "load", lambda *_: Problem(X, y, train, test))
    task = Task(name, "spy", "spy", {}, (Stage({"error": (0.4, 0.6)}), Stage({"more": (1,)}, keep=1)))
    record = measure.table(task, 0, None)
    is_test = set(Problem(X, y, train, test).split(0)[1].tolist())
    assert len(is_test) == 100
    touched = [kind for kind, rows in Spy.shown if rows & is_test]
    assert touched == ["predict"]
    assert Spy.shown[-2:] == [("predict", is_test), ("predict", set(range(300)) - is_test)]
    assert (record["train_rows"], record["test_rows"]) == (200, 100)


def test_official_sets_choose_once(spy, monkeypatch):
    X, y = table()
    monkeypatch.setattr(measure, "load", lambda *_: Problem(X, y, np.arange(200), np.arange(200, 300)))
    task = Task("ijcnn1", "spy", "spy", {}, (Stage({"error": (0.5, 0.1, 0.3)}),))
    first = measure.table(task, 0, None)
    assert first["trials"] == 3
    spy.clear()
    second = measure.table(task, 1, first)
    assert second["chosen"] == first["chosen"]
    assert spy == [first["chosen"]]


def test_random_splits_choose_each_time(spy, monkeypatch):
    X, y = table()
    monkeypatch.setattr(measure, "load", lambda *_: Problem(X, y))
    task = Task("pima", "spy", "spy", {}, (Stage({"error": (0.5, 0.1)}),))
    first = measure.table(task, 0, None)
    spy.clear()
    second = measure.table(task, 1, first)
    assert len(spy) == 5 * 2 + 1
    assert (first["split"]["seed"], second["split"]["seed"]) == (0, 1)


def test_the_lowest_validation_error_wins_and_equals_go_to_the_first(spy):
    X, y = table()
    task = Task("pima", "spy", "spy", {}, (Stage({"error": (0.5, 0.2, 0.3), "other": ("a", "b")}),))
    choice = choose(task, X, y, np.arange(300), 0)
    assert choice.chosen == {"error": 0.2, "other": "a"}
    assert choice.error == pytest.approx(20)
    assert choice.trials == 6


def test_rounds_narrow_down(spy):
    X, y = table()
    stages = (Stage({"error": (0.1, 0.3, 0.2)}, is_final=False), Stage({"extra": ("x", "y")}, keep=2))
    choice = choose(Task("pima", "spy", "spy", {}, stages), X, y, np.arange(300), 0)
    tried = spy[:: problems.FOLDS]
    assert tried[:3] == [{"error": 0.1}, {"error": 0.3}, {"error": 0.2}]
    assert tried[3:] == [{"error": error, "extra": extra} for error in (0.1, 0.2) for extra in "xy"]
    assert choice.chosen == {"error": 0.1, "extra": "x"}  # what was only a first round is not chosen


def test_few_rows_are_enough_for_a_first_round(spy):
    X, y = table(4000)
    choose(Task("pima", "spy", "spy", {}, (Stage({"error": (0.1,)}, rows=400),)), X, y, np.arange(4000), 0)
    assert [len(rows) for _, rows in Spy.shown] == [400, 100]


def test_a_setting_that_diverges_is_not_chosen(moons):
    X, y = moons
    settings = {"size": (2, 2), "bends": None, "n_networks": 1, "loss": "squared", "validation_fraction": 0}
    stage = Stage({"step_size": (1e30, 0.1), "max_epochs": (2,)})
    assert choose(Task("x", "LDNN", "ldnn", settings, (stage,)), X, y, np.arange(400), 0).chosen["step_size"] == 0.1
