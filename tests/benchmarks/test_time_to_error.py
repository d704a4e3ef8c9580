from dataclasses import replace

import numpy as np
import pandas as pd

from benchmarks import time_to_error
from benchmarks.learners import TrainTest


def test_curves_say_what_was_reached_and_stop_at_the_limit(monkeypatch):
    random = np.random.default_rng(0)
    X = random.standard_normal((400, 3))
    table = TrainTest(pd.DataFrame(X[:300]), (X[:300, 0] > 0).astype(int), pd.DataFrame(X[300:]), X[300:, 0] > 0)
    monkeypatch.setattr(time_to_error, "data", lambda name, rows: table)
    seconds = iter([1.0, 2.0, 4.0])
    fit = time_to_error.timed_fit
    monkeypatch.setattr(time_to_error, "timed_fit", lambda *args: replace(fit(*args), cpu=next(seconds)))
    result = time_to_error.curve("adult", "random forest", None, limit=7.0)
    assert [point["amount"] for point in result["points"]] == [4, 8, 16]
    assert result["left_out"][0] == 32
    assert time_to_error.reached(result) == min(p["seconds"] for p in result["points"] if p["error"] <= 15.25)
    assert time_to_error.reached({**result, "data": "ijcnn1", "points": [{"seconds": 1, "error": 2.0}]}) is None
    assert time_to_error.tables({"a": result})[0].rows[0][0] == "random forest"


def test_sizes_and_goals_are_the_papers():
    assert (time_to_error.size("letter"), time_to_error.goal("letter")) == ((20, 20), 2.32)
    assert (time_to_error.size("covtype"), time_to_error.goal("covtype")) == ((20, 10), 8.87)
