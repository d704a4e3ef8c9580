"""What do restarts of k-means cost, and how much do they gain? 1, 3 and the paper's 50 starts.

Cost: processor seconds of the initialisation, beside those of the 20 epochs after it. Worth: test errors of whole fits,
over several seeds. In "all", every one of 50 starts runs to its end; in "race", only the best after two iterations do,
as in the package.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from experiments.timing import in_turn

from .harness import Parts, Question, Result, Results, ResultTable, figure, say
from .internals import FINALISTS, clustering_only, finalists
from .synthetic import EPOCHS, epochs_only, model, problem
from .time_to_error import data, size

# rows, features, classes, N, M
SHAPES = [
    (1000, 10, 2, 5, 5),
    (1000, 16, 10, 5, 5),
    (35_000, 22, 2, 10, 8),
    (20_000, 22, 10, 10, 8),
    (16_000, 16, 26, 20, 20),
    (200_000, 54, 2, 20, 10),
]
STARTS = {"1": (1, FINALISTS), "3": (3, FINALISTS), "50, race": (50, FINALISTS), "50, all": (50, 50)}
WORTH = {"adult": 0.03, "ijcnn1": 0.3, "letter": 0.3}  # data sets of time_to_error.py, and their learning rates


def parts(quick: bool) -> Parts:
    shapes = SHAPES[:2] if quick else SHAPES
    rows, seeds = (1000, 2) if quick else (None, 10)
    return {
        **{f"cost, {shape[0]:,} rows, {shape[2]} classes": partial(cost, *shape) for shape in shapes},
        **{f"worth, {name}": partial(worth, name, rate, rows, seeds) for name, rate in WORTH.items()},
    }


def cost(rows: int, features: int, classes: int, N: int, M: int) -> Result:
    """Seconds of the initialisation and of the epochs after it."""
    X, y = problem(rows, features, classes)
    network = {"n_conjunctions": N, "n_discriminants": M, "n_init": 1}
    cluster = clustering_only(model(**network), X, y)
    functions: dict[str, Callable[[], Any]] = {name: partial(cluster, *how) for name, how in STARTS.items()}
    best = in_turn({**functions, "epochs": epochs_only(X, y, EPOCHS, **network)}, 3)
    what = f"{rows:,} x {features}, {classes} classes, {N}x{M}"
    share = best["50, race"] / best["epochs"]
    return {
        "what": what,
        "seconds": best,
        "figures": [figure(f"50 starts / {EPOCHS} epochs, {what}", share, "times", at_most=1)],
    }


def worth(name: str, rate: float, rows: int | None, seeds: int) -> Result:
    """Test errors in percent and processor seconds of whole fits at the paper's size, for each way to start."""
    table = data(name, rows)
    N, M = size(name)
    measured: dict[str, dict[str, list[float]]] = {}
    for kind, (n_init, count) in STARTS.items():
        errors, seconds = [], []
        for seed in range(seeds):
            network = model(
                n_conjunctions=N, n_discriminants=M, n_init=n_init, learning_rate=rate,
                learning_rate_schedule="linear", label_smoothing=0.2, random_state=seed,
            )  # fmt: skip
            start = time.process_time()
            with finalists(count):
                network.fit(table.X, table.y)
            seconds.append(round(time.process_time() - start, 3))
            errors.append(round(100 * (1 - network.score(table.X_test, table.y_test)), 3))
        say(f"{name}, {kind}: {np.mean(errors):.2f} %, {np.mean(seconds):.2f} s")
        measured[kind] = {"errors": errors, "seconds": seconds}
    return {"data": name, "worth": measured}


def tables(results: Results) -> list[ResultTable]:
    kinds = list(STARTS)
    costs = [result for result in results.values() if "what" in result]
    worths = [result for result in results.values() if "worth" in result]
    made = []
    if costs:
        rows = [[r["what"], *(f"{r['seconds'][kind]:.3g}" for kind in (*kinds, "epochs"))] for r in costs]
        columns = ["rows", *(f"{kind} start{'s' * (kind != '1')}" for kind in kinds), f"{EPOCHS} epochs"]
        made.append(ResultTable("Processor seconds of the initialisation, and of the training after it", columns, rows))
    if worths:
        rows = [[r["data"], *(_error_and_seconds(r["worth"][kind]) for kind in kinds)] for r in worths]
        title = "Test error (mean and deviation over seeds) and processor seconds of whole fits"
        made.append(ResultTable(title, ["data set", *kinds], rows))
    return made


def _error_and_seconds(fits: dict[str, list[float]]) -> str:
    errors, seconds = fits["errors"], fits["seconds"]
    return f"{np.mean(errors):.2f} ± {np.std(errors):.2f} %, {np.mean(seconds):.2f} s"


QUESTION = Question("kmeans_starts", "What do restarts of k-means cost, and how much do they gain?", parts, tables)
