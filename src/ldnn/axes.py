"""Principal axes: wide tables seen from the few directions in which their rows differ most.

Clusters and gradient steps are the same however the columns are turned: distances do not change, nor does w.x. So all
that networks lose when they learn on the first axes only is what rows tell along the others; and an epoch takes as much
less time as there are fewer axes than columns. What they have learned is then told for the columns again.
"""

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

_ROWS = 10_000  # tell the axes of any table well enough, or, where it is very wide,
_ROWS_FOR_COLUMN = 5  # so many for each column
_ROUNDED = 1e-6  # of the largest variance: what is less may be rounding, in single precision
MOST = 2000  # columns, or rows where these are fewer, up to which the axes take little time


def some_rows(rows: int, columns: int) -> NDArray[np.intp]:
    """Numbers of the rows, evenly spread, from which the axes of a table are learned."""
    return np.arange(0, rows, max(1, rows // max(_ROWS, _ROWS_FOR_COLUMN * columns)))


def principal_axes(
    numbers: NDArray[np.float32], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """The directions of the largest variance of numbers (n, F) with weights (n,), largest first: the variances
    (axes,), and the directions (F, axes), each of length 1. Those without variance are left out, but for the first.
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


def count_axes(variances: NDArray[np.float64], wanted: int | float) -> int:
    """How many of the axes, given their variances: so many, or as many as hold this share (below 1) of all variance."""
    if isinstance(wanted, float):
        held = np.cumsum(variances)
        wanted = 1 + int(np.searchsorted(held, wanted * held[-1]))
    return min(wanted, len(variances))


def turned_back(vectors: NDArray[np.float32], axes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Vectors (..., axes + others) as they are for the columns, (..., F + others): what is not on the axes stays."""
    on_axes = axes.shape[1]
    return np.concatenate([vectors[..., :on_axes] @ axes.T, vectors[..., on_axes:]], axis=-1)
