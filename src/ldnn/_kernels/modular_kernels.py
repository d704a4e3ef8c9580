"""The compiled loops of Mod-N, where every discriminant learns for itself. Shapes are those of `gate_kernels.py`."""

import math

import numpy as np

from .compiling import helper, kernel
from .gate_kernels import add_knots, affine, exponentials, f32, touched_knots


@helper
def largest_smallest(z, N, M):
    """Max over conjunctions of min over their discriminants."""
    largest = -np.inf
    for i in range(N):
        smallest = np.float64(z[i * M])
        for column in range(i * M + 1, (i + 1) * M):
            if z[column] < smallest:
                smallest = np.float64(z[column])
        largest = smallest if smallest > largest else largest
    return largest


@kernel
def modular_log_odds(X, positions, bases, parameters, N, M, workspace, out):
    """out[row] = max_i min_j z_ij: the log-odds of max_i min_j sigma_ij."""
    z, _, _, shares, offsets = workspace
    for row in range(X.shape[0]):
        affine(X, row, parameters, z)
        add_knots(offsets, shares, touched_knots(positions, bases, row, z.shape[0], offsets, shares), parameters, z)
        out[row] = largest_smallest(z, N, M)


@kernel
def train_modular(
    X, positions, bases, y, positive, low, high, instance_weights, clusters, order, parameters, velocity, N, M,
    is_log_loss, learning_rate, momentum, workspace, outputs,
):  # fmt: skip
    """Each discriminant (i, j) learns alone from the rows of positive cluster i and negative cluster j.

    As for `train`; clusters[row] is the cluster of the row within its side. A pass over all rows in random order is,
    for every pair of clusters, a pass over its own rows in random order. Returns the sum of the modules' weighted
    losses.
    """
    features = X.shape[1]
    columns = parameters.shape[1]
    z, e, _, shares, offsets = workspace
    total = 0.0
    for t in range(order.shape[0]):
        row = np.int64(order[t])
        affine(X, row, parameters, z)
        knots = touched_knots(positions, bases, row, columns, offsets, shares)
        add_knots(offsets, shares, knots, parameters, z)
        exponentials(z, e)
        outputs[row] = f32(1.0 / (1.0 + math.exp(-largest_smallest(z, N, M))))
        if y[row] == positive:  # the discriminants of conjunction i
            target, first, last, stride = high, clusters[row] * M, clusters[row] * M + M, 1
        else:  # discriminant j of every conjunction
            target, first, last, stride = low, clusters[row], N * M, M
        weight = instance_weights[row]
        for column in range(first, last, stride):
            sigma = f32(1.0) / (f32(1.0) + e[column])
            complement = e[column] * sigma
            error = sigma - target
            if is_log_loss:
                slope = error
                total -= weight * (target * np.log(sigma) + (f32(1.0) - target) * np.log(complement))
            else:
                slope = f32(2.0) * error * sigma * complement
                total += weight * error * error
            change = -learning_rate * weight * slope
            for k in range(features):
                velocity[k, column] = momentum * velocity[k, column] + change * X[row, k]
                parameters[k, column] += velocity[k, column]
            velocity[features, column] = momentum * velocity[features, column] + change
            parameters[features, column] += velocity[features, column]
            for n in range(knots):
                knot = offsets[n] // columns
                velocity[knot, column] = momentum * velocity[knot, column] + change * shares[n]
                parameters[knot, column] += velocity[knot, column]
    return total
