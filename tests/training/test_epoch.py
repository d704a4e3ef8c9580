"""The visits of an epoch: how often, in which order, and which are skipped."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks import plain
from scipy.special import xlogy

from ldnn import LDNNClassifier, ModularNetworkClassifier
from ldnn._encoding.rows import EncodedRows
from ldnn._training import epoch
from ldnn._training.epoch import Epoch, shuffled, visits


def test_every_order_of_visits_is_as_likely(random):
    orders = np.array([shuffled(np.arange(4, dtype=np.int32), random) for _ in range(24_000)])
    assert (np.sort(orders, axis=1) == np.arange(4)).all()
    counts = np.unique(orders @ [1, 4, 16, 64], return_counts=True)[1]
    assert len(counts) == 24
    assert np.abs(counts - 1000).max() < 150  # nearly five deviations


def test_visits_are_shuffled_by_their_generator():
    visited = np.repeat(np.arange(300, dtype=np.int32), 2)
    one, same, other = (shuffled(visited, np.random.default_rng(seed)) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    assert np.mean(one == other) < 0.05
    np.testing.assert_array_equal(np.sort(one), visited)
    assert abs(np.corrcoef(one, np.arange(600))[0, 1]) < 0.2


def test_large_tables_are_visited_in_blocks_each_visit_once(random, monkeypatch):
    visited = np.repeat(np.arange(5000, dtype=np.int32), random.integers(1, 3, size=5000))
    monkeypatch.setattr(epoch, "LARGE", 5000)
    orders = [shuffled(visited, random) for _ in range(2)]
    assert not np.array_equal(*orders)
    for order in orders:
        assert order.dtype == np.int32
        np.testing.assert_array_equal(np.sort(order), visited)
        blocks = order[: len(order) // epoch._BLOCK * epoch._BLOCK].reshape(-1, epoch._BLOCK)
        assert (np.ptp(blocks, axis=1) < epoch._BLOCK).all()  # neighbours in memory
        assert (np.abs(np.diff(np.sort(blocks[:, 0]))) > 0).all()
        assert not np.array_equal(blocks[:, 0], np.sort(blocks[:, 0]))


def test_many_visits_do_not_make_a_table_large(random, monkeypatch):
    """Its rows are ordered by class, so its visits must be mixed one by one."""
    monkeypatch.setattr(epoch, "LARGE", 5000)
    order = shuffled(np.repeat(np.arange(4000, dtype=np.int32), 2), random)
    parts = order[: 7 * epoch._BLOCK].reshape(7, epoch._BLOCK)
    assert (np.ptp(parts, axis=1) > 3000).all()


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=50))
def test_visits_honour_the_weights(weights):
    weights = np.array(weights)
    rows, per_visit = visits(weights)
    assert (per_visit <= 1 + 1e-6).all()
    counts = np.bincount(rows, minlength=len(weights))
    total = counts * per_visit
    np.testing.assert_allclose(total / total.sum(), weights / weights.sum(), rtol=1e-5)
    assert len(rows) <= 11 * len(weights)


@pytest.mark.parametrize(("weights", "counts"), [([1, 1, 1], [1, 1, 1]), ([1, 2, 4], [1, 2, 4]), ([1e-6] * 2, [1, 1])])
def test_whole_weights_are_repetitions(weights, counts):
    rows, per_visit = visits(np.array(weights, dtype=float))
    np.testing.assert_array_equal(np.bincount(rows), counts)
    np.testing.assert_allclose(per_visit, 1)


class TestRevisits:
    """Rows that a network fits well are visited in some epochs only."""

    def epoch(self, number, f, y, label_smoothing=0.2, loss="squared", revisit_every=4):
        n = len(y)
        plan = plain(label_smoothing=label_smoothing, loss=loss, revisit_every=revisit_every)._training_plan()
        rows = EncodedRows(np.zeros((n, 1), np.float32), np.zeros((n, 0), np.float32), np.asarray(y), np.ones(n))
        order = np.random.default_rng(number).permutation(n).astype(np.int32)
        weights = np.arange(1, n + 1, dtype=np.float32)
        return Epoch(rows, order, weights, float(weights[order].sum()), np.asarray([f], np.float32), number), plan

    def test_well_fitted_rows_wait_their_turn(self):
        f = np.array([0.1, 0.15, 0.5, 1.0, 0.85, 0.1, 0.0, 0.95])
        y = np.array([0, 0, 0, 1, 1, 1, 0, 0])
        is_well_fitted = np.array([True, True, False, True, True, False, True, False])
        visited = np.zeros(8)
        for number in range(1, 5):
            epoch, plan = self.epoch(number, f, y)
            order, _ = epoch.visits_of(0, 1, plan)
            visited[order] += 1
        np.testing.assert_array_equal(visited, np.where(is_well_fitted, 1, 4))

    @pytest.mark.parametrize("loss", ["squared", "log"])
    @pytest.mark.parametrize("label_smoothing", [0.0, 0.2])
    def test_the_loss_of_skipped_rows_is_that_of_their_last_visit(self, loss, label_smoothing):
        f, y = np.array([0.02, 0.01, 0.99, 0.97]), np.array([0, 0, 1, 1])
        epoch, plan = self.epoch(1, f, y, label_smoothing, loss)
        order, total = epoch.visits_of(0, 1, plan)
        skipped = np.setdiff1d(np.arange(4), order)
        assert len(skipped) == 3
        target = np.where(y == 1, 1 - label_smoothing / 2, label_smoothing / 2)
        expected = -xlogy(target, f) - xlogy(1 - target, 1 - f) if loss == "log" else (f - target) ** 2
        assert total == pytest.approx(((skipped + 1) * expected[skipped]).sum(), rel=1e-5, abs=1e-7)

    def test_the_loss_of_outputs_that_are_rounded_to_0_or_1_is_finite(self):
        f = np.array([0.0, np.nextafter(np.float32(1), np.float32(2)), 1.0, 0.0], np.float32)
        epoch, plan = self.epoch(1, f, np.array([0, 1, 1, 0]), 0.2, "log")
        _, total = epoch.visits_of(0, 1, plan)
        assert np.isfinite(total) and total > 0

    def test_every_row_is_visited_first_and_where_nothing_is_skipped(self):
        for number, revisit_every in ((0, 4), (3, 1)):
            epoch, plan = self.epoch(number, [0.1] * 6, [0] * 6, revisit_every=revisit_every)
            order, total = epoch.visits_of(0, 1, plan)
            assert order is epoch.order and total == 0

    def test_a_network_learns_as_much(self, moons, blobs):
        for X, y in (moons, blobs):
            every_row, error = (
                1 - plain(3, 3, max_epochs=40, revisit_every=every, validation_fraction=0).fit(X, y).score(X, y)
                for every in (1, 4)
            )
            assert error <= every_row + 0.02

    def test_the_default_does_not_depend_on_the_epochs(self):
        assert LDNNClassifier()._training_plan().revisit_every == 8
        assert LDNNClassifier(max_epochs=10)._training_plan().revisit_every == 8
        assert LDNNClassifier(max_epochs=10, revisit_every=3)._training_plan().revisit_every == 3
        assert LDNNClassifier.from_paper()._training_plan().revisit_every == 1
        assert ModularNetworkClassifier(2, 2)._training_plan().revisit_every == 1
