"""Small linear programs, solved by the dual simplex method: some ten variables, whose costs are not negative."""

import numpy as np
from numpy.typing import NDArray

_TOLERANCE = 1e-11  # by which a row may be missed
_MOST_PIVOTS = 500
_FREE_CHOICE = 100  # pivots after which rows and columns are taken in their order, so that none comes back


def cheapest(costs: NDArray[np.float64], A: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The x >= 0 (n,) with A x >= b that costs least; None if there is none. costs: (n,), none of them negative."""
    m, n = A.shape
    table = np.zeros((m + 1, n + 1))  # each basic variable, and the cost, as a sum of the others: constants come first
    table[0, 1:], table[1:, 0], table[1:, 1:] = costs, -b, A
    basic, others = np.arange(n, n + m), np.arange(n)
    for step in range(_MOST_PIVOTS):
        missed = np.flatnonzero(table[1:, 0] < -_TOLERANCE)
        if not len(missed):
            x = np.zeros(n + m)
            x[basic] = table[1:, 0]
            return x[:n]
        in_order = step >= _FREE_CHOICE
        r = int(missed[np.argmin(basic[missed] if in_order else table[1:, 0][missed])]) + 1
        helpful = np.flatnonzero(table[r, 1:] > _TOLERANCE)
        if not len(helpful):
            return None
        ratios = np.maximum(table[0, 1:][helpful], 0.0) / table[r, 1:][helpful]
        ties = helpful[ratios <= ratios.min() + (_TOLERANCE if not in_order else 0.0)]
        c = int(ties[np.argmin(others[ties])]) + 1
        _exchange(table, r, c)
        basic[r - 1], others[c - 1] = others[c - 1], basic[r - 1]
    return None


def _exchange(table: NDArray[np.float64], r: int, c: int) -> None:
    """The basic variable of row r and the other one of column c change places."""
    pivot = table[r, c]
    new = -table[r] / pivot
    new[c] = 1.0 / pivot
    factors = table[:, c].copy()
    table[:, c] = 0.0
    table += factors[:, None] * new
    table[r] = new
