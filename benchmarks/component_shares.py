"""How many principal components does a wide table need? What fewer components cost, and what time they save.

One linear 8x8 network per class, on one thread, on held-out training rows: errors in percent and processor seconds.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import ShuffleSplit, StratifiedKFold

from experiments.plain_network import PLAIN, on_components
from experiments.timing import compile_kernels, timed_fit
from ldnn import LDNNClassifier, datasets

from .harness import Parts, Question, Result, Results, ResultTable, needs_data
from .synthetic import ONE_THREAD

SHARES = (None, 0.99, 0.95, 0.9, 0.8)  # of the variance
RELATIVE_RATE = 25  # divided by the number of columns, whose mean variance is 1
Split = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def isolet() -> Iterator[Split]:
    """Five folds of the training rows."""
    X, y = datasets.load_isolet(subset="train", return_X_y=True)
    for fit, held_out in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        yield X[fit], y[fit], X[held_out], y[held_out]


def mnist() -> Iterator[Split]:
    """Three times 20,000 training rows to fit, and 5,000 others to evaluate on."""
    X, y = datasets.load_mnist(subset="train", return_X_y=True)
    for fit, held_out in ShuffleSplit(3, train_size=20_000, test_size=5_000, random_state=0).split(X):
        yield X[fit], y[fit], X[held_out], y[held_out]


TABLES: dict[str, tuple[Callable[[], Iterator[Split]], int]] = {
    "isolet, 30 epochs": (isolet, 30),
    "MNIST, 10 epochs": (mnist, 10),
}


def parts(quick: bool) -> Parts:
    names, shares = (["isolet, 30 epochs"], SHARES[-1:]) if quick else (list(TABLES), SHARES)
    return {
        f"{name}, {normalize}, {_percent(share)}": partial(measure, name, normalize, share, 1 if quick else None)
        for name in names
        for normalize in ("standard", "common")
        for share in shares
    }


def measure(name: str, normalize: str, share: float | None, most_splits: int | None) -> Result:
    """Errors and processor seconds of each split, and the number of components."""
    compile_kernels()
    load, epochs = TABLES[name]
    parameters: dict[str, Any] = {**PLAIN, **ONE_THREAD, "init": "auto", "revisit_every": 8}
    parameters |= {"normalize": normalize, "max_epochs": epochs}
    with needs_data():
        splits = list(load())[:most_splits]
    errors, seconds, components = [], [], 0
    for X, y, X_test, y_test in splits:
        rate = RELATIVE_RATE / X.shape[1]
        model = LDNNClassifier(8, 8, learning_rate=rate, **parameters)
        fit = timed_fit(model if share is None else on_components(model, share), X, y)
        seconds.append(round(fit.cpu, 3))
        errors.append(100 * float(np.mean(fit.model.predict(X_test) != y_test)))
        components = fit.model.plan_["n_components"] or X.shape[1]
    return {"table": name, "normalize": normalize, "share": share, "components": components, "errors": errors,
            "cpu_seconds": seconds}  # fmt: skip


def tables(results: Results) -> list[ResultTable]:
    rows = []
    for result in results.values():
        errors = result["errors"]
        spread = f"{np.mean(errors):.2f} ({min(errors):.2f} to {max(errors):.2f})"
        rows.append([result["table"], result["normalize"], _percent(result["share"]), str(result["components"]), spread,
                     f"{np.mean(result['cpu_seconds']):.2f}"])  # fmt: skip
    columns = ["table", "scale", "share of the variance", "components", "held-out error, %", "seconds to fit"]
    return [ResultTable("", columns, rows)]


def _percent(share: float | None) -> str:
    return "all" if share is None else f"{share:.0%}"


QUESTION = Question("component_shares", "How many principal components does a wide table need?", parts, tables)
