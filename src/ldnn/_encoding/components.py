"""Principal components: wide tables projected on the few directions along which their rows differ most.

Clusters and gradient steps are invariant under rotation: neither distances nor w.x change. So networks that are trained
on the first components lose only what the other components carry, and an epoch is as much faster as there are fewer
components than columns. The trained half-spaces are then mapped back to the columns.
"""

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

_ROWS = 10_000  # are enough for the components of any table, or, where it is very wide,
_ROWS_PER_COLUMN = 5  # this many
_ROUNDED = 1e-6  # of the largest variance: what is less may be rounding, in single precision
MAX_SIZE = 2000  # columns, or rows where these are fewer, up to which components take little time


def component_sample(rows: int, columns: int) -> NDArray[np.intp]:
    """Indices of the rows, evenly spaced, on which the components of a table are found."""
    return np.arange(0, rows, max(1, rows // max(_ROWS, _ROWS_PER_COLUMN * columns)))


def principal_components(
    numbers: NDArray[np.float32], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """The principal components of numbers (n, F) with weights (n,), largest variance first.

    Returns the variances (components,) and the directions (F, components), each of length 1. Those without variance are
    left out, except the first.
    """
    shares = weights / weights.sum()
    with threadpool_limits(limits=1, user_api="blas"):  # the number of threads may change the last bits
        centred = numbers - np.einsum("r,rf->f", shares, numbers).astype(np.float32)
        centred *= np.sqrt(shares).astype(np.float32)[:, None]
        if len(numbers) >= numbers.shape[1]:
            variances, directions = np.linalg.eigh((centred.T @ centred).astype(np.float64))
        else:  # as many directions as rows: from these, since they are fewer
            variances, sums = np.linalg.eigh((centred @ centred.T).astype(np.float64))
            directions = centred.T @ sums / np.sqrt(variances.clip(min=1e-300))
    variances, directions = variances[::-1].clip(min=0), directions[:, ::-1]
    count = max(1, int(np.sum(variances > _ROUNDED * variances[0])))
    return variances[:count], np.ascontiguousarray(directions[:, :count], dtype=np.float32)


def count_components(variances: NDArray[np.float64], wanted: int | float) -> int:
    """How many components, given their variances: this many, or as many as explain this share (below 1)."""
    if isinstance(wanted, float):
        explained = np.cumsum(variances)
        wanted = 1 + int(np.searchsorted(explained, wanted * explained[-1]))
    return min(wanted, len(variances))


def mapped_back(vectors: NDArray[np.float32], components: NDArray[np.float32]) -> NDArray[np.float32]:
    """Vectors (..., components + others) as vectors of the columns, (..., F + others); the others stay."""
    count = components.shape[1]
    return np.concatenate([vectors[..., :count] @ components.T, vectors[..., count:]], axis=-1)
