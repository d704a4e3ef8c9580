"""The least that a step of gradient descent can cost: two passes of multiply-adds over the weights, nothing else."""

import numpy as np
from numba import njit

from ldnn._kernels.compiling import OPTIONS, helper
from ldnn._kernels.gate_kernels import affine, exponentials
from ldnn._kernels.simd import LANES, load, multiply_add, splat, store
from ldnn._kernels.training_kernels import prefetch_row

TINY = np.float32(1e-9)


@helper
def update_all(X, row, parameters, delta):
    """parameters += [x; 1] delta', four vectors of columns at a time."""
    features = X.shape[1]
    columns = delta.shape[0]
    column = 0
    while column < columns:
        width = 4 if column + 4 * LANES <= columns else 1
        offset = column
        if width == 4:
            d0 = load(delta, column)
            d1 = load(delta, column + LANES)
            d2 = load(delta, column + 2 * LANES)
            d3 = load(delta, column + 3 * LANES)
            for k in range(features + 1):
                x = splat(X[row, k] if k < features else np.float32(1.0))
                store(parameters, offset, multiply_add(x, d0, load(parameters, offset)))
                store(parameters, offset + LANES, multiply_add(x, d1, load(parameters, offset + LANES)))
                store(parameters, offset + 2 * LANES, multiply_add(x, d2, load(parameters, offset + 2 * LANES)))
                store(parameters, offset + 3 * LANES, multiply_add(x, d3, load(parameters, offset + 3 * LANES)))
                offset += columns
        else:
            d = load(delta, column)
            for k in range(features + 1):
                x = splat(X[row, k] if k < features else np.float32(1.0))
                store(parameters, offset, multiply_add(x, d, load(parameters, offset)))
                offset += columns
        column += width * LANES


@njit(**OPTIONS)
def bare_by_vectors(X, order, parameters):
    """Forward and update in the kernels' own manner, without sigmoids, gates or loss."""
    z = np.empty(parameters.shape[1], np.float32)
    for t in range(order.shape[0]):
        row = np.int64(order[t])
        if t + 1 < order.shape[0]:
            prefetch_row(X, np.int64(order[t + 1]))
        affine(X, row, parameters, z)
        for column in range(0, z.shape[0], LANES):
            store(z, column, load(z, column) * splat(TINY))
        update_all(X, row, parameters, z)


@njit(**OPTIONS)
def bare_with_exponentials(X, order, parameters):
    """As `bare_by_vectors`, and the exponential of each discriminant, without which there is no sigmoid."""
    z = np.empty(parameters.shape[1], np.float32)
    e = np.empty(parameters.shape[1], np.float32)
    for t in range(order.shape[0]):
        row = np.int64(order[t])
        if t + 1 < order.shape[0]:
            prefetch_row(X, np.int64(order[t + 1]))
        affine(X, row, parameters, z)
        exponentials(z, e)
        for column in range(0, e.shape[0], LANES):
            store(e, column, load(e, column) * splat(TINY))
        update_all(X, row, parameters, e)


@njit(**OPTIONS)
def bare_by_loops(X, order, parameters):
    """The same as plain loops, which the compiler vectorises."""
    features = X.shape[1]
    columns = parameters.shape[1]
    z = np.empty(columns, np.float32)
    for t in range(order.shape[0]):
        x = X[order[t]]
        for j in range(columns):
            z[j] = parameters[features, j]
        for k in range(features):
            for j in range(columns):
                z[j] += x[k] * parameters[k, j]
        for j in range(columns):
            z[j] *= TINY
        for k in range(features):
            for j in range(columns):
                parameters[k, j] += x[k] * z[j]
        for j in range(columns):
            parameters[features, j] += z[j]
