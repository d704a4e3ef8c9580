"""How long does each classifier learn until it reaches the paper's LDNN error?

Each one is fitted afresh for a growing amount of its own work: epochs, trees, or rows. CPU seconds of the fit, on one
thread, and the test error make a curve. What learns by gradient steps gets a step size that was chosen on held-out
training rows, the same way for all of them and not counted in the seconds; the others have the settings of
`ldnn.peers`. Each point is one run. Data sets are those of defaults.py, where LDNN_DATA names their folder.
"""

import os
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import train_test_split
from sklearn.utils import resample

from ldnn import LDNNClassifier
from ldnn.peers import peers

from .defaults import splits
from .harness import AbsentError, Question, Result, Results, Table, say

# N x M and the mean test error of the paper's LDNN, in percent.
SETS: dict[str, tuple[tuple[int, int], float]] = {
    "adult": ((7, 4), 15.25),
    "ijcnn1": ((10, 8), 1.28),
    "cod_rna": ((8, 8), 3.36),
    "letter": ((20, 20), 2.32),
    "covtype": ((20, 10), 8.87),
}
SECONDS = 30.0  # a point that would take longer is left out
ROWS_TO_CHOOSE = 10_000  # at most, when a step size is chosen
RIVAL = "disjunctive-nn"


@dataclass(frozen=True)
class Learner:
    """A classifier whose work can grow.

    make: a fresh classifier for an amount of work and one of `steps` (None: it has no step size). power: how its
    seconds grow with the amount. usual: the amount with which steps are compared. by_rows: the amount is a number of
    training rows.
    """

    unit: str
    amounts: tuple[int, ...]
    make: Callable[[int, float | None], Any]
    steps: tuple[float, ...] = ()
    usual: int = 10
    power: float = 1.0
    by_rows: bool = False


@dataclass(frozen=True)
class Data:
    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray


@cache
def data(name: str, rows: int | None) -> Data:
    """A data set with its test rows; at most so many of each."""
    try:
        _, X, y, X_test, y_test = next(splits(name))
    except FileNotFoundError as error:
        raise AbsentError(str(error)) from None
    if rows is not None and len(y) > rows:
        X, y = resample(X, y, n_samples=rows, replace=False, stratify=y, random_state=0)
        X_test, y_test = resample(X_test, y_test, n_samples=rows, replace=False, random_state=0)
    return Data(X, y, X_test, y_test)


class Rival(ClassifierMixin, BaseEstimator):
    """`disjunctive-nn` with its epochs and step size as parameters of the constructor."""

    def __init__(self, N: int, M: int, epochs: int, step: float):
        self.N = N
        self.M = M
        self.epochs = epochs
        self.step = step

    def fit(self, X: Any, y: Any) -> "Rival":
        import torch
        from disjunctive_nn import DisjunctiveNormalNetwork

        torch.set_num_threads(1)
        torch.manual_seed(0)
        self.classes_ = np.unique(y)
        network = DisjunctiveNormalNetwork(self.N, self.M)
        self.network_ = network.fit(X, y, epochs=self.epochs, lr=self.step)
        return self

    def predict(self, X: Any) -> np.ndarray:
        return self.network_.predict(X)


