"""The private parts of `ldnn` that benchmarks measure on their own: epochs without reading and clustering, clustering
without epochs, and the norm that learning rates are relative to.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from ldnn import LDNNClassifier
from ldnn._encoding.clustering_space import ClusteringSpace
from ldnn._encoding.rows import EncodedRows
from ldnn._model import clusters
from ldnn._model.initial_network import find_starts
from ldnn._model.memory import aligned_zeros, padded
from ldnn._model.state import FittedState

FINALISTS = clusters.FINALISTS

__all__ = [
    "FINALISTS", "aligned_zeros", "clustering_only", "epochs_only", "finalists", "mean_squared_norm", "padded",
]  # fmt: skip


def epochs_only(model: LDNNClassifier, X: np.ndarray, y: np.ndarray, epochs: int) -> Callable[[], None]:
    """A function that runs the epochs of a fit of rows that were read, clustered and normalised before.

    The model is not fitted yet; the classes y are 0, 1, ...
    """
    model.set_params(max_epochs=1, warm_start=True).fit(X, y)
    state = model._state
    start = state.network.parameters.copy()
    rows = _encoded(state, X, y)
    model.set_params(max_epochs=epochs)

    def run() -> None:
        state.network.parameters[:] = start
        state.network.velocity[:] = 0
        model._train(state, rows, None, model._training_plan())

    return run


def clustering_only(model: LDNNClassifier, X: np.ndarray, y: np.ndarray) -> Callable[[int, int], None]:
    """A function of n_init and the number of finalists that runs the clustering of a fit.

    The model is not fitted yet; the classes y are 0, 1, ...
    """
    state = model.set_params(max_epochs=1).fit(X, y)._state
    space = ClusteringSpace(state.encoder).encode(_encoded(state, X, y))
    plan = state.plan

    def run(n_init: int, count: int) -> None:
        start = replace(plan.start, n_init=n_init)
        with finalists(count):
            find_starts([space], [start], state.positives, np.random.default_rng(0), plan.training.n_jobs)

    return run


@contextmanager
def finalists(count: int) -> Iterator[None]:
    """Let this many of the starts of k-means run to their end."""
    clusters.FINALISTS = count
    try:
        yield
    finally:
        clusters.FINALISTS = FINALISTS


def mean_squared_norm(fitted: LDNNClassifier, X: Any) -> float:
    """The mean of |x|**2 over the rows of X, as the networks of a fitted model see them."""
    state = fitted._state
    encoded = state.encoder.transform_for_training(fitted._matrix(X))
    return state.encoder.mean_squared_norm(EncodedRows(*encoded, np.zeros(len(X), np.int32), np.ones(len(X))))


def _encoded(state: FittedState, X: np.ndarray, y: np.ndarray) -> EncodedRows:
    """Rows as the networks of a fitted model see them."""
    return EncodedRows(*state.encoder.transform(X), y.astype(np.int32), np.ones(len(X)))
