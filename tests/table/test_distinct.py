import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldnn._table import distinct
from ldnn._table.distinct import chunks, distinct_rows, sorting_order, split_off_validation, take_rows


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1), st.integers(0, 3)), min_size=1))
def test_distinct_rows_are_the_set_of_rows_with_total_weights(table):
    table = np.array(table)
    X, y, weights = table[:, :2].astype(float), table[:, 2].astype(np.int32), table[:, 3].astype(float)
    rows, totals = distinct_rows(X, y, weights)
    found = {(*X[row], y[row]): total for row, total in zip(rows, totals, strict=True)}
    expected = {}
    for x, c, weight in zip(X, y, weights, strict=True):
        if weight > 0:
            expected[(*x, c)] = expected.get((*x, c), 0) + weight
    assert len(rows) == len(found)
    assert found == expected


def test_order_of_the_rows_does_not_matter(random):
    X, y = random.standard_normal((5000, 3)), random.integers(3, size=5000).astype(np.int32)
    shuffle = random.permutation(5000)
    rows, _ = distinct_rows(X, y, np.ones(5000))
    shuffled, _ = distinct_rows(X[shuffle], y[shuffle], np.ones(5000))
    np.testing.assert_array_equal(X[rows], X[shuffle][shuffled])


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 40) | st.integers(2**63, 2**63 + 40), max_size=100))
def test_keys_are_sorted_even_where_their_high_bits_agree(keys):
    keys = np.array(keys, dtype=np.uint64)
    np.testing.assert_array_equal(sorting_order(keys), np.argsort(keys, kind="stable"))


def test_small_tables_are_ordered_by_class_and_large_ones_mixed(random, monkeypatch):
    X, y = random.standard_normal((4000, 3)), (np.arange(4000) % 8 == 0).astype(np.int32)
    rows, totals = distinct_rows(X, y, np.ones(4000))
    assert (np.diff(y[rows]) >= 0).all()
    monkeypatch.setattr(distinct, "LARGE", 4000)
    mixed, mixed_totals = distinct_rows(X, y, np.ones(4000))
    np.testing.assert_array_equal(np.sort(mixed), np.sort(rows))
    assert totals.sum() == mixed_totals.sum() == 4000
    shares = y[mixed].reshape(8, 500).mean(axis=1)
    assert 0.05 < shares.min() <= shares.max() < 0.2
    shuffle = random.permutation(4000)
    again, _ = distinct_rows(X[shuffle], y[shuffle], np.ones(4000))
    np.testing.assert_array_equal(X[mixed], X[shuffle][again])


def test_zeros_of_both_signs_are_equal_and_types_do_not_matter():
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [2.0, 1.0]])
    y = np.zeros(3, np.int32)
    rows, totals = distinct_rows(X, y, np.ones(3))
    assert sorted(totals) == [1, 2]
    np.testing.assert_array_equal(rows, distinct_rows(X.astype(np.float32), y, np.ones(3))[0])


def test_whole_numbers_get_different_keys():
    X = np.stack(np.meshgrid(np.arange(40), np.arange(40), np.arange(20)), axis=-1).reshape(-1, 3)
    assert len(np.unique(distinct._row_keys(X))) == len(X)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=200), st.floats(0.01, 0.99), st.integers(0, 2**32 - 1))
def test_split_is_a_stratified_partition(y, fraction, seed):
    y = np.array(y, np.int32)
    kept, held_out = split_off_validation(y, fraction, np.random.default_rng(seed))
    np.testing.assert_array_equal(np.sort(np.concatenate([kept, held_out])), np.arange(len(y)))
    for c in np.unique(y):
        members = np.sum(y == c)
        assert np.sum(y[kept] == c) >= 1
        assert abs(np.sum(y[held_out] == c) - fraction * members) <= 1


def test_chunks_cover_everything_once():
    for width, most, longest in [(4, 17, 4), (4, 1, 1), (0, 3, 3), (1, 100, 10)]:
        pieces = [np.arange(10)[part] for part in chunks(10, width, most)]
        np.testing.assert_array_equal(np.concatenate(pieces), np.arange(10))
        assert max(map(len, pieces)) == longest
    assert list(chunks(0, 5)) == []


@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray, lambda X: np.repeat(X, 2, axis=1)[:, ::2]])
def test_taken_rows_are_those_asked_for_in_any_layout(random, layout):
    X, rows = random.standard_normal((50, 4)), random.integers(50, size=30)
    taken = take_rows(layout(X), rows)
    np.testing.assert_array_equal(taken, X[rows])
    assert taken.flags.c_contiguous
