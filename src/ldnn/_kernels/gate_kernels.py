"""One network's output for one row: half-spaces, knots, sigmoids, soft gates.

Shapes, for one network of N conjunctions of M discriminants on F numbers and S bases:

    parameters  (F + 1 + knots, columns) float32, C order. Column i * M + j holds discriminant j of conjunction i: the
                weights w_ijk of the numbers in rows k = 0 .. F - 1, the bias b_ij in row F, then a weight for each knot
                of each basis. `columns` is N * M rounded up to whole vectors of eight, or a little more; the columns
                beyond N * M stay zero.
    X           (rows, F) float32, C order: normalised numbers.
    positions   (rows, S) float32, C order: the position of a value among the knots of a basis. Position 2.25 counts as
                three quarters of knot 2 and a quarter of knot 3, so the weights of the knots are the values of a
                piecewise-linear function; a whole number is a single knot (a category); a negative position is none
                (missing or unknown).
    bases       (S, 3) int32: the row of `parameters` where the weights of the basis begin, its number of knots, and
                the number of its levels. The next level follows immediately and has every other knot, and so on.

The same mathematics, plainly written, is in `reference.py`; the tests compare the two.
"""

import numpy as np

from .compiling import helper, small_helper
from .simd import (
    LANES,
    LARGEST,
    accumulate,
    clip,
    first_lane,
    from_lane,
    joined,
    joined_lanes,
    load,
    multiply_add,
    rotated,
    splat,
    store,
    times_power_of_two,
)

f32 = np.float32

ROUNDING = f32(12582912.0)  # 1.5 * 2**23: added to a number of moderate size, it rounds it to a whole one
SATURATED = f32(80.0)  # |w.x + b| is limited to this: e**-80 is still a normal float32, and e**80 too
UNDERFLOW = f32(1e-28)  # below this, products in float32 are not trusted


@small_helper
def exp(v):
    """e**v for |v| <= 88, eight lanes at once, to 2 units in the last position (a polynomial on |r| <= log(2) / 2)."""
    shifted = multiply_add(v, splat(f32(1.4426950408889634)), splat(ROUNDING))
    n = shifted - splat(ROUNDING)  # v / log(2), rounded
    r = multiply_add(n, splat(f32(-0.693359375)), v)  # v - n log(2), in two parts to keep its low bits
    r = multiply_add(n, splat(f32(2.12194440e-4)), r)
    p = splat(f32(1.9875691500e-4))
    p = multiply_add(p, r, splat(f32(1.3981999507e-3)))
    p = multiply_add(p, r, splat(f32(8.3334519073e-3)))
    p = multiply_add(p, r, splat(f32(4.1665795894e-2)))
    p = multiply_add(p, r, splat(f32(1.6666665459e-1)))
    p = multiply_add(p, r, splat(f32(5.0000001201e-1)))
    p = multiply_add(p, r * r, r + splat(f32(1.0)))
    return times_power_of_two(p, shifted)


@helper
def affine(X, row, parameters, z):
    """z = w.x + b for every discriminant of one row.

    A sum waits four cycles for its last term, so eight sums grow side by side: two vectors of discriminants (where only
    one is left, it is taken twice), each with four sums over every fourth feature.
    """
    features = X.shape[1]
    columns = z.shape[0]
    zero = splat(f32(0.0))
    for first in range(0, columns, 2 * LANES):
        second = first + LANES if first + LANES < columns else first
        a0 = load(parameters, features * columns + first)
        b0 = load(parameters, features * columns + second)
        a1 = a2 = a3 = b1 = b2 = b3 = zero
        a = first
        b = second
        k = row * features
        end = k + features
        while k + 4 <= end:
            a0 = accumulate(a0, X, k, parameters, a)
            b0 = accumulate(b0, X, k, parameters, b)
            a1 = accumulate(a1, X, k + 1, parameters, a + columns)
            b1 = accumulate(b1, X, k + 1, parameters, b + columns)
            a2 = accumulate(a2, X, k + 2, parameters, a + 2 * columns)
            b2 = accumulate(b2, X, k + 2, parameters, b + 2 * columns)
            a3 = accumulate(a3, X, k + 3, parameters, a + 3 * columns)
            b3 = accumulate(b3, X, k + 3, parameters, b + 3 * columns)
            a += 4 * columns
            b += 4 * columns
            k += 4
        while k < end:
            a0 = accumulate(a0, X, k, parameters, a)
            b0 = accumulate(b0, X, k, parameters, b)
            a += columns
            b += columns
            k += 1
        store(z, first, (a0 + a1) + (a2 + a3))
        store(z, second, (b0 + b1) + (b2 + b3))


