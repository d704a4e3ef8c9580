"""How fast is it? A table of measurements, all in one run, each beside what it is compared with.

    python -m benchmarks.speed

Times are CPU seconds on one thread unless a row says otherwise. Rivals are measured in turn with LDNN, several times
over, and the smallest times are compared. Also writes results/speed.json.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"  # before NumPy is imported

import warnings

import numpy as np
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from ldnn import LDNNClassifier
from ldnn.network import aligned_zeros
from reproduction.machine import describe_machine

from .bare import bare_by_loops, bare_by_vectors

RESULTS = Path(__file__).parent / "results" / "speed.json"
ROWS, FEATURES, N, M, EPOCHS, STEP = 35_000, 22, 10, 8, 20, 0.25
FIXED: dict[str, Any] = {
    "step_size": STEP, "step_schedule": "constant", "softening": 0, "validation_fraction": 0, "random_state": 0,
    "loss": "squared", "bends": None, "n_networks": 1, "n_init": 50, "n_jobs": 1,
}  # fmt: skip

Rows = list[dict[str, Any]]


def problem(rows: int = ROWS, features: int = FEATURES, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(
        rows, features, n_informative=max(2, features * 15 // 22), n_redundant=min(2, features // 10),
        n_classes=classes, random_state=0,
    )  # fmt: skip
    return ((X - X.mean(axis=0)) / X.std(axis=0)).astype(np.float32), y


def in_turn(functions: dict[str, Callable[[], Any]], repeats: int, clock=time.process_time) -> dict[str, float]:
    """The smallest time of each function, called in turn so that a slow moment of the machine meets them all."""
    best = dict.fromkeys(functions, np.inf)
    for _ in range(repeats):
        for name, function in functions.items():
            start = clock()
            function()
            best[name] = min(best[name], clock() - start)
    return best


def row(name: str, value: float, unit: str, bound: str = "") -> dict[str, Any]:
    print(f"  {name:72s} {value:10.3g} {unit:8s} {bound}", flush=True)
    return {"name": name, "value": float(f"{value:.4g}"), "unit": unit, "to_reach": bound}


def model(**changes: Any) -> LDNNClassifier:
    return LDNNClassifier(**{"n_conjunctions": N, "n_discriminants": M, "max_epochs": EPOCHS, **FIXED, **changes})


def epochs_only(X: np.ndarray, y: np.ndarray, **changes: Any) -> Callable[[], Any]:
    """A function that runs the epochs of a fit whose rows are read, clustered and normalised already."""
    fitted = model(max_epochs=1, warm_start=True, **changes).fit(X, y)
    state = fitted._state
    start = state.network.parameters.copy()
    from ldnn.rows import Rows as TrainingRows

    numbers, places = state.encoder.apply(X)
    rows = TrainingRows(numbers, places, y.astype(np.int32), np.ones(len(X)))
    fitted.set_params(max_epochs=EPOCHS)

    def run() -> None:
        state.network.parameters[:] = start
        state.network.velocity[:] = 0
        fitted._train(state, rows, None, fitted._settings())

    return run


def training() -> Rows:
    """One network against the bare multiply-adds, against NumPy, against scikit-learn's MLP."""
    X, y = problem()
    order = [np.random.default_rng(i).permutation(ROWS).astype(np.int32) for i in range(EPOCHS)]
    parameters = aligned_zeros((1, FEATURES + 1, N * M))[0]
    parameters[:] = 1e-3 * np.random.default_rng(0).standard_normal(parameters.shape)

    def bare(function: Callable) -> Callable[[], Any]:
        return lambda: [function(X, rows, parameters) for rows in order]

    for function in (bare_by_vectors, bare_by_loops):
        function(X, order[0][:10], parameters)
    functions = {
        "bare, by vectors": bare(bare_by_vectors),
        "bare, by loops": bare(bare_by_loops),
        "epochs": epochs_only(X, y),
        "epochs with momentum": epochs_only(X, y, momentum=0.1),
        "epochs with batches of 32": epochs_only(X, y, batch_size=32),
        "epochs with log loss": epochs_only(X, y, loss="log"),
        "whole fit": lambda: model().fit(X, y),
    }
    functions["whole fit"]()
    best = in_turn(functions, 7)
    bare_seconds = min(best["bare, by vectors"], best["bare, by loops"])
    numpy_seconds = numpy_training(X, y)
    result = [row(f"{name}, 20 epochs of 35,000 x 22, 10x8", seconds, "s") for name, seconds in best.items()]
    return [
        *result,
        row("NumPy, the same steps (measured on 20,000 of 700,000)", numpy_seconds, "s"),
        row("epochs / bare passes", best["epochs"] / bare_seconds, "times", "at most 1.6"),
        row("epochs with momentum / bare passes", best["epochs with momentum"] / bare_seconds, "times", "at most 2.5"),
        row("NumPy / whole fit", numpy_seconds / best["whole fit"], "times", "at least 60"),
        *against_mlp(),
    ]


