"""The private parts of `ldnn` that benchmarks measure on their own: epochs without reading and clustering, clustering
without epochs, and the norm that learning rates are relative to.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from ldnn import LDNNClassifier, initialize
from ldnn.network import aligned_zeros, padded
from ldnn.plan import starts_from_clusters
from ldnn.rows import Rows

FINALISTS = initialize.FINALISTS

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
        model._train(state, rows, None, model._settings())

    return run


def clustering_only(model: LDNNClassifier, X: np.ndarray, y: np.ndarray) -> Callable[[int, int], None]:
    """A function of n_init and the number of finalists that runs the clustering of a fit.

    The model is not fitted yet; the classes y are 0, 1, ...
    """
    state = model.set_params(max_epochs=1).fit(X, y)._state
    space = state.encoder.clustering_space(_encoded(state, X, y))
    plan = state.beginning.plan

    def run(n_init: int, count: int) -> None:
        clustering = replace(plan.clustering, n_init=n_init)
        with finalists(count):
            starts_from_clusters(
                [space], [clustering], state.beginning.codes, np.random.default_rng(0), plan.settings.n_jobs
            )

    return run


@contextmanager
def finalists(count: int) -> Iterator[None]:
    """Let this many of the starts of k-means run to their end."""
    initialize.FINALISTS = count
    try:
        yield
    finally:
        initialize.FINALISTS = FINALISTS


def mean_squared_norm(fitted: LDNNClassifier, X: Any) -> float:
    """The mean of |x|**2 over the rows of X, as the networks of a fitted model see them."""
    state = fitted._state
    matrix = fitted._read_table(X, state.beginning.columns)
    encoded = state.encoder.apply(matrix, to_learn=True)
    return state.encoder.energy(Rows(*encoded, np.zeros(len(X), np.int32), np.ones(len(X))))


def _encoded(state: Any, X: np.ndarray, y: np.ndarray) -> Rows:
    """Rows as the networks of a fitted model see them."""
    numbers, places = state.encoder.apply(X)
    return Rows(numbers, places, y.astype(np.int32), np.ones(len(X)))
