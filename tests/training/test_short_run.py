import numpy as np
import pytest

from ldnn import LDNNClassifier
from ldnn._search import trials
from ldnn._search.trials import Trial
from ldnn._table.training_table import TrainingTable


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
    monkeypatch.setattr(trials, "is_short", lambda *arguments: False)
    by_trainer = Trial(table, table, 0).carry_out(plan)
    np.testing.assert_array_equal(in_one_call[0], by_trainer[0])
    assert in_one_call[1] == by_trainer[1]


def test_long_runs_are_left_to_the_trainer(table, monkeypatch):
    """Ctrl-C is not heard within a compiled call."""
    plan = LDNNClassifier(2, 3, learning_rate=0.3, max_epochs=1_000_000)._plan(table)
    monkeypatch.setattr(trials, "run_short", None)  # not called

    def run(trainer, rows, validation):
        raise KeyboardInterrupt

    monkeypatch.setattr(trials.Trainer, "run", run)
    with pytest.raises(KeyboardInterrupt):
        Trial(table, table, 0).carry_out(plan)
