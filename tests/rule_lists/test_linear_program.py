import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from ldnn._rule_lists.linear_program import cheapest


@given(st.integers(0, 2**32 - 1))
def test_nothing_is_cheaper(seed):
    """Small integers have many ties, and rows that say the same."""
    generator = np.random.default_rng(seed)
    m, n = generator.integers(1, 8, 2)
    costs, A, b = generator.integers(0, 3, n), generator.integers(-2, 3, (m, n)), generator.integers(-4, 5, m)
    found = cheapest(costs.astype(float), A.astype(float), b.astype(float))
    expected = linprog(costs, -A, -b)
    assert (found is None) == (expected.status == 2)
    if found is not None:
        assert (found >= -1e-9).all() and (A @ found >= b - 1e-9).all()
        assert abs(costs @ found - expected.fun) < 1e-7


def test_a_single_row_takes_what_brings_most_for_its_cost():
    found = cheapest(np.array([1.0, 1.0, 0.5]), np.array([[1.0, 4.0, 1.0]]), np.array([8.0]))
    np.testing.assert_allclose(found, [0, 2, 0])
