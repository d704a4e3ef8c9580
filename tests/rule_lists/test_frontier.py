from itertools import product

import numpy as np
import pytest
from rule_lists import all_masks, free_space, random_table, worth

from ldnn._rule_lists import frontier
from ldnn._rule_lists.bins import Bins
from ldnn._rule_lists.frontier import FrontierSearch


def searched(X, bins, gains, **space):
    return FrontierSearch(bins, bins.codes(X), gains, free_space(bins, **space)).frontier(2, 2)


def test_worths_rise_and_are_those_of_the_predictions():
    generator = np.random.default_rng(1)
    X, bins = random_table(generator, n=200, n_numbers=3, n_categories=1)
    gains = generator.random((200, 2))
    found = searched(X, bins, gains, most=8)
    worths = [scored.worth for scored in found]
    assert worths == sorted(worths) and worths[-1] > worths[0]
    for length, scored in enumerate(found):
        assert scored.length <= length
        assert scored.worth == pytest.approx(worth(gains, scored.predict(bins.codes(X))))


@pytest.mark.parametrize("seed", range(4))
def test_two_conditions_are_as_good_as_the_best_two(seed, monkeypatch):
    """Beside every rule of two conditions and every two rules of one."""
    monkeypatch.setattr(frontier, "_LEAST_ROWS", 0)
    generator = np.random.default_rng(seed)
    X, bins = random_table(generator, n=50, missing=0)
    codes, gains = bins.codes(X), generator.random((50, 2))
    held = [mask[codes[:, column]] for column in range(2) for mask in all_masks(bins, column)]
    best = max(
        worth(gains, holds.astype(int)) for one, other in product(held, held) for holds in (one & other, one | other)
    )
    found = searched(X, bins, gains, most=2)[2].worth
    assert found > best - 0.02 * abs(best)  # a local search, on labels that are pure noise


def test_an_exclusive_or_needs_two_rules_of_two_conditions():
    """No condition gains anything alone, so where the search goes depends on the sample; most samples are solved."""
    n_solved = 0
    for seed in range(12):
        X = np.random.default_rng(seed).integers(0, 6, (400, 2)).astype(float)
        bins = Bins.fit(X, np.zeros(2, dtype=bool), [0, 0], 64)
        y = ((X[:, 0] > 2) ^ (X[:, 1] > 2)).astype(int)
        scored = searched(X, bins, np.eye(2)[y] / 400, most=4)[4]
        if scored.worth == pytest.approx(1):
            n_solved += 1
            assert scored.rules.n_rules == 2
    assert n_solved >= 8


def test_several_classes_are_an_ordered_list():
    generator = np.random.default_rng(0)
    X, bins = random_table(generator, n=400, missing=0)
    y = np.where(X[:, 0] >= 3, 2, np.where(X[:, 1] >= 3, 1, 0))
    scored = searched(X, bins, np.eye(3)[y] / 400, most=4, labels=(0, 1, 2), default=-1)[2]
    assert scored.worth == pytest.approx(1)
    assert (scored.predict(bins.codes(X)) == y).all()


def test_max_rules():
    generator = np.random.default_rng(0)
    X, bins = random_table(generator, n=300, n_numbers=3)
    found = searched(X, bins, generator.random((300, 2)), most=8, max_rules=1)
    assert all(scored.rules.n_rules <= 1 for scored in found)


@pytest.mark.parametrize(("n_odd", "length"), [(1, 1), (4, 2)])
def test_a_condition_is_worth_more_than_one_row(n_odd, length):
    """Odd rows of the other class, which only a range of their own would find."""
    X = np.repeat(np.arange(6.0), 20)[:, None]
    y = (X[:, 0] >= 3).astype(int)
    X, y = np.concatenate([X, np.full((n_odd, 1), 9.0)]), np.concatenate([y, np.zeros(n_odd, dtype=int)])
    bins = Bins.fit(X, np.array([False]), [0], 16)
    assert searched(X, bins, np.eye(2)[y] / len(y), labels=(0,), default=1)[-1].length == length
