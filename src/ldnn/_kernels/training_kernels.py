"""Stochastic gradient descent over the rows of one network. Shapes are those of `gate_kernels.py`."""

import math

import numpy as np

from .compiling import copy_front, helper, kernel, small_helper
from .gate_kernels import UNDERFLOW, add_knots, affine, exponentials, f32, gates, touched_knots
from .simd import (
    LANES,
    from_lane,
    lanes_beyond,
    load,
    load_splat,
    lowest_bit,
    multiply_add,
    prefetch,
    splat,
    store,
)

NEGLIGIBLE = f32(1e-6)  # discriminants with a relative gradient below this are not updated: rounding would swallow it


@kernel
def shuffle(order, seed):
    """Put the numbers of an array (int32) in a random order, which the seed (uint64) decides.

    Several times as fast as NumPy's, whose shuffling costs as much as a step of a small network. The random numbers are
    those of SplitMix64 (Steele, Lea and Flood, 2014).
    """
    state = seed
    for i in range(order.shape[0] - 1, 0, -1):
        state += np.uint64(0x9E3779B97F4A7C15)
        bits = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        bits = (bits ^ (bits >> np.uint64(31))) >> np.uint64(32)
        j = np.int64((bits * np.uint64(i + 1)) >> np.uint64(32))  # from 0 to i
        order[i], order[j] = order[j], order[i]


@kernel
def partition_well_fitted(order, y, positive, outputs, low, high, tolerance, is_due, weights, parted):
    """Partition the visits `order` (int32) into those to make, in their order, at the front of `parted`, and those to
    skip at its end: to well-fitted rows that are not due. Returns the number of the first, and the weighted squared
    error of the others.

    A row is well fitted if its output misses its target (`high` for class index `positive`, else `low`) by less than
    `tolerance`.
    """
    made = np.int64(0)
    end = np.int64(order.shape[0])
    total = 0.0
    for visit in range(order.shape[0]):
        row = np.int64(order[visit])
        missed = high - outputs[row] if y[row] == positive else outputs[row] - low
        is_skipped = (missed < tolerance) & ~is_due[row]
        # Written at both positions, of which one will be written to again: nobody could foretell a branch.
        parted[made] = order[visit]
        parted[end - 1] = order[visit]
        made += not is_skipped
        end -= is_skipped
        total += f32(is_skipped) * weights[row] * missed * missed
    return made, total


@helper
def error_and_factor(e, target, is_log_loss, f, not_f, N, M, ratios):
    """The loss, and the factor in dE/dz_ij = c_i (1 - sigma_ij), c_i = factor ratio_i, ratio_i = g_i / (1 - g_i).

    Squared error (equations 5-7): c_i = 2 (f - y) g_i prod_{r != i}(1 - g_r). Cross-entropy: c_i = (f - y) / f
    * g_i / (1 - g_i), which does not vanish where f does: there g_i is replaced by its share g_i / f.
    """
    if is_log_loss:
        log_f = math.log(f if f > UNDERFLOW else UNDERFLOW)
        log_not_f = math.log(not_f if not_f > UNDERFLOW else UNDERFLOW)
        loss = -(target * log_f + (f32(1.0) - target) * log_not_f)
        if f < UNDERFLOW:
            # Every g_i has underflowed; their shares g_i / f, in logarithms, have not.
            largest = f32(-np.inf)
            for i in range(N):
                log_g = f32(0.0)
                for column in range(i * M, (i + 1) * M):
                    log_g -= math.log(f32(1.0) + e[column])
                ratios[i] = log_g
                largest = log_g if log_g > largest else largest
            total = f32(0.0)
            for i in range(N):
                ratios[i] = math.exp(ratios[i] - largest)
                total += ratios[i]
            for i in range(N):
                ratios[i] /= total
            factor = -target
        else:
            factor = (f32(1.0) - target) - target * not_f / f
    else:
        error = f - target
        loss = error * error
        factor = f32(2.0) * error * not_f
    return loss, factor


@small_helper
def changes(e, c, first, i, N, M):
    """c_i (1 - sigma_ij) of the eight columns from `first` on, of which some belong to conjunction i."""
    while i * M > first:
        i -= 1
    c_8 = load_splat(c, i)
    i += 1
    while i < N and i * M < first + LANES:
        c_8 = from_lane(c_8, i * M - first, load_splat(c, i))
        i += 1
    c_8 = from_lane(c_8, N * M - first, splat(f32(0.0)))
    e_8 = load(e, first)
    return c_8 * (e_8 / (splat(f32(1.0)) + e_8))  # the division need not wait for c


@small_helper
def add_outer_product(parameters, X, row, offsets, shares, knots, first, d):
    """parameters += [x; 1; shares] d', for the eight columns from `first` on."""
    features = X.shape[1]
    columns = parameters.shape[1]
    offset = first
    for k in range(features):
        x = load_splat(X, row * features + k)
        store(parameters, offset, multiply_add(x, d, load(parameters, offset)))
        offset += columns
    store(parameters, offset, load(parameters, offset) + d)
    for n in range(knots):
        offset = offsets[n] + first
        store(parameters, offset, multiply_add(load_splat(shares, n), d, load(parameters, offset)))


