import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldnn import rows as module
from ldnn.rows import chunks, distinct_rows, fetch, shuffled, sorting_order, split_off_validation, visits


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1), st.integers(0, 3)), min_size=1))
def test_distinct_rows_are_the_set_of_rows_with_total_weights(table):
    table = np.array(table)
    X, codes, weights = table[:, :2].astype(float), table[:, 2].astype(np.int32), table[:, 3].astype(float)
    rows, totals = distinct_rows(X, codes, weights)
    found = {(*X[row], codes[row]): total for row, total in zip(rows, totals, strict=True)}
    expected = {}
    for x, code, weight in zip(X, codes, weights, strict=True):
        if weight > 0:
            expected[(*x, code)] = expected.get((*x, code), 0) + weight
    assert len(rows) == len(found)
    assert found == expected


def test_order_of_the_rows_does_not_matter(random):
    X, codes = random.standard_normal((5000, 3)), random.integers(3, size=5000).astype(np.int32)
    shuffle = random.permutation(5000)
    rows, _ = distinct_rows(X, codes, np.ones(5000))
    shuffled, _ = distinct_rows(X[shuffle], codes[shuffle], np.ones(5000))
    np.testing.assert_array_equal(X[rows], X[shuffle][shuffled])


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 40) | st.integers(2**63, 2**63 + 40), max_size=100))
def test_keys_are_sorted_even_where_their_high_bits_agree(keys):
    keys = np.array(keys, dtype=np.uint64)
    np.testing.assert_array_equal(sorting_order(keys), np.argsort(keys, kind="stable"))


def test_small_tables_are_ordered_by_class_and_large_ones_mixed(random, monkeypatch):
    X, codes = random.standard_normal((4000, 3)), (np.arange(4000) % 8 == 0).astype(np.int32)
    rows, totals = distinct_rows(X, codes, np.ones(4000))
    assert (np.diff(codes[rows]) >= 0).all()
    monkeypatch.setattr(module, "LARGE", 4000)
    mixed, mixed_totals = distinct_rows(X, codes, np.ones(4000))
    np.testing.assert_array_equal(np.sort(mixed), np.sort(rows))
    assert totals.sum() == mixed_totals.sum() == 4000
    shares = codes[mixed].reshape(8, 500).mean(axis=1)
    assert 0.05 < shares.min() <= shares.max() < 0.2
    shuffle = random.permutation(4000)
    again, _ = distinct_rows(X[shuffle], codes[shuffle], np.ones(4000))
    np.testing.assert_array_equal(X[mixed], X[shuffle][again])


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
    monkeypatch.setattr(module, "LARGE", 5000)
    orders = [shuffled(visited, random) for _ in range(2)]
    assert not np.array_equal(*orders)
    for order in orders:
        assert order.dtype == np.int32
        np.testing.assert_array_equal(np.sort(order), visited)
        blocks = order[: len(order) // module._BLOCK * module._BLOCK].reshape(-1, module._BLOCK)
        assert (np.ptp(blocks, axis=1) < module._BLOCK).all()  # neighbours in memory
        assert (np.abs(np.diff(np.sort(blocks[:, 0]))) > 0).all()
        assert not np.array_equal(blocks[:, 0], np.sort(blocks[:, 0]))


def test_many_visits_do_not_make_a_table_large(random, monkeypatch):
    """Its rows are ordered by class, so its visits must be mixed one by one."""
    monkeypatch.setattr(module, "LARGE", 5000)
    order = shuffled(np.repeat(np.arange(4000, dtype=np.int32), 2), random)
    parts = order[: 7 * module._BLOCK].reshape(7, module._BLOCK)
    assert (np.ptp(parts, axis=1) > 3000).all()


def test_zeros_of_both_signs_are_equal_and_types_do_not_matter():
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [2.0, 1.0]])
    codes = np.zeros(3, np.int32)
    rows, totals = distinct_rows(X, codes, np.ones(3))
    assert sorted(totals) == [1, 2]
    np.testing.assert_array_equal(rows, distinct_rows(X.astype(np.float32), codes, np.ones(3))[0])


def test_whole_numbers_get_different_keys():
    from ldnn.rows import _row_keys

    X = np.stack(np.meshgrid(np.arange(40), np.arange(40), np.arange(20)), axis=-1).reshape(-1, 3)
    assert len(np.unique(_row_keys(X))) == len(X)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=200), st.floats(0.01, 0.99), st.integers(0, 2**32 - 1))
def test_split_is_a_stratified_partition(codes, fraction, seed):
    codes = np.array(codes, np.int32)
    kept, held_out = split_off_validation(codes, fraction, np.random.default_rng(seed))
    np.testing.assert_array_equal(np.sort(np.concatenate([kept, held_out])), np.arange(len(codes)))
    for code in np.unique(codes):
        members = np.sum(codes == code)
        assert np.sum(codes[kept] == code) >= 1
        assert abs(np.sum(codes[held_out] == code) - fraction * members) <= 1


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


def test_chunks_cover_everything_once():
    for width, most, longest in [(4, 17, 4), (4, 1, 1), (0, 3, 3), (1, 100, 10)]:
        pieces = [np.arange(10)[part] for part in chunks(10, width, most)]
        np.testing.assert_array_equal(np.concatenate(pieces), np.arange(10))
        assert max(map(len, pieces)) == longest
    assert list(chunks(0, 5)) == []


@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray, lambda X: np.repeat(X, 2, axis=1)[:, ::2]])
def test_fetched_rows_are_those_asked_for_in_any_layout(random, layout):
    X, rows = random.standard_normal((50, 4)), random.integers(50, size=30)
    fetched = fetch(layout(X), rows)
    np.testing.assert_array_equal(fetched, X[rows])
    assert fetched.flags.c_contiguous
