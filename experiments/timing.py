"""Clocks, and a first use of every compiled loop so that no measured time includes compiling."""

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ldnn import LDNNClassifier, ModularNetworkClassifier
from ldnn.datasets import make_two_moons


@dataclass(frozen=True)
class TimedFit:
    """A fitted model, and the seconds of its fit: by the clock, and of the processor."""

    model: Any
    wall: float
    cpu: float


def timed_fit(model: Any, X: Any, y: np.ndarray) -> TimedFit:
    """Fit a model without its warnings, such as those about too few epochs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wall, cpu = time.perf_counter(), time.process_time()
        model.fit(X, y)
        return TimedFit(model, time.perf_counter() - wall, time.process_time() - cpu)


def in_turn(functions: dict[str, Callable[[], Any]], repeats: int, clock=time.process_time) -> dict[str, float]:
    """The shortest time of each function. They are called in turn, so that a slow moment of the machine meets all."""
    best = dict.fromkeys(functions, np.inf)
    for _ in range(repeats):
        for name, function in functions.items():
            start = clock()
            function()
            best[name] = min(best[name], clock() - start)
    return best


def latency(function: Callable[[], Any], seconds: float = 1.0) -> float:
    """The median wall time of a short call in seconds, over many calls."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """The p of costs ~ size**p, by least squares of the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])


@lru_cache(maxsize=1)
def compile_kernels() -> None:
    """Let Numba compile, or load, the loops of `LDNNClassifier` and `ModularNetworkClassifier`."""
    X, y = make_two_moons(100, random_state=0)
    brief: dict[str, Any] = {"learning_rate": 0.1, "max_epochs": 1, "n_jobs": 1}
    for model in (
        LDNNClassifier(n_jobs=1),
        LDNNClassifier(2, 2, init="farthest", **brief),
        LDNNClassifier(2, 2, init="random", momentum=0.1, **brief),
        ModularNetworkClassifier(2, 2, max_epochs=1, n_jobs=1),
    ):
        model.fit(X, y).predict(X)
