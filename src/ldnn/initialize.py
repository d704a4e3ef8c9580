"""From the training rows to the first half-spaces: clusters of both sides, then one discriminant for each pair of them.

Section III-B of the paper: discriminant (i, j) stands midway between positive centroid i and negative centroid j.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import cluster_kernels
from .rows import Rows

_RESTART_ROWS = 40  # rows per cluster from which k-means starts many times
_REFINE_ROWS = 400  # rows per cluster on which the best start is finished
_ITERATIONS = 20  # thirty more lower the inertia by a thousandth
_HEAT = 2  # iterations after which the best of many starts are known well enough
FINALISTS = 5  # of many starts, those that are finished
_IN_TURN = ("kmeans", "random", "rules")  # the starts of networks that vote
_RULE_ROWS = 5_000  # at most, half of them positive, from which rules are learned,
_RULE_COLUMNS = 50  # and columns that compete for a condition
_RULE_SLOPE = 3.0  # of a rule's condition, in normalised units: firm, but not so steep that it cannot learn
_OPEN_BIAS = 3.0  # of a discriminant that a rule does not need: nearly always true, until it learns


@dataclass(frozen=True)
class Clustering:
    """How the two sides of a network are clustered.

    method: "kmeans", "farthest", "random", "rules" or "auto" (see `of_voter`); N and M: clusters of the positive and of
    the negative side; n_init: restarts of k-means; distance_threshold: for "farthest", instead of N and M; limit: of
    the first half-spaces, see `start_from_centroids`.
    """

    method: str
    N: int
    M: int
    n_init: int
    distance_threshold: float | None
    limit: float | None = None

    def of_voter(self, number: int) -> "Clustering":
        """For one of several networks that vote, counted from 0. "auto": clusters for the first, as in the paper, then
        in turn at random, rules and clusters, since those that start alike make more of the same mistakes.
        """
        return replace(self, method=_IN_TURN[number % len(_IN_TURN)]) if self.method == "auto" else self


@dataclass(frozen=True)
class Start:
    """Where a network begins: weights (N, M, F), biases (N, M), and the centroids (None where it begins at random)."""

    weights: NDArray[np.float64]
    biases: NDArray[np.float64]
    positive_centroids: NDArray[np.float32] | None
    negative_centroids: NDArray[np.float32] | None


def start_from_clusters(rows: Rows, positive: int, clustering: Clustering, generator: np.random.Generator) -> Start:
    """The first half-spaces of the network of class number `positive` against the rest.

    Where a side has no rows at all (a first `partial_fit` without a class), half-spaces are random.
    """
    is_positive = rows.codes == positive
    if clustering.method == "rules" and not is_positive.all() and is_positive.any():
        return _rules_start(rows, is_positive, clustering.N, clustering.M, generator)
    if clustering.method == "random" or is_positive.all() or not is_positive.any():
        return _random_start(rows, clustering.N, clustering.M, generator)
    positive_centroids = _centroids(rows, np.flatnonzero(is_positive), clustering.N, clustering, generator)
    negative_centroids = _centroids(rows, np.flatnonzero(~is_positive), clustering.M, clustering, generator)
    return start_from_centroids(positive_centroids, negative_centroids, clustering.limit)


def start_from_centroids(positive_centroids: NDArray, negative_centroids: NDArray, limit: float | None = None) -> Start:
    """Unit normals along c+_i - c-_j, and biases so that each discriminant is 0.5 at the midpoint.

    With a limit, normals are shorter where w.x + b would be beyond it at the two centroids: the farther apart these
    are, as they are among hundreds of columns, the nearer are all sigmas to 0 and 1, where nothing is learned. Two
    centroids at the same place have no direction: their half-space starts flat (zero) and learns one.
    """
    plus = np.asarray(positive_centroids, dtype=np.float64)[:, None]
    minus = np.asarray(negative_centroids, dtype=np.float64)[None]
    v = plus - minus
    length = np.linalg.norm(v, axis=2, keepdims=True)
    weights = np.divide(v, length, out=np.zeros_like(v), where=length > 0)
    if limit is not None:
        weights *= np.minimum(1, 2 * limit / np.maximum(length, 1e-300))
    biases = -np.einsum("ijk,ijk->ij", weights, (plus + minus) / 2)
    return Start(
        weights,
        biases,
        np.ascontiguousarray(positive_centroids, dtype=np.float32),
        np.ascontiguousarray(negative_centroids, dtype=np.float32),
    )


def nearest_centroids(
    rows: Rows, positive: int, positive_centroids: NDArray[np.float32], negative_centroids: NDArray[np.float32]
) -> NDArray[np.int64]:
    """The cluster of each row within its own side: (n,), for Mod-N."""
    is_positive = rows.codes == positive
    clusters = np.empty(len(rows.codes), dtype=np.int64)
    for is_side, centroids in ((is_positive, positive_centroids), (~is_positive, negative_centroids)):
        labels = np.empty(int(is_side.sum()), dtype=np.int64)
        cluster_kernels.assign(rows.X[is_side], centroids, labels)
        clusters[is_side] = labels
    return clusters


def _centroids(
    rows: Rows, members: NDArray[np.intp], count: int, clustering: Clustering, generator: np.random.Generator
) -> NDArray[np.float32]:
    """At most `count` centroids of some rows; fewer where there are not that many different points."""
    if clustering.method == "farthest":
        return _farthest_centroids(rows.X[members], rows.weights[members], count, clustering.distance_threshold)
    # Many starts need few rows each: what they decide is which groups there are, not where exactly their middles lie.
    finishing = _sample(members, _REFINE_ROWS * count, generator)
    starting = _sample(finishing, _RESTART_ROWS * count, generator)
    unit = rows.weights.mean()  # only the proportions count
    X, weights = rows.X[starting], (rows.weights[starting] / unit).astype(np.float32)
    draws = generator.random((clustering.n_init if count > 1 else 1, count))
    best = _best_centroids(X, weights, X[cluster_kernels.spread_seeds(X, weights, draws)])
    if len(finishing) > len(starting):
        weights = (rows.weights[finishing] / unit).astype(np.float32)
        cluster_kernels.refine(rows.X[finishing], weights, best[None], _ITERATIONS)
    return best


def _best_centroids(
    X: NDArray[np.float32], weights: NDArray[np.float32], starts: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Those with the lowest inertia when k-means has run from each start (runs, k, F); where there are many, from the
    best of them after a few iterations.
    """
    if len(starts) > FINALISTS:
        early = cluster_kernels.refine(X, weights, starts, _HEAT)
        starts = starts[np.argsort(early, kind="stable")[:FINALISTS]]
    return starts[int(np.argmin(cluster_kernels.refine(X, weights, starts, _ITERATIONS)))]


