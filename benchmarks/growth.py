"""How do time and memory grow: with rows, columns, classes, half-spaces?

Every fit has a process of its own, which makes its rows in chunks. Memory is the most that was resident during the fit
beyond what was before the rows were made; times are CPU seconds on one thread.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ldnn import LDNNClassifier

from .harness import Question, Result, Results, Table, apart, exponent, figure, in_turn, memory, say
from .problems import epochs_only, problem

CHUNK = 100_000
MOST = 1.1  # of an exponent: linear, up to what a measurement may err
SMALL: dict[str, Any] = {"rows": 10_000, "features": 10, "classes": 2, "N": 4, "M": 4}
CHANGES: dict[str, tuple[str, list[int], dict[str, Any]]] = {
    "rows": ("rows", [10**3, 10**4, 10**5, 10**6, 10**7], {}),
    "rows, in parts": ("rows", [10**5, 10**6, 10**7], {"in_parts": True}),
    "features": ("features", [10, 32, 100, 320, 1000], {}),
    "classes": ("classes", [3, 6, 12, 24, 48], {}),
    "N x M": ("N", [4, 13, 40, 130, 400], {"epochs": 10}),
}  # fmt: skip


def parts(quick: bool) -> dict[str, Callable[[], Result]]:
    return {
        **{
            name: partial(growth, what, sizes[:2] if quick else sizes, fixed)
            for name, (what, sizes, fixed) in CHANGES.items()
        },
        "epochs alone": partial(epochs_alone, 10 if quick else 1),
        "memory": partial(memory_of_fit, 40_000 if quick else 387_000),
    }


def rows_in_chunks(
    rows: int, features: int, classes: int, seed: int = 0, chunk: int = CHUNK
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows of a problem whose classes lie in turn along a wave through the first two columns."""
    random = np.random.default_rng(seed)
    for start in range(0, rows, chunk):
        X = random.standard_normal((min(chunk, rows - start), features), dtype=np.float32)
        phase = X[:, 0] + np.sin(2 * X[:, 1])
        yield X, np.floor(classes * (0.5 + np.arctan(phase) / np.pi)).clip(0, classes - 1).astype(np.int32)


def one_fit(
    rows: int, features: int, classes: int, N: int, M: int, epochs: int = 2, in_parts: bool = False
) -> dict[str, float]:
    """Seconds, bytes of the rows and most bytes beyond the start, of one fit; called in a process of its own."""
    settings: dict[str, Any] = {
        "bends": None, "n_networks": 1, "loss": "squared", "step_size": 0.1, "max_epochs": epochs,
        "validation_fraction": 0, "n_jobs": 1, "random_state": 0,
    }  # fmt: skip
    model = LDNNClassifier(N, M, **settings)
    for X, y in rows_in_chunks(1000, features, 2):
        LDNNClassifier(2, 2, **settings).fit(X, y)  # compiled code is loaded before memory is looked at
    before = memory("VmRSS")
    if in_parts:
        start = time.process_time()
        making = 0.0
        chunk_start = start
        for X, y in rows_in_chunks(rows, features, classes):
            making += time.process_time() - chunk_start
            model.partial_fit(X, y, classes=np.arange(classes))
            chunk_start = time.process_time()
        seconds = time.process_time() - start - making
    else:
        X_all, y_all = np.empty((rows, features), np.float32), np.empty(rows, np.int32)
        filled = 0
        for X, y in rows_in_chunks(rows, features, classes, chunk=10_000):  # hardly any memory beside all of them
            X_all[filled : filled + len(X)], y_all[filled : filled + len(X)] = X, y
            filled += len(X)
        start = time.process_time()
        model.fit(X_all, y_all)
        seconds = time.process_time() - start
    return {"seconds": seconds, "data": 4.0 * rows * (features + 1), "memory": memory("VmHWM") - before}


def growth(what: str, sizes: list[int], fixed: dict[str, Any]) -> Result:
    """Time and memory for growing sizes, and the exponents: over all sizes, and for time over the last step."""
    name = {"N": "N x M"}.get(what, what) + (", in parts" if fixed.get("in_parts") else "")
    unit = SMALL["M"] if what == "N" else 1  # the size that is told is N x M
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
    """Of three fits of the same sizes: a short one looks half as long again when another process gets in its way."""
    return min((apart(one_fit, **sizes) for _ in range(3)), key=lambda fit: fit["seconds"])


def epochs_alone(shrink: int) -> Result:
    """The exponents of the epochs' time, without reading, clustering and normalising, over a decade of each size."""

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
    """Peak memory of a fit of a large table; the smaller of two, since the first may compile."""
    sizes = {"rows": rows, "features": 54, "classes": 2, "N": 20, "M": 10, "epochs": 1}
    fits = [apart(one_fit, **sizes) for _ in range(2)]
    peak = min(fit["memory"] for fit in fits) / (4 * rows * 54)
    return {
        "figures": [figure(f"peak memory of a fit of {rows:,} x 54 float32 / the array", peak, "times", at_most=2.5)]
    }


def tables(results: Results) -> list[Table]:
    made = []
    for name, result in results.items():
        if points := result.get("points"):
            rows = [
                [f"{p['size']:,}", f"{p['seconds']:.3g}", f"{p['memory'] / 2**20:,.0f}", f"{p['data'] / 2**20:,.1f}"]
                for p in points
            ]
            made.append(Table(f"Growing: {name}", ["size", "CPU seconds", "memory, MiB", "data, MiB"], rows))
    return made


def plot(results: Results) -> Any:
    """Time and memory against each size, with a line that grows as fast as the size."""
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
    panels[0, 0].set_ylabel("CPU seconds of the fit")
    panels[1, 0].set_ylabel("peak memory, MiB")
    return drawing


QUESTION = Question("growth", "How do time and memory grow?", parts, tables, plot)
