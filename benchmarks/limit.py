"""How far is a step of gradient descent from the least that it can cost?

The least are the two passes of multiply-adds over the weights, forward and update (bare.py). Times are processor
seconds on one thread; what is compared is measured in turn, several times, and the shortest times count.
"""

import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from experiments.timing import in_turn

from .bare import bare_by_loops, bare_by_vectors, bare_with_exponentials
from .harness import Parts, Question, Result, Results, ResultTable, figure, say
from .internals import aligned_zeros, padded
from .synthetic import EPOCHS, FEATURES, LEARNING_RATE, ROWS, M, N, epochs_only, model, problem

GRID_FEATURES = (2, 5, 10, 22, 50, 100, 200, 500, 1000)
GRID_SIZES = ((1, 1), (2, 2), (4, 4), (8, 8), (10, 8), (16, 16), (20, 20), (40, 20), (40, 40))
MOST = 1.6  # times the bare passes
_SECONDS = 0.03  # of one measurement in the grid


def parts(quick: bool) -> Parts:
    features = (2, 50) if quick else GRID_FEATURES
    sizes = ((1, 1), (10, 8)) if quick else GRID_SIZES
    rows = 3000 if quick else ROWS
    return {
        "steps": partial(steps, rows),
        "MLP": partial(against_mlp, rows),
        "threads": partial(threads, rows),
        **{f"grid, {width} features": partial(grid, width, sizes) for width in features},
    }


def bare(X: np.ndarray, size: int, epochs: int) -> dict[str, Callable[[], Any]]:
    """The bare passes, in two ways, and with the exponentials; each for this many epochs."""
    random = np.random.default_rng(0)
    orders = [random.permutation(len(X)).astype(np.int32) for _ in range(epochs)]
    parameters = aligned_zeros((1, X.shape[1] + 1, padded(size)))[0]
    parameters[:] = 1e-3 * random.standard_normal(parameters.shape)

    def passes(function: Callable) -> Callable[[], Any]:
        function(X, orders[0][:10], parameters)  # compiles
        return lambda: [function(X, rows, parameters) for rows in orders]

    return {
        "bare, by vectors": passes(bare_by_vectors),
        "bare, by loops": passes(bare_by_loops),
        "bare, with exponentials": passes(bare_with_exponentials),
    }


def least_of(best: dict[str, float]) -> float:
    """The seconds of the faster way of the bare passes."""
    return min(best["bare, by vectors"], best["bare, by loops"])


def steps(rows: int) -> Result:
    """The epochs of one network against the bare passes, and the whole fit against NumPy."""
    X, y = problem(rows)
    functions = {
        **bare(X, N * M, EPOCHS),
        "epochs": epochs_only(X, y),
        "epochs with momentum": epochs_only(X, y, momentum=0.1),
        "epochs with log loss": epochs_only(X, y, loss="log"),
        "whole fit": lambda: model().fit(X, y),
    }
    best = in_turn(functions, 7)
    least = least_of(best)
    in_numpy = numpy_training(X, y)
    what = f"{EPOCHS} epochs of {rows:,} x {FEATURES}, {N}x{M}"
    return {
        "figures": [
            *(figure(f"{name}, {what}", seconds, "s") for name, seconds in best.items()),
            figure("NumPy, as many steps (measured on 20,000)", in_numpy, "s"),
            figure("epochs / bare passes", best["epochs"] / least, "times", at_most=MOST),
            figure("epochs with momentum / bare passes", best["epochs with momentum"] / least, "times", at_most=2.5),
            figure("NumPy / whole fit", in_numpy / best["whole fit"], "times", at_least=60),
        ]
    }


def numpy_training(X: np.ndarray, y: np.ndarray, count: int = 20_000) -> float:
    """Seconds for all steps of the same fit, one row at a time in plain NumPy (float32, matrix products by BLAS)."""
    random = np.random.default_rng(0)
    w = random.standard_normal((N, M, FEATURES)).astype(np.float32) / np.float32(FEATURES**0.5)
    b = np.zeros((N, M), np.float32)
    start = time.process_time()
    for r in random.integers(len(X), size=count):
        x = X[r]
        sigma = 1 / (1 + np.exp(-(w @ x + b)))
        g = sigma.prod(axis=1)
        h = 1 - g
        before = np.concatenate([[1], np.cumprod(h[:-1])])
        after = np.concatenate([np.cumprod(h[:0:-1])[::-1], [1]])
        f = 1 - h.prod()
        delta = (LEARNING_RATE * 2 * (f - y[r]) * before * after * g).astype(np.float32)[:, None] * (1 - sigma)
        w -= delta[:, :, None] * x
        b -= delta
    return (time.process_time() - start) * len(X) * EPOCHS / count


