import numpy as np
import pytest

from ldnn._rule_lists.rule_probabilities import HeldConditions, RuleProbabilities


def made(n_classes, n=500):
    generator = np.random.default_rng(0)
    held = HeldConditions(generator.integers(0, 4, (n, 2)))
    labels = np.array([1, n_classes - 1])
    decided = np.append(labels, 0)[held.first]
    y = np.where(generator.random(n) < 0.7, decided, generator.integers(0, n_classes, n))
    return held, labels, y, decided


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_most_probable_class_is_the_decided_one(n_classes):
    held, labels, y, decided = made(n_classes)
    found = RuleProbabilities.fit(held, labels, 0, y, np.ones(len(y)), n_classes).predict(held)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert (found.argmax(axis=1) == decided).all()


def test_probabilities_are_frequencies():
    held, labels, y, _ = made(3)
    found = RuleProbabilities.fit(held, labels, 0, y, np.ones(len(y)), 3).predict(held)
    for rule in range(2):
        own = held.first == rule
        np.testing.assert_allclose(found[own][0], np.bincount(y[own], minlength=3) / own.sum(), atol=0.03)


def test_more_conditions_that_hold_never_lower_the_probability():
    held, _, y, _ = made(2)
    fitted = RuleProbabilities.fit(held, np.array([1, 1]), 0, y, np.ones(len(y)), 2)
    more = HeldConditions(np.maximum(held.n_lacking - 1, 0))
    assert (fitted.predict(more)[:, 1] >= fitted.predict(held)[:, 1] - 1e-12).all()


def test_a_list_without_rules():
    held = HeldConditions(np.empty((4, 0), dtype=np.intp))
    found = RuleProbabilities.fit(held, np.empty(0, dtype=np.intp), 1, np.array([1, 1, 0, 1]), np.ones(4), 2)
    assert (found.predict(held)[:, 1] > 0.5).all()
