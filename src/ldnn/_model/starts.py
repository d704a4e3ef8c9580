"""From the training rows to the first half-spaces.

Section III-B of the paper: discriminant (i, j) lies midway between positive centroid i and negative centroid j. Other
starts are random half-spaces, and rules: the paths to the leaves of a decision tree.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._encoding.rows import EncodedRows
from .._plan import StartPlan
from .clusters import centroids_of, sample

_RULE_ROWS = 5_000  # at most, half of them positive, on which the tree is grown
_RULE_COLUMNS = 50  # columns that compete for a condition
_RULE_SLOPE = 3.0  # of a rule's condition, in normalised units: firm, but not so steep that it cannot be trained
_OPEN_BIAS = 3.0  # of a discriminant that a rule does not need: nearly always true, until it is trained


@dataclass(frozen=True)
class Start:
    """Where a network starts: weights (N, M, F), biases (N, M), and the centroids (None for random and rule starts)."""

    weights: NDArray[np.float64]
    biases: NDArray[np.float64]
    positive_centroids: NDArray[np.float32] | None
    negative_centroids: NDArray[np.float32] | None


def start_network(
    rows: EncodedRows,
    positive: int,
    plan: StartPlan,
    generator: np.random.Generator,
    directions: NDArray[np.intp] | None = None,
) -> Start:
    """The first half-spaces of the network of class `positive` against the rest.

    directions: (F,) of the columns of X, 1 or -1 where weights may not be negative or not positive; None if all are
    free.

    Where one of the two sides has no rows (a first `partial_fit` without a class), half-spaces are random.
    """
    is_positive = rows.y == positive
    if plan.method == "rules" and not is_positive.all() and is_positive.any():
        return _rules_start(rows, is_positive, plan, generator, directions)
    if plan.method == "random" or is_positive.all() or not is_positive.any():
        return _random_start(rows, plan.N, plan.M, generator, directions)
    positive_centroids = centroids_of(rows, np.flatnonzero(is_positive), plan.N, plan, generator)
    negative_centroids = centroids_of(rows, np.flatnonzero(~is_positive), plan.M, plan, generator)
    return start_from_centroids(positive_centroids, negative_centroids, plan.limit, directions)


def start_from_centroids(
    positive_centroids: NDArray,
    negative_centroids: NDArray,
    limit: float | None = None,
    directions: NDArray[np.intp] | None = None,
) -> Start:
    """Unit normals along c+_i - c-_j, and biases so that each discriminant is 0.5 at the midpoint.

    With a limit, normals are shortened where |w.x + b| would exceed it at the two centroids: among hundreds of columns
    centroids lie so far apart that all sigmas would be saturated, with vanishing gradients. Two equal centroids have no
    direction: their half-space starts at zero. Nor do they along a column in which they lie the wrong way round for its
    direction, see `start_network`.
    """
    plus = np.asarray(positive_centroids, dtype=np.float64)[:, None]
    minus = np.asarray(negative_centroids, dtype=np.float64)[None]
    v = plus - minus
    if directions is not None:
        v[v * directions < 0] = 0
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


def _random_start(
    rows: EncodedRows, N: int, M: int, generator: np.random.Generator, directions: NDArray[np.intp] | None
) -> Start:
    """Random unit normals through random rows, shifted so that the network starts neither dead nor saturated.

    At its row each sigma is what makes f = 1/2 if all are equal: g = 1 - 2**(-1/N), sigma = g**(1/M).
    """
    weights = generator.standard_normal((N, M, rows.X.shape[1]))
    weights /= np.linalg.norm(weights, axis=2, keepdims=True)
    if directions is not None:
        weights[weights * directions < 0] *= -1
    through = rows.X[generator.integers(len(rows.X), size=(N, M))]
    sigma = (1 - 2 ** (-1 / N)) ** (1 / M)
    biases = np.log(sigma / (1 - sigma)) - np.einsum("ijk,ijk->ij", weights, through)
    return Start(weights, biases, None, None)


def _rules_start(
    rows: EncodedRows,
    is_positive: NDArray[np.bool_],
    plan: StartPlan,
    generator: np.random.Generator,
    directions: NDArray[np.intp] | None,
) -> Start:
    """Rules as initialisation (the paper's conclusion): the paths to the positive leaves of a decision tree.

    A path is a conjunction of conditions x_k <= t or x_k > t, each of which is a half-space. The N leaves with the most
    positive weight are used; discriminants beyond the conditions of a path start nearly always true. Conditions against
    the direction of a column are left out: where a leaf is positive, so are all rows further in that direction.
    """
    from sklearn import config_context
    from sklearn.tree import DecisionTreeClassifier

    N, M, features = plan.N, plan.M, rows.X.shape[1]
    sides = [sample(np.flatnonzero(side), _RULE_ROWS // 2, generator) for side in (is_positive, ~is_positive)]
    weights = np.concatenate([rows.weights[side] / rows.weights[side].sum() for side in sides])
    members = np.concatenate(sides)
    tree = DecisionTreeClassifier(
        max_depth=M, max_leaf_nodes=max(2, 3 * N), max_features=int(np.clip(0.8 * features, 1, _RULE_COLUMNS)),
        random_state=int(generator.integers(2**31)), monotonic_cst=directions,
    )  # fmt: skip
    with config_context(assume_finite=True, skip_parameter_validation=True):  # for small tables, most of the time
        tree = tree.fit(rows.X[members], is_positive[members], sample_weight=weights, check_input=False).tree_
    # Small random weights let the open discriminants of one rule become different.
    start = 0.05 * generator.standard_normal((N, M, features))
    if directions is not None:
        start[start * directions < 0] *= -1
    biases = np.full((N, M), _OPEN_BIAS)
    for i, conditions in enumerate(_positive_paths(tree, N)):
        allowed = [each for each in conditions if directions is None or directions[each[0]] * each[1] >= 0]
        for j, (k, sign, threshold) in enumerate(allowed):
            start[i, j] = 0
            start[i, j, k] = sign * _RULE_SLOPE
            biases[i, j] = -sign * _RULE_SLOPE * threshold
    return Start(start, biases, None, None)


def _positive_paths(tree: Any, count: int) -> list[list[tuple[int, int, float]]]:
    """The conditions (feature, 1 for > or -1 for <=, threshold) on the paths to the most positive leaves.

    Of several conditions on the same feature and side, the narrowest is kept. Where there are fewer than `count`
    leaves, the best are repeated: their open discriminants differ, so training may tell them apart.
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
