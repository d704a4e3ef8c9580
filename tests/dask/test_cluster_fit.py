"""How much of a table the workers keep in their memory."""

import math

import pytest

from ldnn.dask.cluster_fit import memory_to_keep
from ldnn.dask.session import WorkerState

MB = 1e6


@pytest.mark.parametrize(
    ("workers", "partition", "expected"),
    [
        ([(8000 * MB, 300 * MB)] * 2, 64 * MB, [2000 * MB] * 2),  # a quarter of each
        ([(1000 * MB, 300 * MB)], 64 * MB, [44 * MB]),  # what is free beside four copies of a partition
        ([(700 * MB, 300 * MB)] * 2, 64 * MB, [0, 0]),
        ([(700 * MB, 300 * MB), (math.inf, 300 * MB)], 64 * MB, [0, math.inf]),  # a worker without a limit
    ],
)
def test_partitions_are_kept_where_tasks_have_room_beside_them(workers, partition, expected):
    states = [WorkerState(str(number), 1, *memory) for number, memory in enumerate(workers)]
    assert memory_to_keep(states, partition) == pytest.approx(expected)
