"""The network and the rows that most measurements are made on: 10x8 half-spaces, 35,000 rows of 22 columns."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import make_classification

from ldnn import LDNNClassifier
from ldnn.base import State
from ldnn.rows import Rows

ROWS, FEATURES, N, M, EPOCHS, STEP = 35_000, 22, 10, 8, 20, 0.25
PAPER: dict[str, Any] = {
    "step_size": STEP, "step_schedule": "constant", "softening": 0, "validation_fraction": 0, "random_state": 0,
    "loss": "squared", "bends": None, "n_networks": 1, "n_init": 50, "n_jobs": 1,
}  # fmt: skip


def problem(rows: int = ROWS, features: int = FEATURES, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Standardised rows (float32) and their classes."""
    X, y = make_classification(
        rows, features, n_informative=max(2, features * 15 // 22), n_redundant=min(2, features // 10),
        n_classes=classes, random_state=0,
    )  # fmt: skip
    return ((X - X.mean(axis=0)) / X.std(axis=0)).astype(np.float32), y


def model(**changes: Any) -> LDNNClassifier:
    """One straight network as in the paper, on one thread."""
    return LDNNClassifier(**{"n_conjunctions": N, "n_discriminants": M, "max_epochs": EPOCHS, **PAPER, **changes})


def seen_rows(state: State, X: np.ndarray, y: np.ndarray) -> Rows:
    """Rows with the classes 0, 1, ... as the networks of a fitted model see them."""
    numbers, places = state.encoder.apply(X)
    return Rows(numbers, places, y.astype(np.int32), np.ones(len(X)))


def epochs_only(X: np.ndarray, y: np.ndarray, epochs: int = EPOCHS, **changes: Any) -> Callable[[], None]:
    """A function that runs the epochs of a fit whose rows are read, clustered and normalised already."""
    fitted = model(**{"max_epochs": 1, "warm_start": True, **changes}).fit(X, y)
    state = fitted._state
    start = state.network.parameters.copy()
    rows = seen_rows(state, X, y)
    fitted.set_params(max_epochs=epochs)

    def run() -> None:
        state.network.parameters[:] = start
        state.network.velocity[:] = 0
        fitted._train(state, rows, None, fitted._settings())

    return run


def in_numpy(fitted: LDNNClassifier, X: np.ndarray, dtype: type) -> Callable[[], np.ndarray]:
    """A function that gives the probabilities of a straight network by the paper's formula, and nothing else."""
    weights = fitted.weights_[0].astype(dtype)
    conjunctions, discriminants, features = weights.shape
    flat = weights.reshape(-1, features).T.copy()
    bias = fitted.biases_[0].astype(dtype).ravel()
    x: np.ndarray = X.astype(dtype)

    def evaluate() -> np.ndarray:
        sigma = 1 / (1 + np.exp(-(x @ flat + bias)))
        g = np.prod(sigma.reshape(-1, conjunctions, discriminants), axis=2)
        f = 1 - np.prod(1 - g, axis=1)
        return np.column_stack([1 - f, f])

    return evaluate
