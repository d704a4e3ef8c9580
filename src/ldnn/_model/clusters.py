"""Clusters of the rows of one side of a network: k-means, and farthest-distance clustering."""

import numpy as np
from numpy.typing import NDArray

from .._encoding.rows import EncodedRows
from .._kernels import cluster_kernels
from .._plan import StartPlan

_RESTART_ROWS = 40  # rows per cluster on which k-means is restarted
_REFINE_ROWS = 400  # rows per cluster on which the best restart is finished
_ITERATIONS = 20  # thirty more lower the inertia by a thousandth
_EARLY_ITERATIONS = 2  # after which the best of many restarts are known well enough
FINALISTS = 5  # of many restarts, those that are finished


def centroids_of(
    rows: EncodedRows, members: NDArray[np.intp], count: int, plan: StartPlan, generator: np.random.Generator
) -> NDArray[np.float32]:
    """At most `count` centroids (k, F) of the rows `members`; fewer where there are fewer distinct points."""
    if plan.method == "farthest":
        return farthest_point_centroids(rows.X[members], rows.weights[members], count, None)
    # Restarts need few rows each: they decide which groups there are, not where exactly their centroids lie.
    finishing = sample(members, _REFINE_ROWS * count, generator)
    starting = sample(finishing, _RESTART_ROWS * count, generator)
    unit = rows.weights.mean()  # only the proportions count
    X, weights = rows.X[starting], (rows.weights[starting] / unit).astype(np.float32)
    draws = generator.random((plan.n_init if count > 1 else 1, count))
    best = _best_centroids(X, weights, X[cluster_kernels.spread_seeds(X, weights, draws)])
    if len(finishing) > len(starting):
        weights = (rows.weights[finishing] / unit).astype(np.float32)
        cluster_kernels.refine(rows.X[finishing], weights, best[None], _ITERATIONS)
    return best


def _best_centroids(
    X: NDArray[np.float32], weights: NDArray[np.float32], starts: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The centroids (k, F) with the lowest inertia, of k-means from each start (restarts, k, F); many starts are first
    reduced to the best ones after a few iterations.
    """
    if len(starts) > FINALISTS:
        early = cluster_kernels.refine(X, weights, starts, _EARLY_ITERATIONS)
        starts = starts[np.argsort(early, kind="stable")[:FINALISTS]]
    return starts[int(np.argmin(cluster_kernels.refine(X, weights, starts, _ITERATIONS)))]


def sample(members: NDArray[np.intp], count: int, generator: np.random.Generator) -> NDArray[np.intp]:
    """At most `count` of the row numbers, at random, in their order."""
    if len(members) <= count:
        return members
    return np.sort(generator.choice(members, count, replace=False))


def farthest_point_centroids(
    X: NDArray[np.float32], weights: NDArray[np.float64], count: int, threshold: float | None
) -> NDArray[np.float32]:
    """Farthest-distance clustering of X (n, F): rows far from each other, the first in the middle, then the means of
    their clusters. At most `count` of them, or as many as leave no row farther than `threshold` from all of them.
    """
    start = int(np.argmin(np.linalg.norm(X - np.average(X, axis=0, weights=weights), axis=1)))
    limit = min(count, len(X)) if threshold is None else len(X)
    chosen = np.empty(limit, dtype=np.int64)
    found = cluster_kernels.farthest_first(X, start, limit, 0.0 if threshold is None else float(threshold), chosen)
    labels = np.empty(len(X), dtype=np.int64)
    cluster_kernels.assign(X, X[chosen[:found]], labels)
    totals = np.bincount(labels, weights=weights)
    sums = [np.bincount(labels, weights=weights * column) for column in X.T]
    return (np.stack(sums, axis=1) / totals[:, None]).astype(np.float32)


def nearest_centroids(
    rows: EncodedRows, positive: int, positive_centroids: NDArray[np.float32], negative_centroids: NDArray[np.float32]
) -> NDArray[np.int64]:
    """The cluster of each row within its own side: (n,), for Mod-N."""
    is_positive = rows.y == positive
    clusters = np.empty(len(rows.y), dtype=np.int64)
    for is_side, centroids in ((is_positive, positive_centroids), (~is_positive, negative_centroids)):
        labels = np.empty(int(is_side.sum()), dtype=np.int64)
        cluster_kernels.assign(rows.X[is_side], centroids, labels)
        clusters[is_side] = labels
    return clusters


def farthest_centroids(X: NDArray, distance_threshold: float) -> NDArray[np.float64]:
    """Centroids of one class by farthest-distance clustering, for the parameter `init`.

    Rows become centroids, each as far as possible from the previous ones, until no row is farther than the threshold
    from all of them; the means of their clusters are returned. The paper initialises its two-spirals networks this way.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows of one class.
    distance_threshold : float
        The threshold, in the units of X.

    Returns
    -------
    ndarray of shape (n_clusters, n_features)
        The centroids.

    Examples
    --------
    >>> from ldnn import LDNNClassifier, farthest_centroids
    >>> from ldnn.datasets import make_two_spirals
    >>> X, y = make_two_spirals()
    >>> init = farthest_centroids(X[y == 1], 2.2), farthest_centroids(X[y == 0], 2.2)
    >>> model = LDNNClassifier.from_paper(init=init, normalize=None, max_epochs=5, random_state=0).fit(X, y)
    >>> model.sizes_.shape
    (1, 2)
    """
    rows = np.asarray(X, dtype=np.float32)
    if rows.ndim != 2 or not len(rows):
        raise ValueError(f"Expected a table with rows and columns, got an array of shape {rows.shape} instead.")
    if not np.isfinite(rows).all():
        raise ValueError("X contains NaN, infinity or a value too large for float32.")
    if not distance_threshold > 0:
        raise ValueError(f"distance_threshold={distance_threshold!r} must be positive.")
    distinct = np.unique(rows, axis=0)
    return farthest_point_centroids(distinct, np.ones(len(distinct)), len(distinct), distance_threshold).astype(float)