def learners(name: str, rows: int | None) -> dict[str, Callable[[], Learner]]:
    """Who learns, by name; made only when needed, since a table is needed to make most of them."""
    (N, M), _ = SETS[name]
    doubling = tuple(2**k for k in range(12))
    fixed: dict[str, Any] = {
        "loss": "squared",
        "n_networks": 1,
        "validation_fraction": 0,
        "n_jobs": 1,
        "random_state": 0,
    }
    ldnn_steps = (0.03, 0.1, 0.3, 1.0)

    def ldnn(**how: Any) -> Learner:
        def make(epochs: int, step: float | None) -> Any:
            return LDNNClassifier(N, M, max_epochs=epochs, step_size=step or "auto", **how, **fixed)

        return Learner("epochs", doubling[:9], make, ldnn_steps)

    def peer(kind: str) -> tuple[Any, str]:
        """A fresh classifier of `ldnn.peers`, and the name of its last step."""
        makers = peers(data(name, rows).X)
        if kind not in makers:
            raise AbsentError(f"{kind} is not installed: pip install 'ldnn[peers]'.")
        pipeline = makers[kind]()
        return pipeline, pipeline.steps[-1][0]

    def mlp(**settings: Any) -> Learner:
        def make(epochs: int, step: float | None) -> Any:
            pipeline, last = peer("MLP")
            parameters = {
                "hidden_layer_sizes": (N * M,), "activation": "logistic", "max_iter": epochs,
                "n_iter_no_change": epochs, "learning_rate_init": step, **settings,
            }  # fmt: skip
            return pipeline.set_params(**{f"{last}__{key}": value for key, value in parameters.items()})

        usual = 2 if settings.get("batch_size") == 1 else 10
        return Learner("epochs", doubling[:9], make, (0.001, 0.01, 0.1), usual)

    def trees(kind: str, parameter: str, threads: str | None = "n_jobs") -> Learner:
        def make(count: int, step: float | None) -> Any:
            pipeline, last = peer(kind)
            parameters = {parameter: count, **({threads: 1} if threads else {})}
            if kind == "HistGradientBoosting":
                parameters["early_stopping"] = False
            return pipeline.set_params(**{f"{last}__{key}": value for key, value in parameters.items()})

        return Learner("trees", doubling[2:11], make)

    def svm() -> Learner:
        count = len(data(name, rows).y)
        amounts = tuple(500 * 2**k for k in range(11) if 500 * 2**k < count)
        return Learner("rows", (*amounts, count), lambda _, __: peer("SVM")[0], power=2.0, by_rows=True)

    def rival() -> Learner:
        import_rival()
        if len(np.unique(data(name, rows).y)) > 2:
            raise AbsentError(f"{RIVAL} knows two classes only.")

        def make(epochs: int, step: float | None) -> Any:
            pipeline, last = peer("MLP")
            return pipeline.set_params(**{last: Rival(N, M, epochs, 0.01 if step is None else step)})

        return Learner("epochs", tuple(10 * 2**k for k in range(9)), make, (0.01, 0.03, 0.1), usual=160)

    return {
        "LDNN, straight": lambda: ldnn(bends=None, review_every=1),  # as in the paper
        "LDNN, bends": lambda: ldnn(bends="mixed", review_every=8),  # as the package would have it
        "MLP, SGD one by one": lambda: mlp(solver="sgd", batch_size=1),
        "MLP, Adam": lambda: mlp(solver="adam"),
        "SVC": svm,
        "random forest": lambda: trees("random forest", "n_estimators"),
        "HistGradientBoosting": lambda: trees("HistGradientBoosting", "max_iter", None),
        "LightGBM": lambda: trees("LightGBM", "n_estimators"),
        "XGBoost": lambda: trees("XGBoost", "n_estimators"),
        RIVAL: rival,
    }


def import_rival() -> None:
    """`make bench` puts it into a folder of its own, which LDNN_RIVALS names: today's pip refuses its metadata."""
    folder = os.environ.get("LDNN_RIVALS", "")
    if folder and Path(folder).is_dir() and folder not in sys.path:
        sys.path.append(folder)
    try:
        import disjunctive_nn  # noqa: F401
    except ImportError as error:
        raise AbsentError(f"{RIVAL} cannot be imported ({error}): `make bench` installs it.") from None


def parts(quick: bool) -> dict[str, Callable[[], Result]]:
    rows, seconds = (1500, 0.5) if quick else (None, SECONDS)
    return {
        f"{name}, {kind}": partial(curve, name, kind, rows, seconds) for name in SETS for kind in learners(name, rows)
    }


def curve(name: str, kind: str, rows: int | None, limit: float) -> Result:
    """CPU seconds and test errors of a classifier for growing amounts of work, none longer than the limit."""
    learner = learners(name, rows)[kind]()
    table = data(name, rows)
    step = chosen_step(learner, table) if learner.steps else None
    order = np.random.default_rng(0).permutation(len(table.y))
    points: list[dict[str, float]] = []
    for amount in learner.amounts:
        if points:
            expected = points[-1]["seconds"] * (amount / points[-1]["amount"]) ** learner.power
            if expected > limit:
                break
        which = np.sort(order[:amount]) if learner.by_rows else slice(None)
        X = table.X.iloc[which]
        seconds, fitted = timed_fit(learner.make(amount, step), X, table.y[which])
        error = 100 * float(np.mean(fitted.predict(table.X_test) != table.y_test))
        points.append({"amount": amount, "seconds": round(seconds, 4), "error": round(error, 3)})
        say(f"{name}, {kind}: {amount} {learner.unit}, {seconds:.2f} s, {error:.2f} %")
    left_out = [amount for amount in learner.amounts if amount > points[-1]["amount"]]
    return {"data": name, "classifier": kind, "unit": learner.unit, "step": step, "points": points,
            "limit": limit, "left_out": left_out}  # fmt: skip


