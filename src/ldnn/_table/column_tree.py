"""The columns of a table in order, and a small decision tree on one of them: where it splits the sorted values."""

import heapq
from dataclasses import dataclass, field

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


Column = tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]  # values, class indices, weights

_KEPT = 2**20  # numbers; larger tables are sorted anew each time


@dataclass(frozen=True)
class SortedColumns:
    """The columns of some rows in order, without missing values: each is sorted once, and so is each tree grown, since
    plans with different knots ask for them again.

    X (n, F); rows, y, weights (m,): of the table.
    """

    X: NDArray
    rows: NDArray[np.intp]
    y: NDArray[np.int32]
    weights: NDArray[np.float64]
    _sorted: dict[int, Column] = field(default_factory=dict)
    _cuts: dict[tuple[int, int], NDArray[np.intp]] = field(default_factory=dict)

    def column(self, k: int) -> Column:
        """Column k: increasing values, and the class indices and the weights of their rows."""
        if k in self._sorted:
            return self._sorted[k]
        values = self.X[self.rows, k].astype(np.float64)
        order = np.argsort(values, kind="stable")
        order = order[: len(order) - np.count_nonzero(np.isnan(values))]  # these come last
        found = values[order], self.y[order], self.weights[order]
        if self._are_kept:
            self._sorted[k] = found
        return found

    def cuts(self, k: int, leaves: int) -> NDArray[np.intp]:
        """`split_positions` of column k."""
        if (k, leaves) not in self._cuts:
            self._cuts[k, leaves] = split_positions(*self.column(k), leaves)
        return self._cuts[k, leaves]

    @property
    def _are_kept(self) -> bool:
        return len(self.rows) * self.X.shape[1] <= _KEPT
