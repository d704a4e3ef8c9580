"""How do time and memory grow with rows, columns, classes and half-spaces?

Every fit has its own process, which generates the rows in chunks. Memory is the peak of the resident memory during the
fit, minus the resident memory before the rows were generated; times are processor seconds on one thread.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from experiments.plain_network import PLAIN
from experiments.timing import exponent, in_turn
from ldnn import LDNNClassifier

from .harness import Parts, Question, Result, Results, ResultTable, figure, say
from .processes import apart, memory
from .synthetic import ONE_THREAD, epochs_only, problem, rows_in_chunks

MOST = 1.1  # for an exponent: linear, with a margin for the error of measurement
SMALL: dict[str, Any] = {"rows": 10_000, "features": 10, "classes": 2, "N": 4, "M": 4}
CHANGES: dict[str, tuple[str, list[int], dict[str, Any]]] = {
    "rows": ("rows", [10**3, 10**4, 10**5, 10**6, 10**7], {}),
    "rows, in parts": ("rows", [10**5, 10**6, 10**7], {"in_parts": True}),
    "features": ("features", [10, 32, 100, 320, 1000], {}),
    "classes": ("classes", [3, 6, 12, 24, 48], {}),
    "N x M": ("N", [4, 13, 40, 130, 400], {"epochs": 10}),
}  # fmt: skip


def parts(quick: bool) -> Parts:
    return {
        **{
            name: partial(growth, what, sizes[:2] if quick else sizes, fixed)
            for name, (what, sizes, fixed) in CHANGES.items()
        },
        "epochs alone": partial(epochs_alone, 10 if quick else 1),
        "memory": partial(memory_of_fit, 40_000 if quick else 387_000),
    }


def one_fit(
    rows: int, features: int, classes: int, N: int, M: int, epochs: int = 2, in_parts: bool = False
) -> dict[str, float]:
    """Seconds of one fit, bytes of its rows, and peak of bytes since the start; called in its own process."""
    settings: dict[str, Any] = {**PLAIN, **ONE_THREAD, "learning_rate": 0.1, "max_epochs": epochs}
    model = LDNNClassifier(N, M, **settings)
    for X, y in rows_in_chunks(1000, features, 2):
        LDNNClassifier(2, 2, **settings).fit(X, y)  # compiled code is loaded before memory is measured
    before = memory("VmRSS")
    fit = _fit_in_parts if in_parts else _fit_at_once
    seconds = fit(model, rows, features, classes)
    return {"seconds": seconds, "data": 4.0 * rows * (features + 1), "memory": memory("VmHWM") - before}


def _fit_in_parts(model: LDNNClassifier, rows: int, features: int, classes: int) -> float:
    """Processor seconds of `partial_fit`, without those of generating the rows."""
    seconds = 0.0
    for X, y in rows_in_chunks(rows, features, classes):
        start = time.process_time()
        model.partial_fit(X, y, classes=np.arange(classes))
        seconds += time.process_time() - start
    return seconds


def _fit_at_once(model: LDNNClassifier, rows: int, features: int, classes: int) -> float:
    """Processor seconds of `fit`, without those of generating the rows."""
    X_all, y_all = np.empty((rows, features), np.float32), np.empty(rows, np.int32)
    filled = 0
    for X, y in rows_in_chunks(rows, features, classes, chunk=10_000):  # small chunks take hardly any memory
        X_all[filled : filled + len(X)], y_all[filled : filled + len(X)] = X, y
        filled += len(X)
    start = time.process_time()
    model.fit(X_all, y_all)
    return time.process_time() - start


def growth(what: str, sizes: list[int], fixed: dict[str, Any]) -> Result:
    """Time and memory for growing sizes, and the exponents of time: over all sizes, and from the last but one."""
    name = {"N": "N x M"}.get(what, what) + (", in parts" if fixed.get("in_parts") else "")
    unit = SMALL["M"] if what == "N" else 1  # the reported size is N x M
    points = []
    for size in sizes:
        points.append({"size": unit * size, **_fastest(**{**SMALL, **fixed, what: size})})
        say(f"{name} {unit * size:,}: {points[-1]['seconds']:.2f} s, {points[-1]['memory'] / 2**20:.0f} MiB")
    sizes = [point["size"] for point in points]
    seconds = [point["seconds"] for point in points]
    last, before = points[-1], points[-2]
    last_exponent = exponent([before["size"], last["size"]], [before["seconds"], last["seconds"]])
    figures = [
        figure(f"{name}: exponent of time, {sizes[0]:,} to {sizes[-1]:,}", exponent(sizes, seconds), "", at_most=MOST),
        figure(f"{name}: exponent of time, from {sizes[-2]:,}", last_exponent, "", at_most=MOST),
    ]
    if fixed.get("in_parts"):
        flat = last["memory"] - points[0]["memory"]
        figures.append(figure(f"{name}: memory of the largest beyond the smallest", flat / 2**20, "MiB"))
    else:
        figures.append(figure(f"{name}: peak memory of the largest / its data", last["memory"] / last["data"], "times"))
    return {"points": points, "figures": figures}


def _fastest(**sizes: Any) -> dict[str, Any]:
    """The fastest of three fits: another process can make a short one half as long again."""
    return min((apart(one_fit, **sizes) for _ in range(3)), key=lambda fit: fit["seconds"])


def epochs_alone(shrink: int) -> Result:
    """The exponents of the time of the epochs, without reading, clustering and normalising, over a decade of sizes."""

    def of(name: str, sizes: list[int], make: Callable[[int], Callable[[], Any]]) -> dict[str, Any]:
        best = in_turn({str(size): make(size) for size in sizes}, 3)
        slope = exponent(sizes, [best[str(size)] for size in sizes])
        return figure(f"epochs alone: exponent in {name}, {sizes[0]:,} to {sizes[-1]:,}", slope, "", at_most=MOST)

    data = {rows: problem(rows) for rows in (10_000 // shrink, 30_000 // shrink, 100_000 // shrink)}
    wide = {features: problem(10_000 // shrink, features) for features in (50, 160, 500)}
    X, y = next(iter(data.values()))
    return {
        "figures": [
            of("rows", list(data), lambda rows: epochs_only(*data[rows])),
            of("N x M", [80, 240, 800], lambda size: epochs_only(X, y, n_conjunctions=size // 8, n_discriminants=8)),
            of("features", list(wide), lambda features: epochs_only(*wide[features])),
        ]
    }


def memory_of_fit(rows: int) -> Result:
    """Peak memory of a fit of a large table; the lower of two, since the first may compile."""
    sizes = {"rows": rows, "features": 54, "classes": 2, "N": 20, "M": 10, "epochs": 1}
    fits = [apart(one_fit, **sizes) for _ in range(2)]
    peak = min(fit["memory"] for fit in fits) / (4 * rows * 54)
    return {
        "figures": [figure(f"peak memory of a fit of {rows:,} x 54 float32 / the array", peak, "times", at_most=2.5)]
    }


def tables(results: Results) -> list[ResultTable]:
    made = []
    for name, result in results.items():
        if points := result.get("points"):
            rows = [
                [f"{p['size']:,}", f"{p['seconds']:.3g}", f"{p['memory'] / 2**20:,.0f}", f"{p['data'] / 2**20:,.1f}"]
                for p in points
            ]
            made.append(
                ResultTable(f"Growing: {name}", ["size", "processor seconds", "memory, MiB", "data, MiB"], rows)
            )
    return made


def plot(results: Results) -> Any:
    """Time and memory against each size, with a line that grows linearly."""
    from matplotlib.figure import Figure

    grown = {name: result["points"] for name, result in results.items() if "points" in result}
    if not grown:
        return None
    drawing = Figure(figsize=(3.2 * len(grown), 6), layout="constrained")
    panels = drawing.subplots(2, len(grown), squeeze=False)
    for column, (name, points) in enumerate(grown.items()):
        sizes = np.array([point["size"] for point in points], dtype=float)
        for axes, kind, unit in ((panels[0, column], "seconds", 1.0), (panels[1, column], "memory", 2.0**20)):
            values = np.array([point[kind] for point in points]) / unit
            axes.plot(sizes, values, marker="o")
            axes.plot(sizes, values[-1] * sizes / sizes[-1], linestyle=":", color="gray", label="linear")
            if kind == "memory":
                axes.plot(sizes, [point["data"] / unit for point in points], color="C1", label="the data itself")
            axes.set(xscale="log", yscale="log", xlabel=name)
            axes.grid(alpha=0.3)
            axes.legend(frameon=False, fontsize=8)
    panels[0, 0].set_ylabel("processor seconds of the fit")
    panels[1, 0].set_ylabel("peak memory, MiB")
    return drawing


QUESTION = Question("growth", "How do time and memory grow?", parts, tables, plot)
