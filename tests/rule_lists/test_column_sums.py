import numpy as np
import pytest

from ldnn._rule_lists.column_sums import ColumnSum, find_sums, rounded_sum, sum_directions, with_sums

ALL = np.ones(3, dtype=bool)
FREE = np.zeros(3, dtype=np.intp)


def rows(weights, n=800, seed=0):
    """Columns of spreads 1, 10 and 1,000, and targets (n, 2) by the sign of a sum of them, divided by their spreads."""
    Z = np.random.default_rng(seed).normal(size=(n, 3))
    return Z * [1, 10, 1000], np.eye(2)[(Z @ weights > 0).astype(int)]


def test_text_and_values():
    own = ColumnSum((2, 0), (3.0, -1.0))
    assert own.text(["a", "b", "c"]) == "3 x c - a"
    X = np.array([[1.0, 0, 2], [np.nan, 0, 2]])
    np.testing.assert_array_equal(with_sums(X, (own,))[:, 3], [5, np.nan])
    assert with_sums(X, ()) is X


@pytest.mark.parametrize(
    ("weights", "columns", "found"),
    [([1, 1, 0], {0, 1}, 10), ([2, -1, 0], {0, 1}, -20), ([0, 1, 1], {1, 2}, 100), ([1, 0, -1], {0, 2}, -1000)],
)
def test_the_right_pair_with_round_weights(weights, columns, found):
    best = find_sums(*rows(weights), ALL, FREE, 2, 0)[0]
    by_column = dict(zip(best.columns, best.weights, strict=True))
    first, second = sorted(by_column)
    assert set(by_column) == columns and best.weights[0] > 0
    assert by_column[first] / by_column[second] == found
    assert all(weight.is_integer() for weight in best.weights)


def test_three_columns():
    found = find_sums(*rows([1, 1, 1]), ALL, FREE, 3, 0)
    longest = [own for own in found if len(own.columns) == 3]
    assert longest and all(len(set(own.columns)) == 3 for own in longest)
    assert all(weight > 0 for weight in longest[0].weights)
    assert not any(len(own.columns) == 3 for own in find_sums(*rows([1, 1, 1]), ALL, FREE, 2, 0))


def test_a_column_that_says_little_alone():
    """Eleven columns tell the classes apart better than the twelfth, which explains the errors of all of them."""
    generator = np.random.default_rng(0)
    size, error = generator.normal(size=(2, 900))
    X = np.column_stack([*(size + error + 0.1 * generator.normal(size=(11, 900))), error])
    found = find_sums(X, np.eye(2)[(size > 0).astype(int)], np.ones(12, dtype=bool), np.zeros(12, dtype=np.intp), 2, 0)
    assert 11 in found[0].columns and np.prod(found[0].weights) < 0


@pytest.mark.parametrize(
    ("factors", "spreads", "weights"),
    [
        ([1, 1.5], [1, 1], (3, 2)),
        ([-1, 0.52], [1, 0.01], (1, -50)),
        ([1, 9], [1, 3], (3, 1)),
        ([1, 1], [1e-9, 1], None),
    ],
)
def test_weights_are_round_integers(factors, spreads, weights):
    found = rounded_sum(np.arange(2), np.array(factors), np.array(spreads))
    assert (found and found.weights) == weights


def test_only_columns_that_can_be_summed():
    assert find_sums(*rows([1, 1, 0]), np.array([True, False, True]), FREE, 2, 0) == ()
    assert find_sums(*rows([1, 0, 0]), ALL, FREE, 2, 0) == ()  # no sum is better than the column alone


def test_directions():
    directions = np.array([1, -1, 0])
    X, targets = rows([1, 1, 0])
    assert all({0, 1} - set(own.columns) for own in find_sums(X, targets, ALL, directions, 2, 0))
    sums = (ColumnSum((0, 1), (1.0, -3.0)), ColumnSum((2, 1), (1.0, 1.0)), ColumnSum((2, 0), (1.0, -1.0)))
    assert sum_directions(sums, directions).tolist() == [1, -1, -1]
    assert sum_directions(sums[:1], FREE).tolist() == [0]


def test_missing_and_constant_columns():
    X, targets = rows([1, 1, 0])
    X[:, 2] = 7.0
    X[::9, 0] = np.nan
    assert set(find_sums(X, targets, ALL, FREE, 2, 0)[0].columns) == {0, 1}
    assert find_sums(np.full((5, 3), np.nan), targets[:5], ALL, FREE, 2, 0) == ()