def against_mlp(rows: int) -> Result:
    """As many sigmoid units and epochs; the MLP with its own Adam and mini-batches. 70 % of the rows train."""
    X, y = problem(rows * 10 // 7)
    mlp = MLPClassifier(N * M, activation="logistic", max_iter=EPOCHS, n_iter_no_change=EPOCHS, random_state=0)
    ldnn = model()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # 20 epochs are intended
        best = in_turn(
            {"mlp": lambda: mlp.fit(X[:rows], y[:rows]), "ldnn": lambda: ldnn.fit(X[:rows], y[:rows])}, repeats=3
        )
    errors = {name: 100 * (1 - m.score(X[rows:], y[rows:])) for name, m in (("MLP", mlp), ("LDNN", ldnn))}
    what = f"{N * M} units, {EPOCHS} epochs"
    return {
        "figures": [
            figure(f"MLPClassifier / whole fit, {what}", best["mlp"] / best["ldnn"], "times", at_least=1),
            figure("MLPClassifier, test error", errors["MLP"], "%"),
            figure("LDNN, test error", errors["LDNN"], "%", at_most=round(errors["MLP"], 3)),
        ]
    }


def threads(rows: int) -> Result:
    """Ten classes: ten networks, on one thread and on two (wall time)."""
    X, y = problem(rows * 4 // 7, classes=10)

    def fit_on(n_jobs: int) -> Callable[[], Any]:
        return lambda: model(n_jobs=n_jobs).fit(X, y)

    best = in_turn({"1": fit_on(1), "2": fit_on(2)}, 5, clock=time.perf_counter)
    return {
        "figures": [
            figure(f"10 classes, {len(X):,} x {FEATURES}, one thread, wall time", best["1"], "s"),
            figure("10 classes, one thread / two threads, wall time", best["1"] / best["2"], "times", at_least=1.7),
        ]
    }


def grid(features: int, sizes: tuple[tuple[int, int], ...]) -> Result:
    """Nanoseconds of a step and of its bare passes, for networks of several sizes with this many features."""
    cells = []
    for conjunctions, discriminants in sizes:
        size = conjunctions * discriminants
        # Small networks have short steps: more rows make the other costs of an epoch negligible.
        rows = int(np.clip(4e7 / (features * size), 2000, 50_000))
        X, y = problem(rows, features)
        sizes_of_network = {"n_conjunctions": conjunctions, "n_discriminants": discriminants, "n_init": 1}
        epochs = int(np.ceil(_SECONDS / least_of(in_turn(bare(X, size, 1), 2))))
        best = in_turn({**bare(X, size, epochs), "epochs": epochs_only(X, y, epochs, **sizes_of_network)}, 5)
        least = least_of(best)
        count = 1e-9 * rows * epochs
        cells.append({
            "conjunctions": conjunctions, "discriminants": discriminants, "features": features,
            "step_ns": round(best["epochs"] / count, 1), "bare_ns": round(least / count, 1),
            "with_exponentials_ns": round(best["bare, with exponentials"] / count, 1),
        })  # fmt: skip
        say(f"{features} features, {conjunctions}x{discriminants}: {best['epochs'] / least:.2f} times the bare passes")
    return {"cells": cells}


def _cells(results: Results) -> list[dict[str, Any]]:
    return [cell for result in results.values() for cell in result.get("cells", [])]


def tables(results: Results) -> list[ResultTable]:
    cells = _cells(results)
    if not cells:
        return []
    above = sum(c["step_ns"] / c["bare_ns"] > MOST for c in cells)
    note = (
        f"{len(cells) - above} of {len(cells)} are at most {MOST}. Rows are numbers of features, columns N x M. With "
        "few features, a step consists mostly of exponentials (next table), sums over lanes, divisions and the error "
        "instead of multiply-adds. Each depends on the one before, and the next step on all of them."
    )
    return [
        _grid_table("A step of gradient descent / its bare multiply-adds", cells, "step_ns", note),
        _grid_table(
            "The bare multiply-adds and an exponential for each discriminant / the bare multiply-adds", cells,
            "with_exponentials_ns", "No step can do without these: if this is above 1.6, so is every step.",
        ),
    ]  # fmt: skip


def _grid_table(title: str, cells: list[dict[str, Any]], field: str, note: str) -> ResultTable:
    """A field of the cells, relative to the bare passes."""
    sizes = list(dict.fromkeys((c["conjunctions"], c["discriminants"]) for c in cells))
    ratios = {(c["features"], c["conjunctions"], c["discriminants"]): c[field] / c["bare_ns"] for c in cells}
    rows = [
        [str(features), *(f"{ratios[features, *size]:.2f}" if (features, *size) in ratios else "" for size in sizes)]
        for features in dict.fromkeys(c["features"] for c in cells)
    ]
    return ResultTable(title, ["features", *(f"{n}x{m}" for n, m in sizes)], rows, (note,))


def plot(results: Results) -> Any:
    """The ratios over features and N x M, as a map."""
    from matplotlib.colors import TwoSlopeNorm
    from matplotlib.figure import Figure

    cells = _cells(results)
    if not cells:
        return None
    features = list(dict.fromkeys(c["features"] for c in cells))
    sizes = list(dict.fromkeys((c["conjunctions"], c["discriminants"]) for c in cells))
    ratios = np.full((len(features), len(sizes)), np.nan)
    for c in cells:
        place = features.index(c["features"]), sizes.index((c["conjunctions"], c["discriminants"]))
        ratios[place] = c["step_ns"] / c["bare_ns"]
    drawing = Figure(figsize=(1.5 + 0.75 * len(sizes), 1.5 + 0.5 * len(features)), layout="constrained")
    axes = drawing.add_subplot()
    shown = axes.imshow(np.log(ratios), cmap="RdYlGn_r", norm=TwoSlopeNorm(np.log(MOST), 0, np.log(6)), aspect="auto")
    for (row, column), ratio in np.ndenumerate(ratios):
        if not np.isnan(ratio):
            axes.text(column, row, f"{ratio:.2f}", ha="center", va="center", fontsize=9)
    axes.set_xticks(range(len(sizes)), [f"{n}x{m}" for n, m in sizes])
    axes.set_yticks(range(len(features)), [str(width) for width in features])
    axes.set(xlabel="N x M", ylabel="features", title="A step of gradient descent / its bare multiply-adds")
    bar = drawing.colorbar(shown, ticks=np.log([1, MOST, 3, 6]))
    bar.ax.set_yticklabels(["1", f"{MOST:g}", "3", "6"])
    return drawing


QUESTION = Question(
    "limit", "How far is a step from the least that it can cost?", parts, tables, plot, retired=("mini-batches",)
)
