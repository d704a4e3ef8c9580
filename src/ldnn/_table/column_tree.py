"""A small decision tree on one column: where it splits the sorted values."""

import heapq

import numpy as np
from numpy.typing import NDArray

from .._kernels import encoding_kernels


def split_positions(
    values: NDArray[np.float64], y: NDArray[np.int32], weights: NDArray[np.float64], leaves: int
) -> NDArray[np.intp]:
    """Grow a tree of at most this many leaves on sorted values (n,) with class indices y (n,), best leaf first.

    Returns the first rows of all leaves but the first one, in the order in which they were split off.
    """
    if not len(values):
        return np.empty(0, dtype=np.intp)
    least = min(0.5, max(1e-3, 5 / len(values))) * weights.sum()
    workspace = np.empty((2, int(y.max()) + 1))

    def leaf(begin: int, end: int) -> tuple[float, int, int, int]:
        cut, gain = encoding_kernels.best_cut(values, y, weights, begin, end, least, *workspace)
        return -gain, begin, end, cut

    grown = [leaf(0, len(values))]
    cuts: list[int] = []
    while len(cuts) < leaves - 1:
        loss, begin, end, cut = heapq.heappop(grown)
        if not loss < 0:
            break
        cuts.append(cut)
        heapq.heappush(grown, leaf(begin, cut))
        heapq.heappush(grown, leaf(cut, end))
    return np.array(cuts, dtype=np.intp)
