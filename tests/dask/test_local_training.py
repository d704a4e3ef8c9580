"""What a task does with a partition: the rows that it skips, and what it notes about them."""

import numpy as np
import pytest

from ldnn.dask.dask_classifier import DaskLDNNClassifier
from ldnn.dask.local_training import Step, encode, learn
from ldnn.dask.partitions import MemoryPart
from ldnn.dask.sample_model import fit_sample
from ldnn.dask.sampling import draw, overview
from ldnn.dask.summaries import summarize

SMALL = {
    "n_conjunctions": 2, "n_discriminants": 2, "n_estimators": 2, "discriminant": "linear", "loss": "squared",
    "learning_rate": 0.1, "max_epochs": 3, "random_state": 0,
}  # fmt: skip
ROWS = 800


@pytest.fixture(scope="module")
def given():
    """A model before the rounds, its first weights, and the rows of a partition, with three classes."""
    X = np.random.default_rng(0).normal(size=(ROWS, 3)).astype(np.float32)
    part = MemoryPart(X, np.digitize(X[:, 0] + X[:, 1], [-0.7, 0.7]))
    summary = summarize(part, 0, 300, None, 0)
    whole = overview([summary])
    model = fit_sample(DaskLDNNClassifier(**SMALL).get_params(), whole, draw([summary], None, 300), 1)
    return model, model._state.network.parameters, encode(model, part, 0)


def unpacked(learned):
    [(_, bits)] = learned.fitted
    return np.unpackbits(np.frombuffer(bits, np.uint8), count=6 * ROWS).reshape(6, ROWS)


def test_rows_that_were_noted_as_fitted_are_skipped_until_they_are_due(given):
    model, start, rows = given
    bits = np.packbits(np.ones(6 * ROWS, dtype=bool)).tobytes()
    learned = learn(model, start, rows, 0, (0, 2), Step(1, 1, 0.05, 0, True), bits)
    is_due = np.arange(ROWS) % 8 == 7
    assert unpacked(learned)[:, ~is_due].all()
    assert not unpacked(learned)[:, is_due].all()
    assert 0 < learned.error <= is_due.sum()  # the others count as right
    assert not np.array_equal(learned.parameters, start)


def test_no_row_is_skipped_before_the_networks_have_learned_it(given):
    model, start, rows = given
    first = learn(model, start, rows, 0, (0, 2), Step(0, 0, 0.05, 0, True))
    bits = np.packbits(np.zeros(6 * ROWS, dtype=bool)).tobytes()
    again = learn(model, start, rows, 0, (0, 2), Step(0, 1, 0.05, 0, True), bits)
    assert np.array_equal(again.parameters, first.parameters)
    assert np.array_equal(unpacked(again), unpacked(first))
    assert 0.1 < unpacked(first).mean() < 1


def test_without_notes_outputs_decide(given):
    model, start, rows = given
    first = learn(model, start, rows, 0, (0, 2), Step(0, 0, 0.05, 0))
    assert first.fitted == ()
    later = learn(model, first, rows, 0, (0, 2), Step(1, 1, 0.05, 0))
    noted = learn(model, first, rows, 0, (0, 2), Step(1, 1, 0.05, 0, True))
    assert np.array_equal(later.parameters, noted.parameters)
    assert later.fitted == () and unpacked(noted).any()


def test_members_learn_alone_as_together(given):
    """What they learn does not depend on who learns beside them."""
    model, start, rows = given
    step = Step(0, 0, 0.05, 0)
    together = learn(model, start, rows, 0, (0, 2), step).parameters
    alone = [learn(model, start, rows, 0, (k, k + 1), step).parameters for k in range(2)]
    assert np.array_equal(together, np.concatenate(alone))
