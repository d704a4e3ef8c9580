"""The compiled inner loops of clustering: k-means and farthest-distance. X (rows, F) is float32 in C order."""

import numpy as np

from .compiling import helper, kernel, small_helper
from .simd import LANES, load, load_splat, multiply_add, splat, store

f32 = np.float32


@helper
def nearest(X, row, transposed, k, distances):
    """The nearest of k centroids to one row, and its squared distance; centroids come as `transpose` leaves them."""
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


@small_helper
def transpose(centroids, columns, transposed):
    """The centroids (k, F) as an (F, columns) array in one dimension, so that eight are compared at a time."""
    for feature in range(centroids.shape[1]):
        for cluster in range(columns):
            value = centroids[cluster, feature] if cluster < centroids.shape[0] else f32(0.0)
            transposed[feature * columns + cluster] = value


@kernel
def assign(X, centroids, labels):
    """labels[row] = the number of the centroid nearest to the row."""
    k = centroids.shape[0]
    columns = (k + LANES - 1) // LANES * LANES
    transposed = np.empty(X.shape[1] * columns, f32)
    distances = np.empty(columns, f32)
    transpose(centroids, columns, transposed)
    for row in range(X.shape[0]):
        labels[row], _ = nearest(X, row, transposed, k, distances)


@small_helper
def squared_distance(X, row, centroids, cluster):
    total = f32(0.0)
    for feature in range(X.shape[1]):
        difference = X[row, feature] - centroids[cluster, feature]
        total += difference * difference
    return total


@kernel
def refine(X, weights, centroids, max_iterations):
    """Lloyd's k-means iterations, in place, until no row changes its cluster; returns the weighted inertia."""
    rows, features = X.shape
    k = centroids.shape[0]
    columns = (k + LANES - 1) // LANES * LANES
    transposed = np.empty(features * columns, f32)
    distances = np.empty(columns, f32)
    labels = np.empty(rows, np.int64)
    sums = np.empty(k * features, f32)
    counts = np.empty(k, f32)
    inertia = np.inf
    for iteration in range(max_iterations):
        transpose(centroids, columns, transposed)
        for cluster in range(k):
            counts[cluster] = f32(0.0)
            for feature in range(features):
                sums[cluster * features + feature] = f32(0.0)
        inertia = 0.0
        changed = iteration == 0
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
                sums[cluster * features + feature] += weight * X[row, feature]
            if distance > farthest:
                farthest, farthest_row = distance, row
        if not changed:
            break
        for cluster in range(k):
            for feature in range(features):
                if counts[cluster] > f32(0.0):
                    centroids[cluster, feature] = sums[cluster * features + feature] / counts[cluster]
                else:  # nobody is left: start again from the row that is served worst
                    centroids[cluster, feature] = X[farthest_row, feature]
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
