"""Who learns which partition when: all of them once, and workers have work all the time."""

import numpy as np
import pytest

from ldnn.dask.schedule import Schedule, count_lanes

SIZES = [(8, 1, 2), (7, 1, 3), (16, 2, 2), (24, 3, 2), (13, 3, 4), (32, 8, 2), (3, 3, 2), (1, 1, 8)]


@pytest.mark.parametrize("size", SIZES)
def test_every_group_learns_every_partition_once_in_a_round(size):
    schedule = Schedule(*size)
    order = np.random.default_rng(0).permutation(schedule.n_partitions)
    members = [member for first, last in schedule.groups for member in range(first, last)]
    assert members == list(range(schedule.n_estimators))
    for group in range(len(schedule.groups)):
        lanes = schedule.lanes(group, 3, order)
        assert len(lanes) == schedule.n_lanes and all(lanes)
        assert sorted(place for lane in lanes for place in lane) == list(range(schedule.n_partitions))


@pytest.mark.parametrize("size", [(8, 1, 2), (16, 2, 2), (24, 3, 2), (32, 8, 2), (16, 1, 4)])
def test_tasks_that_run_side_by_side_need_partitions_of_different_workers(size):
    schedule = Schedule(*size)
    n_tasks = len(schedule.groups) * schedule.n_lanes
    for number in range(3):
        order = np.random.default_rng(number).permutation(schedule.n_partitions)
        lanes = [lane for group in range(len(schedule.groups)) for lane in schedule.lanes(group, number, order)]
        for count in (n_tasks, n_tasks // 2):
            keepers = schedule.keepers([1] * count)
            for places in zip(*lanes, strict=True):  # at the same time
                assert np.bincount(keepers[list(places)]).tolist() == [n_tasks // count] * count


def test_rounds_begin_with_other_partitions_in_another_order():
    schedule, order = Schedule(8, 1, 2), np.arange(8)
    [first], [again], [other] = schedule.lanes(0, 0, order), schedule.lanes(0, 1, order), schedule.lanes(1, 0, order)
    assert sorted(first[:4]) == sorted(again[4:]) == sorted(other[4:])
    assert schedule.lanes(0, 0, order[::-1]) == [first[3::-1] + first[:3:-1]]


def test_workers_keep_partitions_in_proportion_to_their_threads():
    assert np.bincount(Schedule(8, 1, 2).keepers([1, 3])).tolist() == [2, 6]
    assert np.bincount(Schedule(2, 1, 2).keepers([1] * 5), minlength=5).sum() == 2


def test_large_tables_have_lanes_and_these_have_members():
    assert [count_lanes([1_000_000] * k) for k in (1, 4, 5, 20)] == [1, 1, 2, 8]
    assert count_lanes([10_000_000]) == 1
    assert Schedule(16, 3, 2).groups == [(0, 1), (1, 2)]
    assert Schedule(16, 4, 2).groups == [(0, 2)]
