"""The compiled loops of prediction: the outputs of many rows. Shapes are those of `gate_kernels.py`.

Linear networks process sixteen rows side by side, one in each lane of two vectors, in half the time. Rows that touch
knots each read weights of their own, so piecewise-linear networks process one row after the other.
"""

import numpy as np

from .compiling import helper, kernel, small_helper
from .gate_kernels import UNDERFLOW, add_knots, affine, exponentials, f32, gates, touched_knots
from .simd import LANES, LARGEST, accumulate, clip, load, load_splat, multiply_add, splat, store

BLOCK = 2 * LANES


@small_helper
def affine_of_block(x, parameters, z):
    """z = w.x + b of 16 rows: x (F, 16), parameters (F + 1, columns) -> z (columns, 16), all in one dimension.

    Eight sums grow side by side, and each weight and each feature that is loaded serves several of them.
    """
    features = x.shape[0] // BLOCK
    columns = parameters.shape[1]
    bias = features * columns
    for c in range(0, columns, 4):
        a0 = b0 = load_splat(parameters, bias + c)
        a1 = b1 = load_splat(parameters, bias + c + 1)
        a2 = b2 = load_splat(parameters, bias + c + 2)
        a3 = b3 = load_splat(parameters, bias + c + 3)
        w = c
        a = 0
        for _ in range(features):
            b = a + LANES
            a0 = accumulate(a0, parameters, w, x, a)
            b0 = accumulate(b0, parameters, w, x, b)
            a1 = accumulate(a1, parameters, w + 1, x, a)
            b1 = accumulate(b1, parameters, w + 1, x, b)
            a2 = accumulate(a2, parameters, w + 2, x, a)
            b2 = accumulate(b2, parameters, w + 2, x, b)
            a3 = accumulate(a3, parameters, w + 3, x, a)
            b3 = accumulate(b3, parameters, w + 3, x, b)
            w += columns
            a += BLOCK
        offset = c * BLOCK
        store(z, offset, a0)
        store(z, offset + LANES, b0)
        store(z, offset + BLOCK, a1)
        store(z, offset + BLOCK + LANES, b1)
        store(z, offset + 2 * BLOCK, a2)
        store(z, offset + 2 * BLOCK + LANES, b2)
        store(z, offset + 3 * BLOCK, a3)
        store(z, offset + 3 * BLOCK + LANES, b3)


@small_helper
def gates_of_block(e, N, M, f_out, not_f_out):
    """Equation (4) for 16 rows: e (columns, 16) -> f and 1 - f (16,), by sums of positive terms only."""
    one = splat(f32(1.0))
    for half in range(0, BLOCK, LANES):
        f = splat(f32(0.0))
        not_f = one
        for i in range(N):
            excess = splat(f32(0.0))  # prod_j (1 + e_ij) - 1
            for column in range(i * M, (i + 1) * M):
                e_ij = load(e, column * BLOCK + half)
                excess = multiply_add(excess, one + e_ij, e_ij)
            excess = clip(excess, f32(LARGEST))
            g = one / (one + excess)
            f = multiply_add(not_f, g, f)
            not_f = not_f * (excess * g)
        store(f_out, half, f)
        store(not_f_out, half, not_f)


@helper
def quotient(f, not_f, e, first, stride, N, M):
    """f / (1 - f). A tiny f is had in float64, as the sum of its conjunctions; NaN where even that cannot be had.

    e_ij of this row is e[first + column * stride].
    """
    if f >= UNDERFLOW:
        return np.float64(f) / np.float64(not_f) if not_f >= UNDERFLOW else np.nan
    total = 0.0
    for i in range(N):
        p = 1.0
        for column in range(i * M, (i + 1) * M):
            e_ij = np.float64(e[first + column * stride])
            p *= 1.0 + (e_ij if e_ij < 1e34 else np.nan)  # a sigmoid that was limited is not exact
        total += 1.0 / p
    return total if total > 1e-290 else np.nan


def block_workspace(features, columns):
    return tuple(np.empty(width * BLOCK, f32) for width in (features, columns, columns, 1, 1))


@kernel
def odds(X, parameters, N, M, workspace, out):
    """out[row] = f(x) / (1 - f(x)) (float64), or NaN where one of them is too small for products of sigmoids.

    `workspace`: x (F * 16), z and e (columns * 16), f and 1 - f (16), all float32.
    """
    x, z, e, f, not_f = workspace
    rows = X.shape[0]
    features = X.shape[1]
    for row in range(0, rows, BLOCK):
        lanes = BLOCK if row + BLOCK <= rows else rows - row  # what is in the others does not matter
        for lane in range(lanes):
            for k in range(features):
                x[k * BLOCK + lane] = X[row + lane, k]
        affine_of_block(x, parameters, z)
        exponentials(z, e)
        gates_of_block(e, N, M, f, not_f)
        for lane in range(lanes):
            out[row + lane] = quotient(f[lane], not_f[lane], e, lane, np.int64(BLOCK), N, M)


@kernel
def piecewise_odds(X, positions, bases, parameters, N, M, workspace, out):
    """As `odds`, for piecewise-linear half-spaces. `workspace`: as for `train`."""
    z, e, ratios, shares, offsets = workspace
    columns = parameters.shape[1]
    for row in range(X.shape[0]):
        affine(X, row, parameters, z)
        add_knots(offsets, shares, touched_knots(positions, bases, row, columns, offsets, shares), parameters, z)
        exponentials(z, e)
        f, not_f = gates(e, N, M, ratios)
        out[row] = quotient(f, not_f, e, np.int64(0), np.int64(1), N, M)
