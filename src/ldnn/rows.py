"""The rows of a table as a set: equal rows are one row with a larger weight, and their order does not matter.

So a fit gives the same model for shuffled rows, a row of weight 3 is exactly the same as three copies of it, and copies
of a training row never stand in the validation part.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import kernels

LARGE = 2**20  # rows, of a table that is visited in blocks: a row far from the last one costs more than its step
_BLOCK = 1024  # visits


def chunks(count: int, width: int, most: int = 2**18) -> Iterator[slice]:
    """The slices that cut `count` rows of so many numbers into pieces whose temporary arrays stay small: of at most so
    many numbers.
    """
    size = max(1, most // max(1, width))
    return (slice(start, min(start + size, count)) for start in range(0, count, size))


def fetch(X: NDArray, rows: NDArray[np.intp]) -> NDArray:
    """X[rows], in C order. Rows that lie scattered in memory come three times as fast by `take`, which would first copy
    all of a table in another order.
    """
    return X.take(rows, axis=0) if X.flags.c_contiguous else np.ascontiguousarray(X[rows])


@dataclass(frozen=True)
class Rows:
    """X (n, F) and places (n, S) float32, as the kernels read them; codes (n,) int32 class numbers; weights (n,)
    float64, all positive.
    """

    X: NDArray[np.float32]
    places: NDArray[np.float32]
    codes: NDArray[np.int32]
    weights: NDArray[np.float64]


def distinct_rows(
    X: NDArray, codes: NDArray[np.int32], weights: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """One row number for each distinct (x, class) with a positive weight, in an order that only the values decide,
    and the total weights of its copies.

    The order is that of the classes, then of the rows' keys; large tables have their classes mixed, since neighbours
    will be visited together.
    """
    keys = _row_keys(X)
    bits = np.uint64(max(1, int(codes.max(initial=0)).bit_length()))
    if len(X) < LARGE:
        keys = keys >> bits | codes.astype(np.uint64) << (np.uint64(64) - bits)
    else:
        keys = keys >> bits << bits | codes.astype(np.uint64)
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
        one, other = fetch(X, order[part]), fetch(X, order[part + 1])
        is_copy[part] = ((one == other) | (np.isnan(one) & np.isnan(other))).all(axis=1)
    first = np.flatnonzero(np.concatenate([[True], ~is_copy]))
    return order[first], np.add.reduceat(weights, first)


def sorting_order(keys: NDArray[np.uint64]) -> NDArray[np.intp]:
    """np.argsort(keys, kind="stable"), three times as fast: numbers are sorted faster than their places.

    So each key's low bits make room for its place. Where keys differ in these bits only, they are sorted once more.
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
    codes: NDArray[np.int32], fraction: float, generator: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Positions of the training and of the validation rows, in equal shares of each class.

    Each class keeps at least one row for training; where no class has a row to spare, the second part is empty.
    """
    if fraction == 0:
        return np.arange(len(codes)), np.empty(0, dtype=np.intp)
    is_validation = np.zeros(len(codes), dtype=bool)
    for code in np.unique(codes):
        members = np.flatnonzero(codes == code)
        count = min(round(fraction * len(members)), len(members) - 1)
        is_validation[generator.permutation(members)[:count]] = True
    return np.flatnonzero(~is_validation), np.flatnonzero(is_validation)


def visits(weights: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """How an epoch honours the weights: the row numbers to visit, and the weight of each row at a visit.

    A row of weight 3 is visited three times, one of weight 2.5 three times with 5/6 of a step each: a heavy row never
    takes a step longer than the step size. Only the proportions of the weights count where their mean is below 1 or
    above 10 (weights that sum to one, or that count a population), so an epoch stays as long as it is useful.
    """
    mean = weights.mean()
    scaled = weights * (np.clip(mean, 1.0, 10.0) / mean)
    counts = np.maximum(np.ceil(scaled - 1e-9), 1.0)
    scaled /= counts
    rows = np.arange(len(weights), dtype=np.int32)
    if counts.max() > 1:
        rows = np.repeat(rows, counts.astype(np.int64))
    return rows, scaled.astype(np.float32)


def shuffled(visited: NDArray[np.int32], generator: np.random.Generator) -> NDArray[np.int32]:
    """The visits of an epoch, given in the order of the rows, in a random order; of a large table, rows that lie
    together are visited together.

    Its rows stand in the order of their keys (`distinct_rows`), so a block of neighbours is a random sample of them.
    """
    order = visited.copy()
    if visited[-1] + 1 < LARGE:  # rows
        kernels.shuffle(order, generator.integers(2**64, dtype=np.uint64))
    else:
        whole = len(visited) // _BLOCK * _BLOCK
        blocks = visited[:whole].reshape(-1, _BLOCK)[generator.permutation(len(visited) // _BLOCK)]
        np.take(blocks, generator.permutation(_BLOCK), axis=1, out=order[:whole].reshape(-1, _BLOCK))
    return order
