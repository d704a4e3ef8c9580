"""Generated rows, and the network that most benchmarks measure: 10x8 half-spaces, 35,000 rows of 22 columns."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.datasets import make_classification

from experiments.plain_network import AS_PRINTED, PLAIN
from ldnn import LDNNClassifier

from . import internals

ROWS, FEATURES, N, M, EPOCHS, LEARNING_RATE = 35_000, 22, 10, 8, 20, 0.25
CHUNK = 100_000
ONE_THREAD: dict[str, Any] = {"validation_fraction": 0, "n_jobs": 1, "random_state": 0}


def problem(rows: int = ROWS, features: int = FEATURES, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Standardised rows (float32) and their classes."""
    X, y = make_classification(
        rows, features, n_informative=max(2, features * 15 // 22), n_redundant=min(2, features // 10),
        n_classes=classes, random_state=0,
    )  # fmt: skip
    return ((X - X.mean(axis=0)) / X.std(axis=0)).astype(np.float32), y


def rows_in_chunks(
    rows: int, features: int, classes: int, seed: int = 0, chunk: int = CHUNK
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows of a problem whose classes alternate along a wave through the first two columns."""
    random = np.random.default_rng(seed)
    for start in range(0, rows, chunk):
        X = random.standard_normal((min(chunk, rows - start), features), dtype=np.float32)
        phase = X[:, 0] + np.sin(2 * X[:, 1])
        yield X, np.floor(classes * (0.5 + np.arctan(phase) / np.pi)).clip(0, classes - 1).astype(np.int32)


def model(**changes: Any) -> LDNNClassifier:
    """The paper's plain network, on one thread."""
    size = {"n_conjunctions": N, "n_discriminants": M, "max_epochs": EPOCHS, "learning_rate": LEARNING_RATE}
    return LDNNClassifier(**{**PLAIN, **AS_PRINTED, **ONE_THREAD, **size, **changes})


def epochs_only(X: np.ndarray, y: np.ndarray, epochs: int = EPOCHS, **changes: Any) -> Callable[[], None]:
    """A function that runs the epochs of a fit of that network, without reading, clustering and normalising."""
    return internals.epochs_only(model(**changes), X, y, epochs)


def in_numpy(fitted: LDNNClassifier, X: np.ndarray, dtype: type) -> Callable[[], np.ndarray]:
    """A function that computes the probabilities of a linear network by the paper's formula, and nothing else."""
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
