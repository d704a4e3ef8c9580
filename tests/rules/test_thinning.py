import warnings
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ldnn import LDNNClassifier
from ldnn.rules import rules
from ldnn.rules.thinning import segments


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
