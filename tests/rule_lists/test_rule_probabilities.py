from dataclasses import replace

import numpy as np
import pytest

from ldnn._rule_lists.rule_probabilities import HeldConditions, RuleProbabilities


def made(n_classes, n=500):
    generator = np.random.default_rng(0)
    held = HeldConditions(generator.random((n, 5)) < 0.6, np.array([2, 3]))
    labels = np.array([1, n_classes - 1])
    decided = np.append(labels, 0)[held.first]
    y = np.where(generator.random(n) < 0.7, decided, generator.integers(0, n_classes, n))
    return held, labels, y, decided


def fit(held, labels, default, y, n_classes):
    """Fitted where every condition either holds or does not; a function that gives probabilities."""
    rows = (y, np.ones(len(y)))
    fitted = RuleProbabilities.fit(held, held.holds.astype(float), labels, default, rows, n_classes)
    return lambda other: fitted.predict(other, other.holds.astype(float))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_most_probable_class_is_the_decided_one(n_classes):
    held, labels, y, decided = made(n_classes)
    found = fit(held, labels, 0, y, n_classes)(held)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert (found.argmax(axis=1) == decided).all()


def test_probabilities_are_frequencies():
    held, labels, y, _ = made(3)
    found = fit(held, labels, 0, y, 3)(held)
    for rule in range(2):
        own = held.first == rule
        np.testing.assert_allclose(found[own][0], np.bincount(y[own], minlength=3) / own.sum(), atol=0.03)


def test_more_conditions_that_hold_never_lower_the_probability():
    held, _, y, _ = made(2)
    probabilities = fit(held, np.array([1, 1]), 0, y, 2)
    for k in range(5):
        more = held.holds.copy()
        more[:, k] = True
        better = probabilities(HeldConditions(more, held.sizes))
        assert (better[:, 1] >= probabilities(held)[:, 1] - 1e-12).all()


@pytest.mark.parametrize("default", [0, 1])
def test_rows_that_lack_less_are_more_probable(default):
    generator = np.random.default_rng(1)
    held = HeldConditions(generator.random((4000, 3)) < 0.5, np.array([3]))
    chance = np.array([0.05, 0.1, 0.3, 0.9])[held.holds.sum(axis=1)]
    y = np.where(generator.random(4000) < chance, 1 - default, default)
    found = fit(held, np.array([1 - default]), default, y, 2)(held)
    np.testing.assert_allclose(found[:, 1 - default], chance, atol=0.06)


def test_a_list_without_rules():
    held = HeldConditions(np.empty((4, 0), dtype=bool), np.empty(0, dtype=np.intp))
    found = fit(held, np.empty(0, dtype=np.intp), 1, np.array([1, 1, 0, 1]), 2)
    assert (found(held)[:, 1] > 0.5).all()


def test_rows_that_the_rules_overrule_keep_their_order():
    """A rule holds in all rows here, but few of those that meet only one other condition are of its class."""
    generator = np.random.default_rng(0)
    others = generator.random((4000, 2)) < 0.5
    holds = np.column_stack([np.ones(4000, dtype=bool), others])
    held = HeldConditions(holds, np.array([1, 2]))
    y = (generator.random(4000) < 0.1 + 0.15 * others.sum(axis=1)).astype(int)
    found = fit(held, np.array([1, 1]), 0, y, 2)(held)[:, 1]
    means = [found[others.sum(axis=1) == k].mean() for k in range(3)]
    assert 0.5 < means[0] < means[1] < means[2]


def test_a_row_has_the_same_last_bits_alone_as_among_others():
    held, labels, y, _ = made(2)
    generator = np.random.default_rng(1)
    degrees = generator.random((500, 7))
    fitted = RuleProbabilities.fit(held, degrees, labels, 0, (y, np.ones(500)), 2)
    weights = generator.random(7)  # of many digits
    fitted = replace(fitted, weights=weights)
    together = fitted.predict(held, degrees)
    for row in range(500):
        alone = fitted.predict(replace(held, holds=held.holds[row : row + 1]), degrees[row : row + 1])
        np.testing.assert_array_equal(alone[0], together[row])
