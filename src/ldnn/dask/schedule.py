"""Schedule: which partitions a lane learns in a round, in which order, and which worker keeps them.

Partitions are divided into as many blocks as there are tasks at a time. In each part of a round, every lane of every
group of ensemble members is at another block. So a worker that keeps whole blocks has work all the time, and hardly any
partition travels. The blocks depend on the table and the parameters alone, not on the workers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .local_training import Members

ROWS_OF_LANE = 2_500_000  # at the least, in a round
_FEW_LANES = 4  # with fewer, ensemble members learn partitions separately


def count_lanes(rows: Sequence[int]) -> int:
    """The lanes of a table whose partitions have these numbers of rows."""
    return int(np.clip(sum(rows) // ROWS_OF_LANE, 1, len(rows)))


@dataclass(frozen=True)
class Schedule:
    """The schedule of a table with some partitions, which have places 0, 1, ...

    n_lanes: in which the partitions are learned; n_estimators: ensemble members.
    """

    n_partitions: int
    n_lanes: int
    n_estimators: int

    @property
    def groups(self) -> list[Members]:
        """The members that learn a partition together."""
        if self.n_lanes < _FEW_LANES:
            return [(k, k + 1) for k in range(self.n_estimators)]
        return [(0, self.n_estimators)]

    def lanes(self, group: int, number: int, order: NDArray[np.intp]) -> list[list[int]]:
        """The places that each lane of a group learns in round `number`, one after the other.

        order: of all places, random. A lane always has the same ones; each group and round begins with another block.
        """
        count = len(self.groups)
        lanes: list[list[int]] = [[] for _ in range(self.n_lanes)]
        for turn in range(count):
            block = (group + number + turn) % count
            for place in order[self._blocks[order] == block].tolist():
                lanes[place % self.n_lanes].append(place)
        return lanes

    @cached_property
    def _blocks(self) -> NDArray[np.intp]:
        """The block of each place, within its lane."""
        return np.arange(self.n_partitions) // self.n_lanes % len(self.groups)

    def keepers(self, threads: Sequence[int]) -> NDArray[np.intp]:
        """Which worker should keep each place, given the threads of the workers: whole blocks, if there are enough."""
        places = np.arange(self.n_partitions)
        ranks = np.empty_like(places)
        ranks[np.lexsort((places, self._blocks, places % self.n_lanes))] = places
        return np.searchsorted(np.cumsum(threads) / sum(threads), (ranks + 0.5) / self.n_partitions)
