"""Threads for the networks of a model; the kernels release Python's lock."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import joblib


class Workers:
    """Runs a function for each of several jobs, on n_jobs threads."""

    def __init__(self, n_jobs: int | None, count: int):
        if n_jobs == 0:
            raise ValueError("n_jobs=0 is not allowed: use 1, or -1 for all processors.")
        self.threads = min(joblib.effective_n_jobs(n_jobs), count) if n_jobs != 1 and count > 1 else 1
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
        self._count = count
        self.is_over = False

    def each(self, function: Callable[[int], Any]) -> list[Any]:
        """function(0), function(1), ..."""
        if self._pool is None:
            return [function(job) for job in range(self._count)]
        return list(self._pool.map(function, range(self._count)))

    def in_turns(self, function: Callable[[int], Iterator[None]]) -> None:
        """Run jobs piece by piece: the function is a generator that yields after each piece.

        A thread takes the job that has waited longest, so all jobs end at nearly the same time and no thread is idle.
        """
        waiting = deque(function(job) for job in range(self._count))
        done = object()

        def work(_: int) -> None:
            while not self.is_over:
                try:
                    job = waiting.popleft()
                except IndexError:  # other threads have the rest
                    return
                if next(job, done) is not done:
                    waiting.append(job)

        if self._pool is None:
            work(0)
        else:
            list(self._pool.map(work, range(self.threads)))

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *exception: object) -> None:
        self.is_over = True
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
