"""What the benchmarks share. Nothing here measures time."""

import json
import os
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

from benchmarks import bench, training
from benchmarks.growth import rows_in_chunks
from benchmarks.harness import AbsentError, Kept, Question, apart, exponent, figure, figures_table
from benchmarks.problems import in_numpy, model, problem


def test_figures_say_whether_their_bounds_are_kept():
    entries = [figure("a", 1.5, "s", at_most=1.6), figure("b", 59.0, at_least=60), figure("c", 3.14159)]
    rows = figures_table({"part": {"figures": entries}, "other": {}}).rows
    assert rows == [["a", "1.5 s", "at most 1.6", "yes"], ["b", "59", "at least 60", "no"], ["c", "3.14", "", ""]]
    assert figures_table({"other": {}}) is None


def test_exponent():
    assert exponent([1, 10, 100], [3, 30, 300]) == pytest.approx(1)
    assert exponent([2, 4], [5, 20]) == pytest.approx(2)


def test_processes_of_their_own(tmp_path, monkeypatch):
    (tmp_path / "tiny.py").write_text(
        "from benchmarks.harness import AbsentError\n"
        "def echo(**arguments):\n    return {'said': arguments}\n"
        "def absent(reason):\n    raise AbsentError(reason)\n"
        "def broken():\n    raise ValueError('no')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    tiny = import_module("tiny")
    assert apart(tiny.echo, a=1, b=["x"]) == {"said": {"a": 1, "b": ["x"]}}
    with pytest.raises(AbsentError, match="not here"):
        apart(tiny.absent, reason="not here")
    with pytest.raises(RuntimeError, match="ValueError: no"):
        apart(tiny.broken)


def test_parts_are_kept_at_once_and_not_repeated(tmp_path):
    calls = []

    def part(name, trouble=None):
        def measure():
            calls.append(name)
            if trouble is not None:
                raise trouble
            return {"figures": [figure(name, len(calls))]}

        return measure

    parts = {
        "one": part("one"),
        "two": part("two", AbsentError("It is not here.")),
        "three": part("three", OSError("oh")),
    }
    question = Question("q", "Why?", lambda quick: parts)
    path = tmp_path / "folder" / "results.json"
    troubles = bench.measure(question, Kept(path), quick=False, again=False)
    assert troubles == ["q: two is left out. It is not here.", "q: three failed. OSError: oh"]
    assert list(json.loads(path.read_text())["parts"]) == ["q: one"]
    parts["two"] = part("two")
    bench.measure(question, Kept(path), quick=False, again=False)
    assert calls == ["one", "two", "three", "two", "three"]
    assert list(Kept(path).of(question, quick=False)) == ["one", "two"]
    bench.measure(question, Kept(path), quick=False, again=True)
    assert calls[5:] == ["one", "two", "three"]
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "machine": {"processor": "another"}}))
    with pytest.raises(SystemExit, match="another machine"):
        Kept(path)
    assert Kept(path, start_again=True).parts == {}


def test_rows_do_not_depend_on_how_many_are_made():
    few, many = next(rows_in_chunks(500, 5, 3)), next(rows_in_chunks(500, 5, 3))
    np.testing.assert_array_equal(few[0], many[0])
    assert sorted(set(few[1].tolist())) == [0, 1, 2]
    assert [len(y) for _, y in rows_in_chunks(250_000, 2, 2)] == [100_000, 100_000, 50_000]


def test_the_formula_in_numpy_is_the_model():
    X, y = problem(500)
    fitted = model(max_epochs=2, n_init=1).fit(X, y)
    np.testing.assert_allclose(in_numpy(fitted, X, np.float64)(), fitted.predict_proba(X), atol=1e-4)


def test_curves_say_what_was_reached_and_stop_at_the_limit(monkeypatch):
    random = np.random.default_rng(0)
    X = random.standard_normal((400, 3))
    table = training.Data(pd.DataFrame(X[:300]), (X[:300, 0] > 0).astype(int), pd.DataFrame(X[300:]), X[300:, 0] > 0)
    monkeypatch.setattr(training, "data", lambda name, rows: table)
    seconds = iter([1.0, 2.0, 4.0])
    fit = training.timed_fit
    monkeypatch.setattr(training, "timed_fit", lambda *args: (next(seconds), fit(*args)[1]))
    result = training.curve("adult", "random forest", None, limit=7.0)
    assert [point["amount"] for point in result["points"]] == [4, 8, 16]
    assert result["left_out"][0] == 32
    assert training.reached(result) == min(p["seconds"] for p in result["points"] if p["error"] <= 15.25)
    assert training.reached({**result, "data": "ijcnn1", "points": [{"seconds": 1, "error": 2.0}]}) is None
    assert training.tables({"a": result})[0].rows[0][0] == "random forest"