@small_helper
def move(parameters, velocity, momentum):
    """parameters += velocity, then velocity *= momentum, in one pass."""
    for offset in range(0, parameters.size, LANES):
        v = load(velocity, offset)
        store(parameters, offset, load(parameters, offset) + v)
        store(velocity, offset, v * splat(momentum))


@small_helper
def prefetch_row(X, row):
    for k in range(0, X.shape[1] + 15, 16):  # a cache line holds 16; one more than there is does no harm
        prefetch(X, row * X.shape[1] + k)


@kernel
def train(
    X, positions, bases, y, positive, low, high, instance_weights, order, parameters, velocity, N, M, is_log_loss,
    learning_rate, momentum, workspace, outputs,
):  # fmt: skip
    """Stochastic gradient descent over the rows `order`, in place; returns the sum of the weighted losses.

    Of each row: y[row] is its class index (the target is `high` where that is `positive`, else `low`),
    instance_weights[row] its weight; outputs[row] receives f(x) as it was just before the row was learned. `velocity`
    has the shape of `parameters` and holds the last change times the momentum; it is neither read nor written where
    there is no momentum. `workspace`: see `Network.workspace`. `positions` may be None where there are no bases.
    """
    z, e, ratios, shares, offsets = workspace
    columns = parameters.shape[1]
    steps = order.shape[0]
    is_plain = momentum == f32(0.0)
    changed = parameters if is_plain else velocity
    total = 0.0
    for t in range(steps):
        row = np.int64(order[t])
        if t + 1 < steps:
            following = np.int64(order[t + 1])
            prefetch_row(X, following)
            prefetch(y, following)
            prefetch(instance_weights, following)
            prefetch(outputs, following)
        affine(X, row, parameters, z)
        knots = np.int64(0)
        if positions is not None:
            knots = touched_knots(positions, bases, row, columns, offsets, shares)
            if t + 1 < steps:
                prefetch_row(positions, np.int64(order[t + 1]))
            if knots > 0:
                add_knots(offsets, shares, knots, parameters, z)
        exponentials(z, e)
        f, not_f = gates(e, N, M, ratios)
        outputs[row] = f
        target = high if y[row] == positive else low
        weight = instance_weights[row]
        loss, factor = error_and_factor(e, target, is_log_loss, f, not_f, N, M, ratios)
        total += weight * loss

        # Equations (6) and (7): the change of w_ij is -learning_rate c_i (1 - sigma_ij) x. Most conjunctions have c_i
        # near 0. Eight conjunctions, whatever M is, have whole vectors of columns.
        scale = -learning_rate * weight
        done = np.int64(0)  # columns; plain 0 would be a type of its own, and compiled for
        for first in range(0, N, LANES):
            c = splat(factor) * load(ratios, first)
            learning = lanes_beyond(c, NEGLIGIBLE)
            store(ratios, first, c * splat(scale))
            while learning != 0:
                i = first + lowest_bit(learning)
                learning &= learning - 1
                column = i * M // LANES * LANES
                column = column if column > done else done
                while column < i * M + M:
                    d = changes(e, ratios, column, i, N, M)
                    add_outer_product(changed, X, row, offsets, shares, knots, column, d)
                    column += LANES
                done = column

        if not is_plain:
            move(parameters, velocity, momentum)
    return total


@kernel
def train_epochs(
    X, positions, bases, y, positive, low, high, instance_weights, visited, parameters, velocity, N, M, is_log_loss,
    momentum, workspace, outputs, begin, end, seeds, learning_rates, revisit_every, tolerance, order, parted, is_due,
):  # fmt: skip
    """The epochs `begin` to `end - 1` of a short run in one call: `shuffle`, `partition_well_fitted` and `train` in
    turn; returns the number of visits.

    visited: (visits,) int32, the rows of an epoch in their order; seeds: (epochs,) uint64 of their random orders;
    learning_rates: (epochs,) float32. order, parted: (visits,) int32, is_due: (rows,) bool, are overwritten. The others
    are those of `train` and `partition_well_fitted`.
    """
    made = np.int64(visited.shape[0])
    total = np.int64(0)
    for number in range(begin, end):
        copy_front(order, visited, visited.shape[0])
        shuffle(order, seeds[number])
        made = np.int64(visited.shape[0])
        if number > 0 and revisit_every > 1:
            for row in range(is_due.shape[0]):
                is_due[row] = (row + number) % revisit_every == 0
            made, _ = partition_well_fitted(
                order, y, positive, outputs, low, high, tolerance, is_due, instance_weights, parted
            )
            copy_front(order, parted, made)
        train(
            X, positions, bases, y, positive, low, high, instance_weights, order[:made], parameters, velocity, N, M,
            is_log_loss, learning_rates[number], momentum, workspace, outputs,
        )  # fmt: skip
        total += made
    return total
