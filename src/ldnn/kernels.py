"""The compiled inner loops: normalising, the output of a network for one row, and its training.

Only Numba lives here; nothing knows of scikit-learn. Shapes, for one network of N conjunctions of M discriminants on F
numbers and S places:

    parameters  (F + 1 + knots, columns) float32, C order. Column i * M + j holds discriminant j of conjunction i: the
                weights w_ijk of the numbers in rows k = 0 .. F - 1, the bias b_ij in row F, then a weight for each knot
                of each place. `columns` is N * M rounded up to whole vectors of eight, or a little more; the columns
                beyond N * M stay zero.
    X           (rows, F) float32, C order: normalised numbers.
    places      (rows, S) float32, C order: where a value lies on a line of knots. Place 2.25 between the knots 2 and 3
                counts as three quarters of knot 2 and a quarter of knot 3, so the knots' weights draw a piecewise
                linear function; a whole number is one knot (a category); below 0, none (missing, unknown).
    lines       (S, 3) int32: the row of `parameters` where the line of knots begins, how many knots it has, and on how
                many levels. The next level follows at once and has every other knot, and so on.

The same mathematics, plainly written, is in `reference.py`; the tests compare the two.
"""

import math

import numpy as np

from .compiling import helper, kernel, small_helper
from .simd import (
    LANES,
    LARGEST,
    accumulate,
    clip,
    first_lane,
    from_lane,
    joined,
    joined_lanes,
    lanes_beyond,
    load,
    load_splat,
    lowest_bit,
    multiply_add,
    prefetch,
    splat,
    store,
    times_power_of_two,
    turned,
)

f32 = np.float32

BEND, CATEGORY, MISSING = range(3)  # kinds of lines: see encode.py
ROUNDING = f32(12582912.0)  # 1.5 * 2**23: added to a number of moderate size, it rounds it to a whole one
SATURATED = f32(80.0)  # |w.x + b| is limited to this: e**-80 is still a normal float32, and e**80 too
UNDERFLOW = f32(1e-28)  # below this, products in float32 are not trusted
NEGLIGIBLE = f32(1e-6)  # discriminants with a relative gradient below this are not updated: rounding would swallow it


# --- the user's numbers -----------------------------------------------------------------------------------------------


@kernel
def normalize(X, center, scale, limit, out):
    """out[i] = (X[i] - center) * scale, within +-limit; NaN gives 0. X (n, F) any float, out float32."""
    for i in range(X.shape[0]):
        for k in range(X.shape[1]):
            value = (np.float64(X[i, k]) - center[k]) * scale[k]
            value = value if value == value else 0.0  # missing: the mean
            value = value if value < limit else limit
            out[i, k] = f32(value if value > -limit else -limit)


@kernel
def find_places(X, columns, kinds, firsts, knots, out):
    """out[i, s] = where X[i, columns[s]] lies on line s, whose knots are knots[firsts[s]:firsts[s + 1]]; -1 where
    it touches none of them. kinds[s] says what kind of line it is. X (n, F) any float, out float32.
    """
    for i in range(X.shape[0]):
        for s in range(columns.shape[0]):
            value = np.float64(X[i, columns[s]])
            first = firsts[s]
            last = firsts[s + 1] - 1
            place = -1.0
            if value != value:
                place = 0.0 if kinds[s] == MISSING else -1.0
            elif kinds[s] != MISSING:
                low = first
                high = last
                while low < high:  # to the last knot that is not beyond the value
                    middle = (low + high + 1) // 2
                    if knots[middle] <= value:
                        low = middle
                    else:
                        high = middle - 1
                if kinds[s] == CATEGORY:
                    place = np.float64(low - first) if knots[low] == value else -1.0
                elif low == last or value <= knots[first]:
                    place = np.float64(low - first)
                else:
                    place = np.float64(low - first) + (value - knots[low]) / (knots[low + 1] - knots[low])
            out[i, s] = f32(place)


@kernel
def best_cut(values, codes, weights, begin, end, least, left, right):
    """Where a decision tree cuts a leaf, the rows begin .. end - 1, whose values increase: the first row of its right
    part, and what is gained, 0 where no cut leaves a weight of `least` on both sides.

    With W_c the weight of class c and W that of all rows, a leaf's impurity (Gini's) times its weight is
    W - sum_c W_c**2 / W: both parts together should have large sums. left and right: room for W_c (classes,) float64.
    """
    for code in range(left.shape[0]):
        left[code] = 0.0
        right[code] = 0.0
    total = 0.0
    squares_right = 0.0
    for row in range(begin, end):
        squares_right += weights[row] * (2.0 * right[codes[row]] + weights[row])
        right[codes[row]] += weights[row]
        total += weights[row]
    squares_left = 0.0
    weight_left = 0.0
    of_leaf = squares_right / total if total > 0.0 else 0.0
    best = of_leaf
    cut = end
    for row in range(begin, end - 1):
        code = codes[row]
        weight = weights[row]
        squares_left += weight * (2.0 * left[code] + weight)
        squares_right -= weight * (2.0 * right[code] - weight)
        left[code] += weight
        right[code] -= weight
        weight_left += weight
        weight_right = total - weight_left
        if values[row] < values[row + 1] and weight_left >= least and weight_right >= least:
            score = squares_left / weight_left + squares_right / weight_right
            if score > best:
                best = score
                cut = row + 1
    return cut, best - of_leaf