def _sample(members: NDArray[np.intp], count: int, generator: np.random.Generator) -> NDArray[np.intp]:
    if len(members) <= count:
        return members
    return np.sort(generator.choice(members, count, replace=False))


def _farthest_centroids(
    X: NDArray[np.float32], weights: NDArray[np.float64], count: int, threshold: float | None
) -> NDArray[np.float32]:
    """Farthest-distance clustering: rows far from each other, the first in the middle; then their clusters' means."""
    start = int(np.argmin(np.linalg.norm(X - np.average(X, axis=0, weights=weights), axis=1)))
    limit = min(count, len(X)) if threshold is None else len(X)
    chosen = np.empty(limit, dtype=np.int64)
    found = cluster_kernels.farthest_first(X, start, limit, 0.0 if threshold is None else float(threshold), chosen)
    labels = np.empty(len(X), dtype=np.int64)
    cluster_kernels.assign(X, X[chosen[:found]], labels)
    totals = np.bincount(labels, weights=weights)
    sums = [np.bincount(labels, weights=weights * column) for column in X.T]
    return (np.stack(sums, axis=1) / totals[:, None]).astype(np.float32)


def _random_start(rows: Rows, N: int, M: int, generator: np.random.Generator) -> Start:
    """Random unit normals through random rows, moved so that the network starts neither dead nor saturated.

    At its row each sigma is what makes f = 1/2 if all are equal: g = 1 - 2**(-1/N), sigma = g**(1/M).
    """
    weights = generator.standard_normal((N, M, rows.X.shape[1]))
    weights /= np.linalg.norm(weights, axis=2, keepdims=True)
    through = rows.X[generator.integers(len(rows.X), size=(N, M))]
    sigma = (1 - 2 ** (-1 / N)) ** (1 / M)
    biases = np.log(sigma / (1 - sigma)) - np.einsum("ijk,ijk->ij", weights, through)
    return Start(weights, biases, None, None)


