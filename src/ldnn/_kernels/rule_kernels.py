"""The compiled inner loops of rule lists: which condition is the best one, given all others.

A table is `codes` (n, F): the bin of each value; bin n_bins[f] of column f means missing. `gains` (n, C) is what a row
is worth if it gets each class. A rule list is four arrays, labels (R,), sizes (R,), columns (R, S), masks (R, S, B):
rule r holds where all of its sizes[r] conditions do, and a condition holds in the bins that its mask has. The first
rule that holds decides; where none does, the class is `default`. `table` is (n_bins, is_category, directions, costs),
all (F,): columns whose conditions may only hold upwards (1) or downwards (-1), and what a condition on a column costs.
"""

import numpy as np

from .compiling import copy_front, helper, kernel

FREE, INCREASING, DECREASING = 0, 1, -1


@helper
def count_held(codes, columns, masks, sizes, r, counts):
    """counts[r, i] = how many conditions of rule r hold in row i."""
    counts[r, :] = 0
    for j in range(sizes[r]):
        column = columns[r, j]
        mask = masks[r, j]
        for i in range(codes.shape[0]):
            counts[r, i] += mask[codes[i, column]]


@helper
def find_context(counts, sizes, labels, n_rules, position, default, reaches, other):
    """Which rows reach a new rule at this position, and the class that they get if it does not hold."""
    reaches[:] = True
    other[:] = default
    for r in range(n_rules - 1, -1, -1):
        size, label = sizes[r], labels[r]
        if r < position:
            for i in range(counts.shape[1]):
                reaches[i] &= counts[r, i] != size
        else:
            for i in range(counts.shape[1]):
                other[i] = label if counts[r, i] == size else other[i]


@helper
def classes_after(counts, sizes, labels, n_rules, after):
    """after[r, i] = the class of the first rule behind rule r that holds in row i, -1 if none does."""
    after[n_rules - 1, :] = -1
    for r in range(n_rules - 1, 0, -1):
        size, label = sizes[r], labels[r]
        for i in range(counts.shape[1]):
            after[r - 1, i] = label if counts[r, i] == size else after[r, i]


@helper
def best_default(reaches, counts, size, after, gains, totals):
    """The class that is worth most where no rule holds: rows that reach a rule, do not hold all of its conditions, and
    get no class after it.
    """
    totals[:] = 0.0
    for i in range(gains.shape[0]):
        if reaches[i] and counts[i] != size and after[i] < 0:
            for c in range(gains.shape[1]):
                totals[c] += gains[i, c]
    return np.argmax(totals)


@helper
def fill_others(after, default, other):
    """The class that rows get if a rule does not hold."""
    for i in range(len(other)):
        other[i] = after[i] if after[i] >= 0 else default


@helper
def count_affordable(costs, cost):
    """How many columns, from the first one, include all that cost no more than this: sums of columns are the last."""
    count = len(costs)
    while count > 0 and costs[count - 1] > cost:
        count -= 1
    return count


@helper
def add_up(codes, rows, n_rows, values, n_columns, histogram):
    """histogram[f, b] = the sum of the values of the rows in bin b of column f, for the first columns."""
    for f in range(n_columns):
        for b in range(histogram.shape[1]):
            histogram[f, b] = 0.0
    for k in range(n_rows):
        row = codes[rows[k]]
        value = values[k]
        for f in range(n_columns):
            histogram[f, row[f]] += value


@helper
def best_range(sums, n_bins, direction):
    """The bins low to high whose values add up to most; they are at an end of the column if that is as good."""
    total = 0.0
    for b in range(n_bins):
        total += sums[b]
    best, low, high = -np.inf, 0, n_bins - 1
    below = 0.0
    for b in range(n_bins - 1):
        below += sums[b]
        if direction != INCREASING and below > best:
            best, low, high = below, 0, b
        if direction != DECREASING and total - below > best:
            best, low, high = total - below, b + 1, n_bins - 1
    if direction == FREE:
        current, start = 0.0, 1
        for b in range(1, n_bins - 1):
            if current <= 0.0:
                current, start = 0.0, b
            current += sums[b]
            if current > best:
                best, low, high = current, start, b
    return best, low, high


