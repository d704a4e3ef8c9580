import warnings

import pytest

from experiments.timing import exponent, in_turn, latency, timed_fit


def test_exponent():
    assert exponent([1, 10, 100], [3, 30, 300]) == pytest.approx(1)
    assert exponent([2, 4], [5, 20]) == pytest.approx(2)


def test_functions_are_called_in_turn_and_the_shortest_time_counts():
    calls = []
    ticks = iter([0, 5, 5, 6, 10, 12, 12, 20])
    best = in_turn({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, 2, clock=lambda: next(ticks))
    assert calls == ["a", "b", "a", "b"]
    assert best == {"a": 2, "b": 1}


def test_latency_is_of_at_least_one_call():
    calls = []
    assert latency(lambda: calls.append(1), seconds=0) >= 0
    assert calls == [1]


def test_a_fit_is_timed_without_its_warnings():
    class Model:
        def fit(self, X, y):
            warnings.warn("too few epochs")
            self.rows = (X, y)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = timed_fit(Model(), "X", "y")
    assert fit.model.rows == ("X", "y")
    assert fit.wall >= 0 and fit.cpu >= 0