@helper
def touched_knots(positions, bases, row, columns, offsets, shares):
    """The knots that one row touches: where their weights begin (offsets), and their shares; returns how many."""
    count = np.int64(0)
    for s in range(positions.shape[1]):
        position = positions[row, s]
        if position < f32(0.0):
            continue
        first = np.int64(bases[s, 0])
        knots = np.int64(bases[s, 1])
        for _ in range(bases[s, 2]):
            knot = np.int64(position)
            beyond = position - f32(knot)
            offsets[count] = (first + knot) * columns
            shares[count] = f32(1.0) - beyond
            count += 1
            if beyond > f32(0.0):
                offsets[count] = (first + knot + 1) * columns
                shares[count] = beyond
                count += 1
            first += knots
            knots = knots // 2 + 1
            position *= f32(0.5)
    return count


@helper
def add_knots(offsets, shares, count, parameters, z):
    """z += the weights of the touched knots times their shares, with eight sums side by side as in `affine`."""
    columns = z.shape[0]
    zero = splat(f32(0.0))
    for first in range(0, columns, 2 * LANES):
        second = first + LANES if first + LANES < columns else first
        a0 = load(z, first)
        b0 = load(z, second)
        a1 = a2 = a3 = b1 = b2 = b3 = zero
        n = np.int64(0)
        while n + 4 <= count:
            a0 = accumulate(a0, shares, n, parameters, offsets[n] + first)
            b0 = accumulate(b0, shares, n, parameters, offsets[n] + second)
            a1 = accumulate(a1, shares, n + 1, parameters, offsets[n + 1] + first)
            b1 = accumulate(b1, shares, n + 1, parameters, offsets[n + 1] + second)
            a2 = accumulate(a2, shares, n + 2, parameters, offsets[n + 2] + first)
            b2 = accumulate(b2, shares, n + 2, parameters, offsets[n + 2] + second)
            a3 = accumulate(a3, shares, n + 3, parameters, offsets[n + 3] + first)
            b3 = accumulate(b3, shares, n + 3, parameters, offsets[n + 3] + second)
            n += 4
        while n < count:
            a0 = accumulate(a0, shares, n, parameters, offsets[n] + first)
            b0 = accumulate(b0, shares, n, parameters, offsets[n] + second)
            n += 1
        store(z, first, (a0 + a1) + (a2 + a3))
        store(z, second, (b0 + b1) + (b2 + b3))


@helper
def exponentials(z, e):
    """e_ij = exp(-z_ij). Equation (3) is sigma = 1 / (1 + e), and 1 - sigma = e / (1 + e) without a difference."""
    zero = splat(f32(0.0))
    for column in range(0, z.shape[0], LANES):
        store(e, column, exp(clip(zero - load(z, column), SATURATED)))


@helper
def excess(e, i, N, M):
    """Of conjunction i, prod_j (1 + e_ij) - 1 in eight lanes that are still to be joined; summed up from positive
    terms, so that no small one is lost. What is beyond N is as good as infinite.
    """
    if i >= N:
        return splat(f32(LARGEST))
    column = i * M
    last = column + M
    zero = splat(f32(0.0))
    lanes = from_lane(load(e, column), M, zero)
    column += LANES
    while column < last:
        lanes = joined(lanes, from_lane(load(e, column), last - column, zero))
        column += LANES
    return lanes


@small_helper
def gates(e, N, M, ratios):
    """The soft gates, equation (4): returns f and 1 - f; ratios receives g_i / (1 - g_i).

    The M sigmoids of a conjunction need no division of their own: g_i = 1 / prod_j (1 + e_ij). With the excess of that
    product over 1, g_i / (1 - g_i) is 1 / excess, right even where g_i is exactly 1 in float32. Eight conjunctions go
    side by side.
    """
    one = splat(f32(1.0))
    f = splat(f32(0.0))
    not_f = one
    for first in range(0, N, LANES):
        beyond = joined_lanes(
            excess(e, first, N, M), excess(e, first + 1, N, M), excess(e, first + 2, N, M), excess(e, first + 3, N, M),
            excess(e, first + 4, N, M), excess(e, first + 5, N, M), excess(e, first + 6, N, M),
            excess(e, first + 7, N, M),
        )  # fmt: skip
        store(ratios, first, one / beyond)
        g = one / (one + beyond)
        f = multiply_add(not_f, g, f)
        not_f = not_f * (beyond * g)
    # The union of what the lanes have found, which is a union each.
    if N > 4:
        f = multiply_add(not_f, rotated(f, 4), f)
        not_f = not_f * rotated(not_f, 4)
    if N > 2:
        f = multiply_add(not_f, rotated(f, 2), f)
        not_f = not_f * rotated(not_f, 2)
    if N > 1:
        f = multiply_add(not_f, rotated(f, 1), f)
        not_f = not_f * rotated(not_f, 1)
    return first_lane(f), first_lane(not_f)