@helper
def best_condition(codes, rows, n_rows, values, table, cost, histogram, mask):
    """The condition whose rows are worth most, of those that cost no more than this: its worth and its column; `mask`
    receives its bins.
    """
    add_up(codes, rows, n_rows, values, count_affordable(table[3], cost), histogram)
    return best_bins(table, cost, histogram, mask)


@helper
def best_bins(table, cost, histogram, mask):
    """See `best_condition`; histogram: what the rows in each bin of each column are worth."""
    n_bins, is_category, directions, costs = table
    best, column, best_low, best_high = -np.inf, 0, 0, 0
    for f in range(count_affordable(costs, cost)):
        if costs[f] > cost or (n_bins[f] < 2 and histogram[f, n_bins[f]] == 0.0):
            continue
        absent = histogram[f, n_bins[f]]
        if is_category[f]:
            worth, low, high = 0.0, 0, 0
            for b in range(n_bins[f]):
                worth += max(histogram[f, b], 0.0)
        else:
            worth, low, high = best_range(histogram[f], n_bins[f], directions[f])
            if absent > 0.0 and worth < 0.0:  # missing values only
                worth, low, high = 0.0, 1, 0
            if absent < 0.0:  # all but missing values
                known = 0.0
                for b in range(n_bins[f]):
                    known += histogram[f, b]
                if known >= worth:
                    worth, low, high = known, 0, n_bins[f] - 1
        worth += max(absent, 0.0)
        if worth > best:
            best, column, best_low, best_high = worth, f, low, high
    for b in range(mask.shape[0]):
        mask[b] = False
    for b in range(n_bins[column]):
        mask[b] = histogram[column, b] > 0.0 if is_category[column] else best_low <= b <= best_high
    mask[n_bins[column]] = histogram[column, n_bins[column]] > 0.0
    return best, column


@helper
def fill_rows(reaches, other, counts, wanted, gains, label, rows, values):
    """The rows that reach a rule and hold `wanted` of the counted conditions, and what they are worth to it. Rows that
    are worth nothing are left out: of many classes, these are most rows.
    """
    n_rows = 0
    for i in range(len(reaches)):  # without branches, which would be guessed wrong
        rows[n_rows] = i
        n_rows += reaches[i] & (counts[i] == wanted)
    n_worth = 0
    for k in range(n_rows):
        i = rows[k]
        value = gains[i, label] - gains[i, other[i]]
        rows[n_worth] = i
        values[n_worth] = value
        n_worth += value != 0.0
    return n_worth


@kernel
def total_worth(codes, gains, labels, sizes, columns, masks, n_rules, default):
    """What the rule list is worth, and its default class: the best one if `default` is -1."""
    counts = np.empty((n_rules, codes.shape[0]), np.int16)
    for r in range(n_rules):
        count_held(codes, columns, masks, sizes, r, counts)
    totals = np.zeros(gains.shape[1])  # of rows that no rule holds in
    total = 0.0
    reaches, decided = np.empty(codes.shape[0], np.bool_), np.empty(codes.shape[0], np.int16)
    find_context(counts, sizes, labels, n_rules, 0, -1, reaches, decided)
    for i in range(codes.shape[0]):
        label = decided[i]
        if label >= 0:
            total += gains[i, label]
        else:
            for c in range(gains.shape[1]):
                totals[c] += gains[i, c]
    if default < 0:
        default = np.argmax(totals)
    return total + totals[default], default


@helper
def fill_held(codes, columns, masks, sizes, n_rules, held, counts):
    """held[k, i] = whether condition k, of all rules one after the other, holds in row i; counts: see `count_held`."""
    k = 0
    for r in range(n_rules):
        counts[r, :] = 0
        for j in range(sizes[r]):
            fill_condition(codes, columns[r, j], masks[r, j], held[k])
            for i in range(codes.shape[0]):
                counts[r, i] += held[k, i]
            k += 1


@helper
def fill_condition(codes, column, mask, held):
    """held[i] = whether a condition holds in row i."""
    for i in range(codes.shape[0]):
        held[i] = mask[codes[i, column]]


