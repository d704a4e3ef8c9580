"""Compiled loops over the user's numbers: normalisation, knot positions, splits of one column."""

import numpy as np

from .compiling import kernel, small_helper

f32 = np.float32

PIECEWISE, ONE_HOT, MISSING = range(3)  # kinds of bases, see _encoding/bases.py


@kernel
def normalize(X, center, scale, limit, out):
    """out[i] = (X[i] - center) * scale, within +-limit; NaN gives 0. X (n, F) any float, out float32."""
    for i in range(X.shape[0]):
        for k in range(X.shape[1]):
            value = (np.float64(X[i, k]) - center[k]) * scale[k]
            value = value if value == value else 0.0  # missing: the mean
            value = value if value < limit else limit
            out[i, k] = f32(value if value > -limit else -limit)


@small_helper
def last_knot_before(value, knots, first, last):
    """The index of the last of the increasing knots[first:last + 1] that is not above the value, else `first`."""
    low = first
    high = last
    while low < high:
        middle = (low + high + 1) // 2
        if knots[middle] <= value:
            low = middle
        else:
            high = middle - 1
    return low


@small_helper
def position_of(value, kind, knots, first, last):
    """The position of a value among knots[first:last + 1] of a basis of this kind; -1 where it touches none of them."""
    if value != value:
        return 0.0 if kind == MISSING else -1.0
    if kind == MISSING:
        return -1.0
    low = last_knot_before(value, knots, first, last)
    if kind == ONE_HOT:
        return np.float64(low - first) if knots[low] == value else -1.0
    if low == last or value <= knots[first]:
        return np.float64(low - first)
    return np.float64(low - first) + (value - knots[low]) / (knots[low + 1] - knots[low])


@kernel
def find_positions(X, columns, kinds, firsts, knots, out):
    """out[i, s] = position of X[i, columns[s]] in basis s, whose knots are knots[firsts[s]:firsts[s + 1]].

    kinds[s] is the kind of the basis. X (n, F) any float, out float32.
    """
    for i in range(X.shape[0]):
        for s in range(columns.shape[0]):
            value = np.float64(X[i, columns[s]])
            out[i, s] = f32(position_of(value, kinds[s], knots, firsts[s], firsts[s + 1] - 1))


@kernel
def best_cut(values, y, weights, begin, end, least, left, right):
    """Where a decision tree cuts a leaf, the rows begin .. end - 1, whose values increase: the first row of its right
    part, and the gain, 0 where no cut leaves a weight of `least` on both sides.

    With W_c the weight of class c and W that of all rows, a leaf's impurity (Gini's) times its weight is
    W - sum_c W_c**2 / W, so the sums of both parts should be large. left and right: workspace for W_c,
    (classes,) float64.
    """
    for c in range(left.shape[0]):
        left[c] = 0.0
        right[c] = 0.0
    total = 0.0
    squares_right = 0.0
    for row in range(begin, end):
        squares_right += weights[row] * (2.0 * right[y[row]] + weights[row])
        right[y[row]] += weights[row]
        total += weights[row]
    squares_left = 0.0
    weight_left = 0.0
    of_leaf = squares_right / total if total > 0.0 else 0.0
    best = of_leaf
    cut = end
    for row in range(begin, end - 1):
        c = y[row]
        weight = weights[row]
        squares_left += weight * (2.0 * left[c] + weight)
        squares_right -= weight * (2.0 * right[c] - weight)
        left[c] += weight
        right[c] -= weight
        weight_left += weight
        weight_right = total - weight_left
        if values[row] < values[row + 1] and weight_left >= least and weight_right >= least:
            score = squares_left / weight_left + squares_right / weight_right
            if score > best:
                best = score
                cut = row + 1
    return cut, best - of_leaf
