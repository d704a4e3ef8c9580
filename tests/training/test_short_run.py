import numpy as np
import pytest

from ldnn import LDNNClassifier
from ldnn._search import trials
from ldnn._search.trials import Trial
from ldnn._table.training_table import TrainingTable
from ldnn._training import short_run


@pytest.fixture
def table(blobs, random):
    X, y = blobs
    classes = np.searchsorted(["a", "b", "c"], y).astype(np.int32)
    weights = random.uniform(0.5, 2.5, len(X))  # rows of different weights are visited once to three times
    return TrainingTable(X, np.arange(len(X)), classes, weights, np.zeros(4, bool), 3)


@pytest.mark.parametrize(
    "parameters",
    [{}, {"loss": "log", "momentum": 0.5}, {"discriminant": "piecewise"}, {"revisit_every": 1}, {"revisit_every": 3}],
)
def test_a_short_run_has_the_bits_of_the_trainer(table, monkeypatch, parameters):
    plan = LDNNClassifier(2, 3, learning_rate=0.3, max_epochs=9, **parameters)._plan(table)
    in_one_call = Trial(table, table, 0).carry_out(plan)
    monkeypatch.setattr(trials, "epochs_per_call", lambda *arguments: 4)
    in_three_calls = Trial(table, table, 0).carry_out(plan)
    monkeypatch.setattr(trials, "epochs_per_call", lambda *arguments: 0)
    by_trainer = Trial(table, table, 0).carry_out(plan)
    for other in (in_three_calls, by_trainer):
        np.testing.assert_array_equal(in_one_call[0], other[0])
        assert in_one_call[1] == other[1]


def test_a_call_takes_only_as_many_epochs_as_are_short(table, monkeypatch):
    """Ctrl-C is not heard within a compiled call."""
    plan = LDNNClassifier(2, 3, learning_rate=0.3, max_epochs=1_000)._plan(table)
    calls = []

    def train_epochs(begin, end, **arguments):
        calls.append((begin, end))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return 1

    monkeypatch.setattr(short_run.training_kernels, "train_epochs", train_epochs)
    monkeypatch.setattr(short_run, "_MOST_SECONDS", 0.002)
    with pytest.raises(KeyboardInterrupt):
        Trial(table, table, 0).carry_out(plan)
    (_, first), (second, _) = calls
    assert 0 < first == second < 1_000


def test_long_epochs_are_left_to_the_trainer(table, monkeypatch):
    plan = LDNNClassifier(2, 3, learning_rate=0.3)._plan(table)
    monkeypatch.setattr(short_run, "_MOST_SECONDS", 0)
    monkeypatch.setattr(trials, "run_short", None)  # not called

    def run(trainer, rows, validation):
        raise KeyboardInterrupt

    monkeypatch.setattr(trials.Trainer, "run", run)
    with pytest.raises(KeyboardInterrupt):
        Trial(table, table, 0).carry_out(plan)