@kernel
def refine(codes, gains, table, labels, sizes, columns, masks, n_rules, fixed_default, rounds):
    """Replace conditions by better ones that cost no more, one at a time, until none is worth more or after so many
    rounds. The list is changed in place.
    """
    n = codes.shape[0]
    counts, after = np.empty((n_rules, n), np.int16), np.empty((n_rules, n), np.int16)
    n_conditions = 0
    for r in range(n_rules):
        n_conditions += sizes[r]
    held = np.empty((n_conditions, n), np.bool_)
    fill_held(codes, columns, masks, sizes, n_rules, held, counts)
    reaches, other = np.empty(n, np.bool_), np.empty(n, np.int16)
    rows, values = np.empty(n, np.int32), np.empty(n)
    histogram = np.empty((codes.shape[1], masks.shape[2]))
    mask = np.empty(masks.shape[2], np.bool_)
    totals = np.empty(gains.shape[1])
    for _ in range(rounds):
        moved = False
        default, is_known = fixed_default, fixed_default >= 0
        classes_after(counts, sizes, labels, n_rules, after)
        reaches[:] = True
        first = 0  # condition of the rule
        for r in range(n_rules):
            if not is_known:
                default = best_default(reaches, counts[r], sizes[r], after[r], gains, totals)
                is_known = True
            fill_others(after[r], default, other)
            for j in range(sizes[r]):
                own = held[first + j]
                for i in range(n):
                    counts[r, i] -= own[i]
                n_rows = fill_rows(reaches, other, counts[r], sizes[r] - 1, gains, labels[r], rows, values)
                if n_rows > 0:
                    now = 0.0
                    for k in range(n_rows):
                        now += values[k] if own[rows[k]] else 0.0
                    cost = table[3][columns[r, j]]
                    best, found = best_condition(codes, rows, n_rows, values, table, cost, histogram, mask)
                    if best > now + 1e-12:
                        columns[r, j] = found
                        copy_front(masks[r, j], mask, len(mask))
                        fill_condition(codes, found, mask, own)
                        moved = True
                        is_known = fixed_default >= 0
                for i in range(n):
                    counts[r, i] += own[i]
            for i in range(n):
                reaches[i] &= counts[r, i] != sizes[r]
            first += sizes[r]
        if not moved:
            break


@kernel
def removals(codes, gains, labels, sizes, columns, masks, n_rules, default, found):
    """found[r, j] = what the list gains (mostly a negative number) without condition j of rule r, or without the rule
    if that is its only condition.
    """
    n = codes.shape[0]
    counts, after = np.empty((n_rules, n), np.int16), np.empty((n_rules, n), np.int16)
    for r in range(n_rules):
        count_held(codes, columns, masks, sizes, r, counts)
    classes_after(counts, sizes, labels, n_rules, after)
    reaches = np.full(n, True)
    for r in range(n_rules):
        found[r, :] = 0.0
        for i in range(n):
            holds = counts[r, i] == sizes[r]
            if reaches[i] and (holds if sizes[r] == 1 else counts[r, i] == sizes[r] - 1):
                value = gains[i, labels[r]] - gains[i, after[r, i] if after[r, i] >= 0 else default]
                if sizes[r] == 1:
                    found[r, 0] -= value
                elif value != 0.0:
                    for j in range(sizes[r]):
                        if not masks[r, j, codes[i, columns[r, j]]]:
                            found[r, j] += value
            reaches[i] = reaches[i] and not holds


@kernel
def extensions(codes, gains, table, labels, sizes, columns, masks, n_rules, default, cost, found, found_masks):
    """For each rule the best condition to add to it, of those that cost no more than this: found[r] is the gain and the
    column, found_masks[r] has the bins.
    """
    n = codes.shape[0]
    counts, after = np.empty((n_rules, n), np.int16), np.empty((n_rules, n), np.int16)
    for r in range(n_rules):
        count_held(codes, columns, masks, sizes, r, counts)
    classes_after(counts, sizes, labels, n_rules, after)
    reaches, other = np.full(n, True), np.empty(n, np.int16)
    rows, values = np.empty(n, np.int32), np.empty(n)
    histogram = np.empty((codes.shape[1], masks.shape[2]))
    for r in range(n_rules):
        fill_others(after[r], default, other)
        found[r, 0] = -np.inf
        n_rows = fill_rows(reaches, other, counts[r], sizes[r], gains, labels[r], rows, values)
        for i in range(n):
            reaches[i] &= counts[r, i] != sizes[r]
        if n_rows == 0:
            continue
        best, column = best_condition(codes, rows, n_rows, values, table, cost, histogram, found_masks[r])
        for k in range(n_rows):
            best -= values[k]
        found[r, 0] = best
        found[r, 1] = column


