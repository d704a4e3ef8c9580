from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

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
