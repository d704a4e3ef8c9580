"""How fast are predictions of many rows, and of one?

Beside the bare formula in NumPy, and beside other classifiers, all fitted to the same rows: 10x8 half-spaces on 22
columns. Each classifier has its own process, with one thread and with two.
"""

import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from experiments.timing import in_turn, latency
from ldnn import LDNNClassifier

from .harness import AbsentError, Parts, Question, Result, Results, ResultTable, figure
from .processes import apart
from .rivals import rivals
from .synthetic import M, N, in_numpy, model, problem

MOST = 5.0  # times NumPy, for one row
PIECEWISE: dict[str, Any] = {"discriminant": "piecewise", "learning_rate": 0.05, "max_epochs": 2}
PEERS = ("LDNN", "MLP", "SVM", "random forest", "HistGradientBoosting", "LightGBM", "XGBoost")


def parts(quick: bool) -> Parts:
    rows = 2000 if quick else 35_000
    return {
        "many rows": partial(many_rows, rows),
        "one row": partial(one_row, rows),
        **{
            f"{name}, {threads} thread{'s' * (threads > 1)}": partial(peer, name, threads, rows)
            for name in (f"LDNN {N}x{M}", *PEERS)
            for threads in (1, 2)
        },
    }


def many_rows(rows: int) -> Result:
    """predict_proba against the same formula in NumPy, in both precisions."""
    X, y = problem(rows)
    fitted = model().fit(X, y)
    np.testing.assert_allclose(in_numpy(fitted, X, np.float64)(), fitted.predict_proba(X), atol=1e-4)
    best = in_turn(
        {
            "ldnn": lambda: fitted.predict_proba(X),
            "float32": in_numpy(fitted, X, np.float32),
            "float64": in_numpy(fitted, X, np.float64),
        },
        15,
    )
    ratio = best["float64"] / best["ldnn"]
    return {
        "figures": [
            figure("predict_proba, million rows per second", rows / best["ldnn"] / 1e6, "M/s"),
            figure("predict_proba / NumPy in float64, rows per second", ratio, "times", at_least=8),
            figure("predict_proba / NumPy in float32, rows per second", best["float32"] / best["ldnn"], "times"),
        ]
    }


def one_row(rows: int) -> Result:
    """predict_proba of a single row: a linear network beside the formula in NumPy, then piecewise-linear ones."""
    X, y = problem(rows)
    row = np.ascontiguousarray(X[:1])
    linear = model().fit(X, y)
    functions: dict[str, Callable[[], Any]] = {
        "NumPy": in_numpy(linear, row, np.float32),
        "linear": partial(linear.predict_proba, row),
        "linear, all cores allowed": partial(linear.set_params(n_jobs=-1).predict_proba, row),
        "piecewise": partial(model(**PIECEWISE).fit(X, y).predict_proba, row),
        "piecewise, 4 members": partial(model(**PIECEWISE, n_estimators=4).fit(X, y).predict_proba, row),
    }
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(5):
        for name, function in functions.items():
            times[name].append(latency(function, 0.2))
    best = {name: min(values) for name, values in times.items()}
    bounds: dict[str, dict[str, float]] = {
        "linear": {"at_most": MOST}, "linear, all cores allowed": {"at_most": MOST}
    }  # fmt: skip
    return {
        "figures": [
            *(figure(f"one row, {name}", 1e6 * seconds, "µs") for name, seconds in best.items()),
            *(
                figure(f"one row, {name} / NumPy", seconds / best["NumPy"], "times", **bounds.get(name, {}))
                for name, seconds in best.items()
                if name != "NumPy"
            ),
        ]
    }


def peer(name: str, threads: int, rows: int) -> Result:
    return apart(of_classifier, threads=threads, name=name, n_jobs=threads, rows=rows)


def of_classifier(name: str, n_jobs: int, rows: int) -> Result:
    """Rows per second, and the latency of one row, of one classifier; called in its own process."""
    X, y = problem(rows)
    fitted = _classifier(name, X, n_jobs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted.fit(X, y)
    predict = getattr(fitted, "predict_proba", fitted.predict)
    row = np.ascontiguousarray(X[:1])
    predict(X[:1000])
    many = min(in_turn({name: lambda: predict(X)}, 5, clock=time.perf_counter).values())
    return {
        "classifier": name,
        "threads": n_jobs,
        "rows_per_second": rows / many,
        "row_seconds": latency(lambda: predict(row)),
    }


def _classifier(name: str, X: np.ndarray, n_jobs: int) -> Any:
    """A classifier for a matrix of standardised numbers, with this many threads if it has the parameter."""
    if name == f"LDNN {N}x{M}":
        return model(n_jobs=n_jobs)
    makers = rivals(X)
    if name not in makers:
        raise AbsentError(f"{name} is not installed: pip install 'ldnn[peers]'.")
    made = makers[name]()
    if isinstance(made, LDNNClassifier):
        return made.set_params(n_jobs=n_jobs)
    made = made.steps[-1][1]  # without the steps that read categories
    return made.set_params(n_jobs=n_jobs) if "n_jobs" in made.get_params() else made


def tables(results: Results) -> list[ResultTable]:
    measured = [result for result in results.values() if "classifier" in result]
    rows = []
    for name in dict.fromkeys(result["classifier"] for result in measured):
        of = {result["threads"]: result for result in measured if result["classifier"] == name}
        rows.append(
            [name, *(f"{of[t]['rows_per_second']:,.0f}" if t in of else "" for t in (1, 2)),
             *(f"{1e6 * of[t]['row_seconds']:,.0f}" if t in of else "" for t in (1, 2))]
        )  # fmt: skip
    if not rows:
        return []
    columns = ["classifier", "rows per second, one thread", "two threads", "µs for one row, one thread", "two threads"]
    note = (
        "predict_proba, wall time; predict for SVM, which has no predict_proba by default. LDNN has default settings."
    )
    return [ResultTable("Predictions beside other classifiers", columns, rows, (note,))]


QUESTION = Question("prediction_speed", "How fast are predictions?", parts, tables)