def numpy_training(X: np.ndarray, y: np.ndarray, steps: int = 20_000) -> float:
    """Seconds for all steps of the same fit, one row at a time in plain NumPy (float32, matrix products by BLAS)."""
    random = np.random.default_rng(0)
    w = random.standard_normal((N, M, FEATURES)).astype(np.float32) / np.float32(FEATURES**0.5)
    b = np.zeros((N, M), np.float32)
    start = time.process_time()
    for r in random.permutation(ROWS)[:steps]:
        x = X[r]
        sigma = 1 / (1 + np.exp(-(w @ x + b)))
        g = sigma.prod(axis=1)
        h = 1 - g
        before = np.concatenate([[1], np.cumprod(h[:-1])])
        after = np.concatenate([np.cumprod(h[:0:-1])[::-1], [1]])
        f = 1 - h.prod()
        delta = (STEP * 2 * (f - y[r]) * before * after * g).astype(np.float32)[:, None] * (1 - sigma)
        w -= delta[:, :, None] * x
        b -= delta
    return (time.process_time() - start) * ROWS * EPOCHS / steps


def against_mlp() -> Rows:
    """As many sigmoid units and epochs; the MLP with its own Adam and mini-batches. 35,000 rows of 50,000 train."""
    X, y = problem(50_000)
    X_train, y_train, X_test, y_test = X[:ROWS], y[:ROWS], X[ROWS:], y[ROWS:]
    mlp = MLPClassifier(N * M, activation="logistic", max_iter=EPOCHS, n_iter_no_change=EPOCHS, random_state=0)
    ldnn = model()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # 20 epochs are what is asked of it
        best = in_turn({"mlp": lambda: mlp.fit(X_train, y_train), "ldnn": lambda: ldnn.fit(X_train, y_train)}, 3)
    return [
        row("MLPClassifier / whole fit, 80 units, 20 epochs", best["mlp"] / best["ldnn"], "times", "above 1"),
        row("MLPClassifier, test error", 100 * (1 - mlp.score(X_test, y_test)), "%"),
        row("LDNN, test error", 100 * (1 - ldnn.score(X_test, y_test)), "%", "below the MLP's"),
    ]


def prediction() -> Rows:
    """predict_proba against the same formula in NumPy, in both precisions."""
    X, y = problem()
    fitted = model().fit(X, y)

    def in_numpy(dtype: type) -> Callable[[], np.ndarray]:
        x: np.ndarray = X.astype(dtype)
        flat = fitted.weights_[0].astype(dtype).reshape(N * M, FEATURES).T.copy()
        bias = fitted.biases_[0].astype(dtype).ravel()

        def evaluate() -> np.ndarray:
            z = x @ flat + bias
            sigma = 1 / (1 + np.exp(-z))
            f = 1 - np.prod(1 - np.prod(sigma.reshape(-1, N, M), axis=2), axis=1)
            return np.column_stack([1 - f, f])

        return evaluate

    np.testing.assert_allclose(in_numpy(np.float64)(), fitted.predict_proba(X), atol=1e-4)
    best = in_turn(
        {"ldnn": lambda: fitted.predict_proba(X), "float32": in_numpy(np.float32), "float64": in_numpy(np.float64)}, 15
    )
    return [
        row("predict_proba, million rows per second", ROWS / best["ldnn"] / 1e6, "M/s"),
        row("predict_proba / NumPy in float64, rows per second", best["float64"] / best["ldnn"], "times", "at least 8"),
        row("predict_proba / NumPy in float32, rows per second", best["float32"] / best["ldnn"], "times"),
    ]


