"""Isotonic regression: the increasing sequences that are nearest to given ones."""

import numpy as np

from .compiling import kernel, small_helper

f32 = np.float32


@small_helper
def pool(parameters, first, size, sign, column, totals, counts):
    """Pool adjacent violators in one column: neighbours in the wrong order become their mean, and a mean that is still
    in the wrong order is pooled with the one before. totals, counts: workspace for the sums and numbers of pooled
    weights.
    """
    pools = np.int64(0)
    for row in range(first, first + size):
        total = np.float64(sign * parameters[row, column])
        count = 1.0
        while pools > 0 and totals[pools - 1] * count > total * counts[pools - 1]:
            pools -= 1
            total += totals[pools]
            count += counts[pools]
        totals[pools] = total
        counts[pools] = count
        pools += 1
    row = first
    for k in range(pools):
        mean = sign * f32(totals[k] / counts[k])
        for _ in range(np.int64(counts[k])):
            parameters[row, column] = mean
            row += 1


@kernel
def make_monotone(parameters, firsts, sizes, signs):
    """Replace weights of knots by the nearest ones that increase from knot to knot (sign 1) or decrease (-1), in place.

    parameters: (rows, columns) float32. The knots of curve k are the rows from firsts[k] on, sizes[k] of them, and
    signs[k] (float32) is its sign; each column is a sequence of its own.
    """
    columns = parameters.shape[1]
    longest = np.int64(0)
    for k in range(sizes.shape[0]):
        longest = max(longest, sizes[k])
    totals = np.empty(longest, np.float64)
    counts = np.empty(longest, np.float64)
    falls = np.empty(columns, f32)  # the longest step in the wrong direction
    for k in range(sizes.shape[0]):
        first, size, sign = firsts[k], sizes[k], signs[k]
        for column in range(columns):
            falls[column] = f32(0.0)
        for row in range(first, first + size - 1):
            for column in range(columns):  # vectorised: most columns are in order
                fall = sign * (parameters[row, column] - parameters[row + 1, column])
                falls[column] = fall if fall > falls[column] else falls[column]
        for column in range(columns):
            if falls[column] > f32(0.0):
                pool(parameters, first, size, sign, column, totals, counts)