def timed_fit(model: Any, X: Any, y: np.ndarray) -> tuple[float, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of epochs that are too few: they are what is asked for
        start = time.process_time()
        model.fit(X, y)
        return time.process_time() - start, model


def chosen_step(learner: Learner, table: Data) -> float:
    """The step size with the fewest errors on a held-out fifth of (at most so many) training rows."""
    X, y = table.X, table.y
    if len(y) > ROWS_TO_CHOOSE:
        X, y = resample(X, y, n_samples=ROWS_TO_CHOOSE, replace=False, stratify=y, random_state=1)
    X, X_held_out, y, y_held_out = train_test_split(X, y, test_size=0.2, stratify=y, random_state=2)
    errors = {}
    for step in learner.steps:
        try:
            _, fitted = timed_fit(learner.make(learner.usual, step), X, y)
        except ValueError:  # it has diverged
            continue
        errors[step] = float(np.mean(fitted.predict(X_held_out) != y_held_out))
    return min(errors, key=lambda step: errors[step])


def reached(result: Result) -> float | None:
    """The least seconds within which the paper's error was reached; None if it was not."""
    _, goal = SETS[result["data"]]
    return min((point["seconds"] for point in result["points"] if point["error"] <= goal), default=None)


def _by_set(results: Results) -> dict[str, list[Result]]:
    return {
        name: curves for name in SETS if (curves := [result for result in results.values() if result["data"] == name])
    }


def tables(results: Results) -> list[Table]:
    by_set = _by_set(results)
    kinds = list(dict.fromkeys(result["classifier"] for result in results.values()))
    rows = []
    for kind in kinds:
        cells = []
        for curves in by_set.values():
            own = next((result for result in curves if result["classifier"] == kind), None)
            cells.append("" if own is None else _cell(own))
        rows.append([kind, *cells])
    goals = [f"{name} {SETS[name][0][0]}x{SETS[name][0][1]}, {SETS[name][1]:g} %" for name in by_set]
    limit = max(result["limit"] for result in results.values())
    note = f"Not reached: the best error, in brackets. Fits that would take longer than {limit:g} s are left out."
    title = "CPU seconds of the shortest fit that reaches the paper's LDNN error"
    return [Table(title, ["classifier", *goals], rows, (note,))]


def _cell(result: Result) -> str:
    seconds = reached(result)
    if seconds is None:
        return f"({min(point['error'] for point in result['points']):.2f} %)"
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"


def plot(results: Results) -> Any:
    """The curves, one panel for each data set."""
    from matplotlib.figure import Figure

    by_set = _by_set(results)
    kinds = list(dict.fromkeys(result["classifier"] for result in results.values()))
    columns = min(3, len(by_set))
    lines = -(-len(by_set) // columns)
    drawing = Figure(figsize=(4.6 * columns, 3.8 * lines + 0.9), layout="constrained")
    panels = np.ravel(drawing.subplots(lines, columns, squeeze=False))
    for axes in panels[len(by_set) :]:
        axes.set_visible(False)
    for axes, (name, curves) in zip(panels, by_set.items(), strict=False):
        goal = SETS[name][1]
        for result in curves:
            number = kinds.index(result["classifier"])
            ours = result["classifier"].startswith("LDNN")
            axes.plot(
                [point["seconds"] for point in result["points"]], [point["error"] for point in result["points"]],
                color=f"C{number}", marker="o", markersize=4 if ours else 2.5, linewidth=2.4 if ours else 1.1,
                label=result["classifier"],
            )  # fmt: skip
        axes.axhline(goal, color="black", linestyle=":", linewidth=1)
        place = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "bottom"}
        axes.annotate(f"paper's LDNN {goal:g} %", (1, goal), fontsize=8, **place)
        errors = [point["error"] for result in curves for point in result["points"]]
        worst = float(np.quantile(errors, 0.85))  # first trees and epochs may be cut off
        axes.set(title=name, xscale="log", yscale="log", xlabel="CPU seconds of the fit", ylabel="test error, %")
        axes.set_ylim(0.9 * max(min(*errors, goal), goal / 20), 1.3 * max(worst, goal))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter("")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter("{x:g}")
        axes.tick_params(axis="y", which="minor", labelsize=7)
        axes.grid(alpha=0.3)
    handles = {
        label: handle for axes in panels for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    drawing.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=5, frameon=False)
    return drawing


QUESTION = Question("training", "How long does learning take to the paper's error?", parts, tables, plot)
