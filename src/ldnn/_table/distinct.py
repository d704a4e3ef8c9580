"""The rows of a table as a set: equal rows are one row with a larger weight, and their order does not matter.

So a fit gives the same model for shuffled rows, a row of weight 3 is exactly the same as three copies of it, and copies
of a training row never stand in the validation part.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

LARGE = 2**20  # rows of a table that is visited in blocks: to fetch a distant row costs more than its gradient step


def chunks(count: int, width: int, most: int = 2**18) -> Iterator[slice]:
    """Slices that cut `count` rows of `width` numbers into pieces of at most `most` numbers, so that temporary arrays
    stay small.
    """
    size = max(1, most // max(1, width))
    return (slice(start, min(start + size, count)) for start in range(0, count, size))


def take_rows(X: NDArray, rows: NDArray[np.intp]) -> NDArray:
    """X[rows], in C order. `take` is three times as fast for scattered rows, but would first copy the whole table if it
    is in another order.
    """
    return X.take(rows, axis=0) if X.flags.c_contiguous else np.ascontiguousarray(X[rows])


def distinct_rows(
    X: NDArray, y: NDArray[np.int32], weights: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """One row number for each distinct (x, class) with a positive weight, in an order that depends on the values only,
    and the total weight of its copies.

    The order is by class, then by the rows' keys; in large tables classes are mixed, since neighbours will be visited
    together.
    """
    keys = _row_keys(X)
    bits = np.uint64(max(1, int(y.max(initial=0)).bit_length()))
    if len(X) < LARGE:
        keys = keys >> bits | y.astype(np.uint64) << (np.uint64(64) - bits)
    else:
        keys = keys >> bits << bits | y.astype(np.uint64)
    order = sorting_order(keys)
    weights = weights.take(order)
    if not np.all(weights > 0):
        order, weights = order[weights > 0], weights[weights > 0]
    if order.size == 0:
        return order, weights
    keys = keys.take(order)
    is_copy = keys[1:] == keys[:-1]
    suspects = np.flatnonzero(is_copy)
    for piece in chunks(suspects.size, X.shape[1]):  # equal keys are no proof: compare the rows themselves
        part = suspects[piece]
        one, other = take_rows(X, order[part]), take_rows(X, order[part + 1])
        is_copy[part] = ((one == other) | (np.isnan(one) & np.isnan(other))).all(axis=1)
    first = np.flatnonzero(np.concatenate([[True], ~is_copy]))
    return order[first], np.add.reduceat(weights, first)


def sorting_order(keys: NDArray[np.uint64]) -> NDArray[np.intp]:
    """np.argsort(keys, kind="stable"), three times as fast: numbers sort faster than indices.

    Each key's low bits are replaced by its index. Keys that differ in these bits only are sorted once more.
    """
    bits = np.uint64(len(keys).bit_length())
    packed = keys >> bits << bits
    packed |= np.arange(len(keys), dtype=np.uint64)
    packed.sort()
    order = (packed & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.intp)
    packed >>= bits
    is_tied = packed[1:] == packed[:-1]
    tied = np.flatnonzero(np.append(is_tied, False) | np.insert(is_tied, 0, False))
    order[tied] = order[tied][np.argsort(keys[order[tied]], kind="stable")]
    return order


def _row_keys(X: NDArray) -> NDArray[np.uint64]:
    """A 64-bit key for each row, equal for equal rows (0.0 equals -0.0; the type of the numbers does not matter)."""
    multipliers = np.random.default_rng(0x1D99).integers(2**63, size=X.shape[1], dtype=np.uint64) * 2 + 1
    keys = np.empty(len(X), dtype=np.uint64)
    for piece in chunks(*X.shape):
        chunk = X[piece].astype(np.float64, order="C") + 0.0
        chunk[np.isnan(chunk)] = np.nan  # one NaN for all
        bits = chunk.view(np.uint64)
        bits ^= bits >> np.uint64(29)  # numbers with few digits differ in their high bits only
        keys[piece] = (bits * multipliers).sum(axis=1, dtype=np.uint64)
    return keys


def split_off_validation(
    y: NDArray[np.int32], fraction: float, generator: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Indices of the training and of the validation rows, stratified by class.

    Each class keeps at least one row for training; where no class has a row to spare, the second part is empty.
    """
    if fraction == 0:
        return np.arange(len(y)), np.empty(0, dtype=np.intp)
    is_validation = np.zeros(len(y), dtype=bool)
    for c in np.unique(y):
        members = np.flatnonzero(y == c)
        count = min(round(fraction * len(members)), len(members) - 1)
        is_validation[generator.permutation(members)[:count]] = True
    return np.flatnonzero(~is_validation), np.flatnonzero(is_validation)
