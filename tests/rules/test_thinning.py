import warnings
from itertools import combinations, product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ldnn import LDNNClassifier
from ldnn.rules import rules
from ldnn.rules.thinning import segments, with_one_turn


@given(st.lists(st.tuples(st.floats(-10, 10), st.floats(0.1, 5)), min_size=1, max_size=7), st.integers(1, 4))
def test_segments_are_the_best(pairs, most):
    values, weights = np.array(pairs).T

    def error(cuts):
        groups = np.split(np.arange(len(values)), cuts)
        return sum(
            float(weights[g] @ (values[g] - np.average(values[g], weights=weights[g])) ** 2) for g in groups if len(g)
        )

    found = segments(values, weights, most)
    assert len(found) < most and found == sorted(set(found))
    best = min(error(list(cuts)) for k in range(most) for cuts in combinations(range(1, len(values)), k))
    assert error(found) <= best + 1e-6 * (1 + error([]))


def n_turns(values):
    steps = np.sign(np.diff(values))
    return np.count_nonzero(np.diff(steps[steps != 0]))


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 5)), min_size=1, max_size=5))
def test_points_turn_once_at_most(pairs):
    values, weights = np.array(pairs, dtype=float).T
    found = with_one_turn(values, weights)
    assert n_turns(found) <= 1
    if n_turns(values) <= 1:
        np.testing.assert_allclose(found, values)
    others = [np.array(own) for own in product(sorted({*values, *found}), repeat=len(values))]
    least = min(weights @ (own - values) ** 2 for own in others if n_turns(own) <= 1)
    assert weights @ (found - values) ** 2 <= least + 1e-9


def test_scorecards_do_not_wiggle():
    X = np.random.default_rng(0).normal(size=(600, 3))
    y = (X**2).sum(axis=1) < 2.4
    model = LDNNClassifier(4, 3, discriminant="piecewise", max_epochs=20, random_state=0, n_jobs=1).fit(X, y)
    found = rules(model, X, y, fidelity=0.99, scorecards=True)
    effects = [
        effect for rule in found for own in rule.draft.conditions for effect in own.effects if len(own.effects) > 1
    ]
    assert len(effects) > 2 and all(n_turns(effect.values) <= 1 for effect in effects)


def test_huge_numbers_give_rules_without_warnings():
    random = np.random.default_rng(0)
    X, y = 10.0 ** random.uniform(-300, 300, size=(80, 4)), np.arange(80) * 7 % 3
    model = LDNNClassifier(2, 2, init="rules", n_estimators=1, max_epochs=5, effort=0.05, random_state=0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = rules(model, X, y)
    assert "nan" not in str(found) and "inf" not in str(found)


def test_rules_do_not_depend_on_the_unit():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 3))
    y = X @ [1, 2, -1] > 0
    parameters = {"discriminant": "linear", "n_estimators": 1, "max_epochs": 5, "effort": 0.05, "random_state": 0}
    ordinary, huge = (
        rules(LDNNClassifier(1, 1, **parameters).fit(X * unit, y), X * unit, y) for unit in (1.0, 2.0**900)
    )
    assert len(huge) == len(ordinary) > 0
    np.testing.assert_array_equal(huge.predict(X * 2.0**900), ordinary.predict(X))
