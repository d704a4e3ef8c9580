"""How much of a table the workers keep in their memory."""

import math

import pytest

from ldnn.dask import cluster_fit

MB = 1e6


@pytest.mark.parametrize(
    ("workers", "partition", "expected"),
    [
        ([(8000 * MB, 300 * MB)] * 2, 64 * MB, 4000 * MB),  # a quarter of each
        ([(1000 * MB, 300 * MB)], 64 * MB, 44 * MB),  # what is free beside four copies of a partition
        ([(700 * MB, 300 * MB)] * 2, 64 * MB, 0),
        ([(700 * MB, 300 * MB), (math.inf, 300 * MB)], 64 * MB, math.inf),  # a worker without a limit
    ],
)
def test_partitions_are_kept_where_tasks_have_room_beside_them(monkeypatch, workers, partition, expected):
    monkeypatch.setattr(cluster_fit, "memory_of_workers", lambda client: workers)
    assert cluster_fit.memory_to_keep(None, partition) == pytest.approx(expected)