@helper
def weigh(values, n_rows, factor, weighted):
    """weighted[k] = values[k], times a factor where that is positive."""
    for k in range(n_rows):
        weighted[k] = values[k] * factor if values[k] > 0.0 else values[k]


@helper
def keep_held(codes, column, mask, n_rows, rows, values, to_rows, to_values):
    """The rows in which a condition holds: how many, and what they are worth together. The arrays may be the same."""
    kept, worth = 0, 0.0
    for k in range(n_rows):
        row, value = rows[k], values[k]
        if mask[codes[row, column]]:
            to_rows[kept] = row
            to_values[kept] = value
            worth += value
            kept += 1
    return kept, worth


@helper
def grow_rule(codes, table, rows, values, weighted, n_rows, eager, cost, histogram, found, bins):
    """Further conditions of a new rule that has one, in rows that are given with their worth; both arrays are changed.
    See `grow_rules`; returns the number of conditions.
    """
    most = found.shape[0]
    for step in range(1, most):
        if n_rows == 0:
            return step
        factor = eager ** (1.0 - step / max(1, most - 1))
        weigh(values, n_rows, factor, weighted)
        _, column = best_condition(codes, rows, n_rows, weighted, table, cost, histogram, bins[step])
        kept, worth = keep_held(codes, column, bins[step], n_rows, rows, values, rows, values)
        if kept == n_rows:
            return step
        n_rows = kept
        found[step, 0] = worth
        found[step, 1] = column
    return most


@kernel
def grow_rules(
    codes, gains, table, labels, sizes, columns, masks, n_rules, default, position, starts, found, bins, n_found
):
    """New rules at a position, one for each row of starts (K, 3): its class, its eagerness, and what a condition may
    cost. found[s, k] is the worth of rule s with k + 1 conditions and the column of the last one, bins[s, k] its bins;
    n_found[s] the number of conditions. Starts of the same class follow each other, and of these, those of the same
    eagerness: their first conditions share a histogram.

    Rows that gain count `eager` times as much for the first condition, and less and less for later ones: a rule for a
    rare class is worth nothing before it has several conditions.
    """
    n = codes.shape[0]
    counts = np.empty((max(n_rules, 1), n), np.int16)
    for r in range(n_rules):
        count_held(codes, columns, masks, sizes, r, counts)
    reaches, other = np.empty(n, np.bool_), np.empty(n, np.int16)
    find_context(counts, sizes, labels, n_rules, position, default, reaches, other)
    own_rows, own_values, n_own, label, eager = np.empty(n, np.int32), np.empty(n), 0, -1, 0.0
    rows, values, weighted = np.empty(n, np.int32), np.empty(n), np.empty(n)
    histogram = np.empty((codes.shape[1], masks.shape[2]))
    first = np.empty((codes.shape[1], masks.shape[2]))
    n_columns = count_affordable(table[3], starts[:, 2].max())
    counts[0, :] = 0  # of the new rule, no condition has been counted
    for s in range(starts.shape[0]):
        cost = starts[s, 2]
        if label != int(starts[s, 0]):
            label, eager = int(starts[s, 0]), 0.0
            n_own = fill_rows(reaches, other, counts[0], 0, gains, label, own_rows, own_values)
        if eager != starts[s, 1]:
            eager = starts[s, 1]
            weigh(own_values, n_own, eager, weighted)
            add_up(codes, own_rows, n_own, weighted, n_columns, first)
        n_found[s] = 0
        if n_own == 0:
            continue
        _, column = best_bins(table, cost, first, bins[s, 0])
        kept, worth = keep_held(codes, column, bins[s, 0], n_own, own_rows, own_values, rows, values)
        if kept < n_own:
            found[s, 0, 0] = worth
            found[s, 0, 1] = column
            n_found[s] = grow_rule(
                codes, table, rows, values, weighted, kept, eager, cost, histogram, found[s], bins[s]
            )