# --- one network's output ---------------------------------------------------------------------------------------------


@small_helper
def exp(v):
    """e**v for |v| <= 88, eight lanes at once, to 2 units in the last place (a polynomial on |r| <= log(2) / 2)."""
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
def touched_knots(places, lines, row, columns, offsets, shares):
    """The knots that one row touches: where their weights begin (offsets), and their shares; returns how many."""
    count = np.int64(0)
    for s in range(places.shape[1]):
        place = places[row, s]
        if place < f32(0.0):
            continue
        first = np.int64(lines[s, 0])
        knots = np.int64(lines[s, 1])
        for _ in range(lines[s, 2]):
            knot = np.int64(place)
            beyond = place - f32(knot)
            offsets[count] = (first + knot) * columns
            shares[count] = f32(1.0) - beyond
            count += 1
            if beyond > f32(0.0):
                offsets[count] = (first + knot + 1) * columns
                shares[count] = beyond
                count += 1
            first += knots
            knots = knots // 2 + 1
            place *= f32(0.5)
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
        f = multiply_add(not_f, turned(f, 4), f)
        not_f = not_f * turned(not_f, 4)
    if N > 2:
        f = multiply_add(not_f, turned(f, 2), f)
        not_f = not_f * turned(not_f, 2)
    if N > 1:
        f = multiply_add(not_f, turned(f, 1), f)
        not_f = not_f * turned(not_f, 1)
    return first_lane(f), first_lane(not_f)


# --- training ---------------------------------------------------------------------------------------------------------


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
def set_known_apart(order, codes, positive, outputs, low, high, known, is_due, weights, parted):
    """The visits `order` (int32) in two parts: those to make, in their order, and from the end of `parted` on those to
    rows that the network knows and that are not due. Returns how many the first are, and the weighted squared error of
    the others.

    A row is known if its output misses its target (`high` for class number `positive`, else `low`) by less than
    `known`.
    """
    made = np.int64(0)
    end = np.int64(order.shape[0])
    total = 0.0
    for visit in range(order.shape[0]):
        row = np.int64(order[visit])
        missed = high - outputs[row] if codes[row] == positive else outputs[row] - low
        is_left_out = (missed < known) & ~is_due[row]
        # Written at both places, of which one will be written to again: nobody could foretell a branch.
        parted[made] = order[visit]
        parted[end - 1] = order[visit]
        made += not is_left_out
        end -= is_left_out
        total += f32(is_left_out) * weights[row] * missed * missed
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
    X, places, lines, codes, positive, low, high, instance_weights, order, parameters, velocity, N, M, is_log_loss,
    step, momentum, batch_size, room, outputs,
):  # fmt: skip
    """Stochastic gradient descent over the rows `order`, in place; returns the sum of the weighted losses.

    Of each row: codes[row] is its class number (the target is `high` where that is `positive`, else `low`),
    instance_weights[row] its weight; outputs[row] gets f(x) as it was just before the row was learned. `velocity`
    has the shape of `parameters`; between batches it holds the last change times the momentum. It is neither read nor
    written when batches are single rows and there is no momentum. `room` is for what is computed on the way, see
    `Network.room`. `places` may be None where there are no lines.
    """
    z, e, ratios, shares, offsets = room
    columns = parameters.shape[1]
    steps = order.shape[0]
    is_plain = batch_size == 1 and momentum == f32(0.0)
    changed = parameters if is_plain else velocity
    total = 0.0
    in_batch = 0
    this_batch = batch_size if batch_size < steps else steps
    for t in range(steps):
        row = np.int64(order[t])
        if t + 1 < steps:
            following = np.int64(order[t + 1])
            prefetch_row(X, following)
            prefetch(codes, following)
            prefetch(instance_weights, following)
            prefetch(outputs, following)
        affine(X, row, parameters, z)
        knots = np.int64(0)
        if places is not None:
            knots = touched_knots(places, lines, row, columns, offsets, shares)
            if t + 1 < steps:
                prefetch_row(places, np.int64(order[t + 1]))
            if knots > 0:
                add_knots(offsets, shares, knots, parameters, z)
        exponentials(z, e)
        f, not_f = gates(e, N, M, ratios)
        outputs[row] = f
        target = high if codes[row] == positive else low
        weight = instance_weights[row]
        loss, factor = error_and_factor(e, target, is_log_loss, f, not_f, N, M, ratios)
        total += weight * loss

        # Equations (6) and (7): the change of w_ij is -step c_i (1 - sigma_ij) x. Most conjunctions have c_i near 0.
        # Eight conjunctions, whatever M is, have whole vectors of columns.
        scale = -step * weight / f32(this_batch)
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

        in_batch += 1
        if in_batch == this_batch:
            if not is_plain:
                move(parameters, velocity, momentum)
            in_batch = 0
            left = steps - t - 1
            this_batch = batch_size if batch_size < left else left
    return total
