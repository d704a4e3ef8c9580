"""Networks that share threads take turns, piece by piece."""

import threading

import pytest

from ldnn._threads import Workers


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_every_network_does_all_its_pieces_in_order(n_jobs):
    done: dict[int, list[int]] = {c: [] for c in range(7)}

    def work(c):
        for piece in range(c):  # the first has nothing to do
            done[c].append(piece)
            yield

    with Workers(n_jobs, 7) as workers:
        workers.in_turns(work)
    assert done == {c: list(range(c)) for c in range(7)}


def test_an_error_in_one_network_is_raised():
    def work(c):
        yield
        if c == 3:
            raise ValueError("network 3")

    with Workers(2, 5) as workers, pytest.raises(ValueError, match="network 3"):
        workers.in_turns(work)


def test_nothing_goes_on_after_a_stop():
    pieces = []

    def work(c):
        while True:
            pieces.append(c)
            if len(pieces) == 10:
                workers.is_over = True
            yield

    with Workers(2, 4) as workers:
        workers.in_turns(work)
    assert 10 <= len(pieces) <= 12


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
def test_results_come_in_the_order_of_the_jobs(n_jobs):
    with Workers(n_jobs, 9) as workers:
        assert workers.each(lambda job: job**2) == [job**2 for job in range(9)]


@pytest.mark.parametrize(("n_jobs", "count", "threads"), [(None, 5, 1), (1, 5, 1), (3, 5, 3), (8, 2, 2)])
def test_there_are_no_more_threads_than_asked_for_or_needed(n_jobs, count, threads):
    all_at_work = threading.Barrier(threads)
    names = set()

    def work(job):
        if job < threads:
            all_at_work.wait(10)  # for all threads: fewer would wait in vain
        names.add(threading.current_thread().name)

    with Workers(n_jobs, count) as workers:
        workers.each(work)
    assert len(names) == threads


def test_no_thread_at_all_is_refused():
    with pytest.raises(ValueError, match="n_jobs=0 is not allowed: use 1, or -1"):
        Workers(0, 3)
