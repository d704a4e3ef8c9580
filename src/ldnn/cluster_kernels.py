"""The compiled inner loops of clustering: k-means and farthest-distance. X (rows, F) is float32 in C order."""

import numpy as np

from .compiling import helper, kernel, small_helper
from .simd import LANES, load, load_splat, multiply_add, splat, store

f32 = np.float32


@helper
def nearest(X, row, transposed, k, distances):
    """The nearest of k centroids, transposed (F, columns), to one row, and its squared distance; distances is room."""
    columns = distances.shape[0]
    for first in range(0, columns, 2 * LANES):  # two vectors of clusters at a time, as in `affine`
        second = first + LANES if first + LANES < columns else first
        a = b = splat(f32(0.0))
        offset = 0
        for feature in range(row * X.shape[1], (row + 1) * X.shape[1]):
            x = load_splat(X, feature)
            difference = x - load(transposed, offset + first)
            a = multiply_add(difference, difference, a)
            difference = x - load(transposed, offset + second)
            b = multiply_add(difference, difference, b)
            offset += columns
        store(distances, first, a)
        store(distances, second, b)
    best = 0
    for cluster in range(1, k):
        if distances[cluster] < distances[best]:
            best = cluster
    return best, distances[best]


def _transposed(centroids):
    """Centroids (k, F) as (F, columns), where columns is k in whole vectors: so that eight are compared at a time."""
    k, features = centroids.shape
    transposed = np.zeros((features, -(-k // LANES) * LANES), f32)
    transposed[:, :k] = centroids.T
    return transposed


def assign(X, centroids, labels):
    """labels[row] = the number of the centroid nearest to the row."""
    transposed = _transposed(centroids)
    _assign(X, transposed, len(centroids), np.empty(transposed.shape[1], f32), labels)


@kernel
def _assign(X, transposed, k, distances, labels):
    for row in range(X.shape[0]):
        labels[row], _ = nearest(X, row, transposed, k, distances)


@small_helper
def squared_distance(X, row, centroids, cluster):
    total = f32(0.0)
    for feature in range(X.shape[1]):
        difference = X[row, feature] - centroids[cluster, feature]
        total += difference * difference
    return total


def refine(X, weights, centroids, max_iterations):
    """Lloyd's k-means iterations, in place, until no row changes its cluster; returns the weighted inertia."""
    transposed = _transposed(centroids)
    sums, distances, counts = np.empty_like(transposed), *np.empty((2, transposed.shape[1]), f32)
    labels = np.full(len(X), -1, np.int64)
    inertia = _refine(X, weights, transposed, len(centroids), max_iterations, labels, distances, sums, counts)
    centroids[:] = transposed[:, : len(centroids)].T
    return inertia


@kernel
def _refine(X, weights, transposed, k, max_iterations, labels, distances, sums, counts):
    """As `refine`, with centroids and sums (F, columns)."""
    rows, features = X.shape
    inertia = np.inf
    for _ in range(max_iterations):
        for cluster in range(k):
            counts[cluster] = f32(0.0)
            for feature in range(features):
                sums[feature, cluster] = f32(0.0)
        inertia = 0.0
        changed = False
        farthest_row = 0
        farthest = f32(-1.0)
        for row in range(rows):
            cluster, distance = nearest(X, row, transposed, k, distances)
            changed = changed or cluster != labels[row]
            labels[row] = cluster
            weight = weights[row]
            inertia += weight * distance
            counts[cluster] += weight
            for feature in range(features):
                sums[feature, cluster] += weight * X[row, feature]
            if distance > farthest:
                farthest, farthest_row = distance, row
        if not changed:
            break
        for cluster in range(k):
            for feature in range(features):
                if counts[cluster] > f32(0.0):
                    transposed[feature, cluster] = sums[feature, cluster] / counts[cluster]
                else:  # nobody is left: start again from the row that is served worst
                    transposed[feature, cluster] = X[farthest_row, feature]
    return inertia


@kernel
def farthest_first(X, start, k, threshold, centroids):
    """Farthest-distance clustering: the row farthest from all centroids becomes the next, until k are found or none is
    farther than the threshold; centroids[:found] get their row numbers. Returns found.
    """
    closest = np.empty(X.shape[0], f32)
    chosen = start
    for cluster in range(k):
        centroids[cluster] = chosen
        farthest = f32(-1.0)
        current = chosen
        for row in range(X.shape[0]):
            distance = squared_distance(X, row, X, current)
            closest[row] = distance if cluster == 0 or distance < closest[row] else closest[row]
            if closest[row] > farthest:
                farthest, chosen = closest[row], row
        if np.sqrt(farthest) <= threshold:
            return cluster + 1
    return k