def threads() -> Rows:
    """Ten classes: ten networks, on one thread and on two (wall time)."""
    X, y = problem(20_000, 22, classes=10)

    def fit_on(n_jobs: int) -> Callable[[], Any]:
        return lambda: model(n_jobs=n_jobs).fit(X, y)

    best = in_turn({"1": fit_on(1), "2": fit_on(2)}, 5, clock=time.perf_counter)
    return [
        row("10 classes, one thread, wall time", best["1"], "s"),
        row("10 classes, one thread / two threads, wall time", best["1"] / best["2"], "times", "at least 1.7"),
    ]


def growth() -> Rows:
    """The exponent p in seconds ~ size**p, fitted over a decade of sizes."""

    def exponent(name: str, sizes: list[int], make: Callable[[int], Callable[[], Any]]) -> dict[str, Any]:
        functions = {str(size): make(size) for size in sizes}
        best = in_turn(functions, 3)
        slope = np.polyfit(np.log(sizes), np.log([best[str(size)] for size in sizes]), 1)[0]
        return row(f"exponent of the epochs' time in {name}, {sizes[0]} to {sizes[-1]}", float(slope), "", "about 1")

    data = {rows: problem(rows) for rows in (10_000, 30_000, 100_000)}
    wide = {features: problem(10_000, features) for features in (50, 160, 500)}
    X, y = data[10_000]
    return [
        exponent("rows", list(data), lambda rows: epochs_only(*data[rows])),
        exponent("N x M", [80, 240, 800], lambda size: epochs_only(X, y, n_conjunctions=size // 8, n_discriminants=8)),
        exponent("features", list(wide), lambda features: epochs_only(*wide[features])),
    ]


MEMORY = """
import numpy as np
from ldnn import LDNNClassifier
small = np.random.default_rng(0).standard_normal((1000, 54)).astype(np.float32)
paper = {"max_epochs": 1, "step_size": 0.25, "loss": "squared", "bends": None, "n_networks": 1}
LDNNClassifier(20, 10, **paper).fit(small, small[:, 0] > 0)
def memory(kind):
    return int(open("/proc/self/status").read().split(kind + ":")[1].split()[0]) * 1024
start = memory("VmRSS")
X = np.random.default_rng(0).standard_normal((387_000, 54), dtype=np.float32)
y = X[:, 0] + X[:, 1] > 0
LDNNClassifier(20, 10, **paper).fit(X, y)
print((memory("VmHWM") - start) / X.nbytes)
"""

FIRST_FIT = """
import time
start = time.perf_counter()
import ldnn
imported = time.perf_counter() - start
import sklearn.base
import numpy as np
X = np.random.default_rng(0).standard_normal((2000, 10))
y = X[:, 0] * X[:, 1] > 0
start = time.perf_counter()
paper = {"loss": "squared", "bends": None, "n_networks": 1, "step_size": 0.25, "max_epochs": 60}
model = ldnn.LDNNClassifier(10, 10, **paper, random_state=0).fit(X, y)
first = time.perf_counter() - start
start = time.perf_counter()
model.fit(X, y)
print(imported, first - (time.perf_counter() - start))
"""


def run_script(script: str, **environment: str) -> list[float]:
    command = [sys.executable, "-c", script]
    said = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **environment}).stdout
    return [float(word) for word in said.split()]


def memory_and_start() -> Rows:
    """Memory, and what the first use costs: processes of their own."""
    cold, warm = [], []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(run_script(FIRST_FIT, NUMBA_CACHE_DIR=cache))
            warm.append(run_script(FIRST_FIT, NUMBA_CACHE_DIR=cache))
    imported, later = np.min(warm, axis=0)
    memory = min(run_script(MEMORY)[0] for _ in range(2))  # the first may compile, which takes memory of its own
    return [
        row("import ldnn", imported, "s", "below 0.1"),
        row("first fit ever (nothing compiled yet), beyond the fit itself", np.min(cold, axis=0)[1], "s", "below 6"),
        row("first fit of a later process, beyond the fit itself", later, "s", "below 1.5"),
        row("peak memory of a fit of 387,000 x 54 float32 / the array", memory, "times", "at most 2.5"),
    ]


def main() -> None:
    measurements: Rows = []
    for part in (training, prediction, threads, growth, memory_and_start):
        print(f"\n{part.__doc__ or part.__name__}")
        measurements += part()
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"machine": describe_machine(), "measurements": measurements}, indent=1) + "\n")
    print(f"\nWritten to {RESULTS.relative_to(Path.cwd()) if RESULTS.is_relative_to(Path.cwd()) else RESULTS}")


if __name__ == "__main__":
    main()
