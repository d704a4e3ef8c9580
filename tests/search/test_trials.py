import warnings
from dataclasses import replace

import numpy as np
import pytest

from ldnn import LDNNClassifier
from ldnn._search.trials import Candidate, Trial, best_of_last_round, error_and_loss, trials_by_plan
from ldnn._table.training_table import TrainingTable


@pytest.fixture
def table(blobs):
    X, y = blobs
    classes = np.searchsorted(["a", "b", "c"], y).astype(np.int32)
    return TrainingTable(X, np.arange(len(X)), classes, np.ones(len(X)), np.zeros(4, bool), 3)


def test_a_plan_that_diverges_is_not_chosen(moons, monkeypatch):
    """And no warning tells of it: the user has not asked for it."""
    monkeypatch.setattr("ldnn._search.candidates._RATES", (5.0, 1e9))
    X, y = moons
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LDNNClassifier(random_state=0).fit(X, y)
    assert {trial["relative_learning_rate"] for trial in model.search_history_ if trial["round"] == 1} == {5.0, 1e9}
    assert model.score(X, y) > 0.9


def test_a_trial_is_that_of_its_seed(table):
    plan = LDNNClassifier(2, 2, learning_rate=0.3, max_epochs=3)._plan(table)
    one, same, other = (Trial(table, table, seed).carry_out(plan)[0] for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_plans_of_one_trial_do_not_disturb_each_other(table):
    """What several plans need is made once, and gives what each alone would get."""
    plan = LDNNClassifier(2, 2, learning_rate=0.3, max_epochs=2)._plan(table)
    plans = [plan, plan.with_training(loss="log"), plan.with_start(N=3), plan.with_encoding(is_conic=True)]
    trial = Trial(table, table, 0)
    trial.prepare(plans, 2)
    for each in plans:
        np.testing.assert_array_equal(trial.carry_out(each)[0], Trial(table, table, 0).carry_out(each)[0])


def test_a_candidate_says_how_it_did(table):
    plan = LDNNClassifier(2, 3, learning_rate=0.3, max_epochs=4)._plan(table)
    candidate = Candidate(plan)
    entries = [candidate.evaluate(Trial(table, table, seed)) for seed in (0, 1)]
    assert [entry["rows"] for entry in entries] == [180, 180]
    assert (entries[0]["n_conjunctions"], entries[0]["n_discriminants"]) == (2, 3)
    scores = [entry["validation_error"] + entry["validation_loss"] for entry in entries]
    assert candidate.scores == scores and candidate.score == np.mean(scores)
    assert candidate.n_visits == 180 * 4
    bad = Candidate(replace(plan, relative_rate=1e30))
    bad.evaluate(Trial(table, table, 0))
    assert not bad.outputs[0].any() and bad.score > candidate.score


def test_error_and_loss(table):
    """Sure and right; sure and wrong; undecided."""
    right = np.where(np.arange(3)[:, None] == table.y, 50.0, -50.0)
    assert error_and_loss(right, 1.0, table) == (0, pytest.approx(0, abs=1e-9))
    assert error_and_loss(np.roll(right, 1, axis=0), 1.0, table) == (1, pytest.approx(1))
    error, loss = error_and_loss(np.zeros_like(right), 1.0, table)
    assert (error, loss) == (pytest.approx(2 / 3), pytest.approx(1 / 3))


def test_trials_are_grouped_by_plan_and_round():
    history = [
        {"round": number, "rows": rows, "loss": loss, "validation_error": error, "validation_loss": 0.1}
        for number, rows, loss, error in (
            (1, 114, "squared", 0.0),
            (2, 114, "squared", 0.3),
            (2, 114, "log", 0.2),
            (2, 113, "squared", 0.05),
        )
    ]
    plans = trials_by_plan(history)
    assert [[trial["validation_error"] for trial in trials] for trials in plans] == [[0.0], [0.3, 0.05], [0.2]]
    assert best_of_last_round(plans) == 1
    plans[2][0]["validation_error"] = 0.0  # on one split, which may have been an easy one
    assert best_of_last_round(plans) == 1


def test_the_temperature_of_more_members_is_extrapolated(table):
    candidate = Candidate(LDNNClassifier(2, 2)._plan(table), inverse_temperature=2.0)
    assert candidate.temperature_of(8) == 2.0  # nothing is known about ensembles
    candidate.n_members, candidate.single_temperature = 4, 1.5
    assert candidate.temperature_of(1) == pytest.approx(1.5) and candidate.temperature_of(4) == 2.0
    assert 2.0 < candidate.temperature_of(8) < 2.0 * 2.0 / 1.5
