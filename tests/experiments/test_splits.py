import numpy as np
import pytest

from experiments.splits import FEW_ROWS, Problem, sample, validation_splits


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


def test_official_rows_are_the_split_of_every_repeat():
    problem = Problem(np.zeros((6, 1)), np.arange(6) % 2, np.arange(4), np.arange(4, 6))
    for train, test in (problem.split(3), *problem.shuffled_splits(2)):
        assert (train.tolist(), test.tolist()) == ([0, 1, 2, 3], [4, 5])


def test_random_splits_are_stratified_and_differ():
    y = np.arange(300) % 3
    problem = Problem(np.zeros((300, 1)), y)
    for splits in ([problem.split(0), problem.split(1)], problem.shuffled_splits(2)):
        for train, test in splits:
            assert sorted([*train, *test]) == list(range(300))
            assert len(test) == 100
            assert set(np.bincount(y[test])) <= {33, 34}
        assert set(splits[0][1]) != set(splits[1][1])


def test_a_sample_is_part_of_the_rows_and_fixed_by_its_seed():
    rows = np.arange(0, 1000, 2)
    few = sample(rows, 10, seed=1)
    assert len(few) == 10 and set(few) <= set(rows) and np.all(np.diff(few) > 0)
    np.testing.assert_array_equal(few, sample(rows, 10, seed=1))
    assert set(few) != set(sample(rows, 10, seed=2))
    assert sample(rows, None, 1) is rows
