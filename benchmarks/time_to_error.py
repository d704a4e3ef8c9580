"""How long does each classifier take to reach the paper's LDNN error?

Each one is fitted for a growing amount of its own work: epochs, trees, or rows. The processor seconds of the fit on one
thread and the test error make a curve. Gradient descent gets a learning rate that was chosen on held-out training rows,
in the same way for all and not counted in the seconds; the others have the settings of `ldnn.peers`. Each point is one
run. The data sets are in the folder that LDNN_DATA names.
"""

from functools import cache, partial
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.utils import resample

from experiments import paper
from experiments.splits import load, take
from experiments.timing import timed_fit

from .harness import Parts, Question, Result, Results, ResultTable, needs_data, say
from .learners import LEARNERS, Learner, Size, TrainTest

SETS = ("adult", "ijcnn1", "cod_rna", "letter", "covtype")
SECONDS = 30.0  # longer fits are left out
ROWS_TO_CHOOSE = 10_000  # at most, when a learning rate is chosen


def size(name: str) -> Size:
    """N x M of the paper's LDNN."""
    N, M, _ = paper.NETWORKS[name]
    return N, M


def goal(name: str) -> float:
    """The mean test error of the paper's LDNN, in percent."""
    return {**paper.TABLE_2, **paper.TABLE_3}[name]["LDNN"].test


@cache
def data(name: str, rows: int | None) -> TrainTest:
    """A data set with its test rows; at most `rows` of each."""
    with needs_data():
        problem = load(name, raw=True)
    train, test = problem.shuffled_splits(1)[0]
    X, y, X_test, y_test = take(problem.X, train), problem.y[train], take(problem.X, test), problem.y[test]
    if rows is not None and len(y) > rows:
        X, y = resample(X, y, n_samples=rows, replace=False, stratify=y, random_state=0)
        X_test, y_test = resample(X_test, y_test, n_samples=rows, replace=False, random_state=0)
    return TrainTest(X, y, X_test, y_test)


def parts(quick: bool) -> Parts:
    rows, seconds = (1500, 0.5) if quick else (None, SECONDS)
    return {f"{name}, {kind}": partial(curve, name, kind, rows, seconds) for name in SETS for kind in LEARNERS}


def curve(name: str, kind: str, rows: int | None, limit: float) -> Result:
    """Processor seconds and test errors of a classifier for growing amounts of work, up to a limit of seconds."""
    table = data(name, rows)
    learner = LEARNERS[kind](size(name), table)
    rate = chosen_rate(learner, table) if learner.rates else None
    order = np.random.default_rng(0).permutation(len(table.y))
    points: list[dict[str, float]] = []
    for amount in learner.amounts:
        if points and _expected_seconds(points[-1], amount, learner) > limit:
            break
        which = np.sort(order[:amount]) if learner.by_rows else slice(None)
        fit = timed_fit(learner.make(amount, rate), table.X.iloc[which], table.y[which])
        error = 100 * float(np.mean(fit.model.predict(table.X_test) != table.y_test))
        points.append({"amount": amount, "seconds": round(fit.cpu, 4), "error": round(error, 3)})
        say(f"{name}, {kind}: {amount} {learner.unit}, {fit.cpu:.2f} s, {error:.2f} %")
    left_out = [amount for amount in learner.amounts if amount > points[-1]["amount"]]
    return {"data": name, "classifier": kind, "unit": learner.unit, "learning_rate": rate, "points": points,
            "limit": limit, "left_out": left_out}  # fmt: skip


def _expected_seconds(last: dict[str, float], amount: int, learner: Learner) -> float:
    return last["seconds"] * (amount / last["amount"]) ** learner.power


def chosen_rate(learner: Learner, table: TrainTest) -> float:
    """The learning rate with the fewest errors on a held-out fifth of the training rows."""
    X, y = table.X, table.y
    if len(y) > ROWS_TO_CHOOSE:
        X, y = resample(X, y, n_samples=ROWS_TO_CHOOSE, replace=False, stratify=y, random_state=1)
    X, X_held_out, y, y_held_out = train_test_split(X, y, test_size=0.2, stratify=y, random_state=2)
    errors = {}
    for rate in learner.rates:
        try:
            fit = timed_fit(learner.make(learner.usual, rate), X, y)
        except ValueError:  # it has diverged
            continue
        errors[rate] = float(np.mean(fit.model.predict(X_held_out) != y_held_out))
    return min(errors, key=lambda rate: errors[rate])


def reached(result: Result) -> float | None:
    """The seconds of the shortest fit that reached the paper's error; None if none did."""
    limit = goal(result["data"])
    return min((point["seconds"] for point in result["points"] if point["error"] <= limit), default=None)


def _by_set(results: Results) -> dict[str, list[Result]]:
    return {
        name: curves for name in SETS if (curves := [result for result in results.values() if result["data"] == name])
    }


def tables(results: Results) -> list[ResultTable]:
    by_set = _by_set(results)
    kinds = list(dict.fromkeys(result["classifier"] for result in results.values()))
    rows = []
    for kind in kinds:
        cells = []
        for curves in by_set.values():
            own = next((result for result in curves if result["classifier"] == kind), None)
            cells.append("" if own is None else _cell(own))
        rows.append([kind, *cells])
    goals = [f"{name} {'x'.join(map(str, size(name)))}, {goal(name):g} %" for name in by_set]
    limit = max(result["limit"] for result in results.values())
    note = f"If the error was not reached, the best error is in brackets. Fits longer than {limit:g} s are left out."
    title = "Processor seconds of the shortest fit that reaches the paper's LDNN error"
    return [ResultTable(title, ["classifier", *goals], rows, (note,))]


def _cell(result: Result) -> str:
    seconds = reached(result)
    if seconds is None:
        return f"({min(point['error'] for point in result['points']):.2f} %)"
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"


def plot(results: Results) -> Any:
    """The curves, one panel per data set."""
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
        _draw_curves(axes, curves, kinds)
        _format_panel(axes, name, [point["error"] for result in curves for point in result["points"]])
    handles = {
        label: handle for axes in panels for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    drawing.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=5, frameon=False)
    return drawing


def _draw_curves(axes: Any, curves: list[Result], kinds: list[str]) -> None:
    for result in curves:
        ours = result["classifier"].startswith("LDNN")
        axes.plot(
            [point["seconds"] for point in result["points"]], [point["error"] for point in result["points"]],
            color=f"C{kinds.index(result['classifier'])}", marker="o", markersize=4 if ours else 2.5,
            linewidth=2.4 if ours else 1.1, label=result["classifier"],
        )  # fmt: skip


def _format_panel(axes: Any, name: str, errors: list[float]) -> None:
    """The goal as a dotted line, and logarithmic axes; the errors of the first trees and epochs may be cut off."""
    limit = goal(name)
    axes.axhline(limit, color="black", linestyle=":", linewidth=1)
    place = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "bottom"}
    axes.annotate(f"paper's LDNN {limit:g} %", (1, limit), fontsize=8, **place)
    worst = float(np.quantile(errors, 0.85))
    axes.set(title=name, xscale="log", yscale="log", xlabel="processor seconds of the fit", ylabel="test error, %")
    axes.set_ylim(0.9 * max(min(*errors, limit), limit / 20), 1.3 * max(worst, limit))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("{x:g}")
    axes.tick_params(axis="y", which="minor", labelsize=7)
    axes.grid(alpha=0.3)


QUESTION = Question("time_to_error", "How long does it take to reach the paper's error?", parts, tables, plot)