def _rules_start(rows: Rows, is_positive: NDArray[np.bool_], N: int, M: int, generator: np.random.Generator) -> Start:
    """Rules as initialisation (the paper's conclusion): the paths to the positive leaves of a decision tree.

    A path is a conjunction of conditions x_k <= t or x_k > t, each of which is a half-space. The N leaves with the most
    positive weight are used; a path of fewer than M conditions leaves the other discriminants open.
    """
    from sklearn.tree import DecisionTreeClassifier

    features = rows.X.shape[1]
    sides = [_sample(np.flatnonzero(side), _RULE_ROWS // 2, generator) for side in (is_positive, ~is_positive)]
    weights = np.concatenate([rows.weights[side] / rows.weights[side].sum() for side in sides])
    some = np.concatenate(sides)
    tree = DecisionTreeClassifier(
        max_depth=M, max_leaf_nodes=max(2, 3 * N), max_features=int(np.clip(0.8 * features, 1, _RULE_COLUMNS)),
        random_state=int(generator.integers(2**31)),
    )  # fmt: skip
    tree = tree.fit(rows.X[some], is_positive[some], sample_weight=weights).tree_
    # Small random weights let open discriminants of one rule learn different things.
    start = 0.05 * generator.standard_normal((N, M, features))
    biases = np.full((N, M), _OPEN_BIAS)
    for i, conditions in enumerate(_positive_paths(tree, N)):
        for j, (k, sign, threshold) in enumerate(conditions):
            start[i, j] = 0
            start[i, j, k] = sign * _RULE_SLOPE
            biases[i, j] = -sign * _RULE_SLOPE * threshold
    return Start(start, biases, None, None)


def _positive_paths(tree: Any, count: int) -> list[list[tuple[int, int, float]]]:
    """The conditions (feature, 1 for > or -1 for <=, threshold) on the ways to the most positive leaves.

    Of several conditions on the same feature and side, the narrowest. Where there are fewer leaves than asked for, the
    best come again: with other open discriminants they may learn to be different.
    """
    paths: list[tuple[float, list[tuple[int, int, float]]]] = []

    def walk(node: int, narrowest: dict[tuple[int, int], float]) -> None:
        if tree.children_left[node] < 0:
            share = tree.value[node, 0] / tree.value[node, 0].sum()
            gain = float(tree.weighted_n_node_samples[node] * (share[-1] - share[0]))
            paths.append((gain, [(k, sign, threshold) for (k, sign), threshold in narrowest.items()]))
            return
        k, threshold = int(tree.feature[node]), float(tree.threshold[node])
        walk(tree.children_left[node], {**narrowest, (k, -1): min(threshold, narrowest.get((k, -1), np.inf))})
        walk(tree.children_right[node], {**narrowest, (k, 1): max(threshold, narrowest.get((k, 1), -np.inf))})

    walk(0, {})
    paths.sort(key=lambda path: -path[0])
    chosen = [path for path in paths if path[0] > 0] or paths[:1]
    return [chosen[i % len(chosen)][1] for i in range(count)]
