"""Rows that are exchanged between partitions: all of them arrive once, at random, and tasks are not too many."""

import numpy as np
import pytest
from dask.sizeof import sizeof

from ldnn._encoding.rows import EncodedRows
from ldnn._model.validation_scores import HeldOutRows, ValidationRows
from ldnn.dask.exchange import exchange, n_exchanged
from ldnn.dask.local_training import LocalRows


class AtOnce:
    """A session that calls functions at once, and notes which workers it was told."""

    def __init__(self):
        self.n_tasks, self.workers = 0, []

    def submit(self, name, function, *arguments, worker=None):
        self.n_tasks += 1
        if worker is not None:
            self.workers.append(worker)
        return function(*arguments)


def keepers_of(parts):
    return [str(number) for number in range(n_exchanged(len(parts)))]


def partition(number, rows, held_out=0):
    def encoded(numbers):
        X = np.full((len(numbers), 1), number, dtype=np.float32)
        return EncodedRows(X, X[:, :0], np.asarray(numbers, dtype=np.int32), np.full(len(numbers), number + 1.0))

    training, rest = encoded(range(rows)), encoded(range(rows, rows + held_out))
    validation = ValidationRows(rest, HeldOutRows(rest.y, rest.weights, False)) if held_out else None
    return LocalRows(training, validation)


def rows_of(rows):
    """Each row, as the number of its partition and its own."""
    assert np.array_equal(rows.weights, rows.X[:, 0] + 1)
    return list(zip(rows.X[:, 0].astype(int).tolist(), rows.y.tolist(), strict=True))


@pytest.mark.parametrize(("sizes", "held_out"), [([300, 500, 100], 0), ([40] * 16, 20), ([50] * 21, 0), ([3] * 300, 0)])
def test_all_rows_arrive_once(sizes, held_out):
    parts = [partition(k, rows, held_out) for k, rows in enumerate(sizes)]
    session = AtOnce()
    mixed = exchange(session, parts, 0, keepers_of(parts))
    assert len(mixed) == n_exchanged(len(parts)) >= len(parts)
    assert sorted(row for part in mixed for row in rows_of(part.training)) == sorted(
        row for part in parts for row in rows_of(part.training)
    )
    counts = [len(part.training.y) for part in mixed]
    assert max(counts) - min(counts) <= max(3 * len(sizes) ** 0.5, 0.3 * max(counts))
    if held_out:
        assert sum(len(part.held_out.encoded.y) for part in mixed) == held_out * len(sizes)
        assert all(np.array_equal(part.held_out.encoded.y, part.held_out.held_out.y) for part in mixed)
    else:
        assert all(part.held_out is None for part in mixed)
    assert sorted(session.workers, key=int) == keepers_of(parts)
    assert session.n_tasks <= 3 * 16 * 2 * len(mixed)


def test_new_partitions_are_mixtures():
    parts = [partition(k, 600) for k in range(20)]
    mixed = exchange(AtOnce(), parts, 0, keepers_of(parts))
    for part in mixed:
        origins = np.bincount(part.training.X[:, 0].astype(int), minlength=20)
        assert origins.min() > 0.3 * origins.mean()
        first_half = np.bincount(part.training.X[: origins.sum() // 2, 0].astype(int), minlength=20)
        assert first_half.min() > 0  # neighbours are a mixture, too


def test_bits_depend_on_the_seed():
    def mixed(seed):
        parts = [partition(k, 30) for k in range(4)]
        return [rows_of(part.training) for part in exchange(AtOnce(), parts, seed, keepers_of(parts))]

    assert mixed(0) == mixed(0) != mixed(1)


def test_dask_knows_how_large_rows_are():
    rows = partition(0, 10_000, 10_000)
    assert sizeof(rows) > 2 * 10_000 * (4 + 4 + 8)
