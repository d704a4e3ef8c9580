"""The rows of a table as a set: equal rows are one row with a larger weight, and their order does not matter.

So a fit gives the same model for shuffled rows, a row of weight 3 is exactly the same as three copies of it, and copies
of a training row never stand in the validation part.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


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
    """
    keys = _row_keys(X)
    order = np.lexsort((keys, codes))
    weights = weights.take(order)
    if not np.all(weights > 0):
        order, weights = order[weights > 0], weights[weights > 0]
    if order.size == 0:
        return order, weights
    keys, codes = keys.take(order), codes.take(order)
    is_copy = (keys[1:] == keys[:-1]) & (codes[1:] == codes[:-1])
    suspects = np.flatnonzero(is_copy)
    for piece in chunks(suspects.size, X.shape[1]):  # equal keys are no proof: compare the rows themselves
        part = suspects[piece]
        one, other = fetch(X, order[part]), fetch(X, order[part + 1])
        is_copy[part] = ((one == other) | (np.isnan(one) & np.isnan(other))).all(axis=1)
    first = np.flatnonzero(np.concatenate([[True], ~is_copy]))
    return order[first], np.add.reduceat(weights, first)


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
    rows = np.repeat(np.arange(len(weights), dtype=np.int32), counts.astype(np.int64))
    return rows, (scaled / counts).astype(np.float32)
