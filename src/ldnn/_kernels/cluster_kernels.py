"""The compiled inner loops of clustering: k-means and farthest-distance. X (rows, F) is float32 in C order."""

import numpy as np

from .compiling import helper, kernel, small_helper
from .simd import LANES, load, load_splat, multiply_add, smaller, splat, store, whole_vectors

f32 = np.float32


@small_helper
def add_square(total, X, feature, centroids, offset):
    """The total and the squared differences between one number of X and eight of the centroids."""
    difference = load_splat(X, feature) - load(centroids, offset)
    return multiply_add(difference, difference, total)


@helper
def nearest(X, row, transposed, start, k, distances):
    """The nearest of k centroids to one row, and its squared distance. transposed: (F, columns), from element `start`
    of the array on; distances is room.
    """
    columns = distances.shape[0]
    features = X.shape[1]
    for first in range(start, start + columns, LANES):
        a = b = c = d = splat(f32(0.0))  # four sums side by side, as in `kernels.affine`
        offset = first
        feature = row * features
        end = feature + features
        while feature + 4 <= end:
            a = add_square(a, X, feature, transposed, offset)
            b = add_square(b, X, feature + 1, transposed, offset + columns)
            c = add_square(c, X, feature + 2, transposed, offset + 2 * columns)
            d = add_square(d, X, feature + 3, transposed, offset + 3 * columns)
            offset += 4 * columns
            feature += 4
        while feature < end:
            a = add_square(a, X, feature, transposed, offset)
            offset += columns
            feature += 1
        store(distances, first - start, (a + b) + (c + d))
    best = 0
    for cluster in range(1, k):
        if distances[cluster] < distances[best]:
            best = cluster
    return best, distances[best]


def _transposed(points):
    """Points (..., k, F) as (..., F, columns), where columns is k in whole vectors: so that eight are compared at a
    time.
    """
    *runs, k, features = points.shape
    transposed = np.zeros((*runs, features, whole_vectors(k)), f32)
    transposed[..., :k] = points.swapaxes(-1, -2)
    return transposed


def assign(X, centroids, labels):
    """labels[row] = the number of the centroid nearest to the row."""
    transposed = _transposed(centroids)
    _assign(X, transposed, len(centroids), np.empty(transposed.shape[1], f32), labels)


@kernel
def _assign(X, transposed, k, distances, labels):
    for row in range(X.shape[0]):
        labels[row], _ = nearest(X, row, transposed, 0, k, distances)


@small_helper
def squared_distance(X, row, centroids, cluster):
    total = f32(0.0)
    for feature in range(X.shape[1]):
        difference = X[row, feature] - centroids[cluster, feature]
        total += difference * difference
    return total


def refine(X, weights, centroids, max_iterations):
    """Lloyd's k-means iterations from each of several starts (runs, k, F), in place, until nothing gets better; returns
    the weighted inertias (runs,).
    """
    runs, k, features = centroids.shape
    transposed = _transposed(centroids)
    columns = transposed.shape[2]
    sums, distances, counts = np.empty((k, features), f32), *np.empty((2, columns), f32)
    inertias = np.empty(runs)
    _refine(X, weights, transposed.reshape(-1, columns), k, max_iterations, distances, sums, counts, inertias)
    centroids[:] = transposed[:, :, :k].swapaxes(1, 2)
    return inertias


@kernel
def _refine(X, weights, transposed, k, max_iterations, distances, sums, counts, inertias):
    """As `refine`, with the centroids of all runs below each other (runs * F, columns): slices compile slowly."""
    rows, features = X.shape
    for run in range(inertias.shape[0]):
        top = run * features
        last = np.inf
        for _ in range(max_iterations):
            for cluster in range(k):
                counts[cluster] = f32(0.0)
                for feature in range(features):
                    sums[cluster, feature] = f32(0.0)
            inertia = 0.0
            for row in range(rows):
                cluster, distance = nearest(X, row, transposed, top * counts.shape[0], k, distances)
                weight = weights[row]
                inertia += weight * distance
                counts[cluster] += weight
                for feature in range(features):
                    sums[cluster, feature] += weight * X[row, feature]
            inertias[run] = inertia
            if not inertia < last:
                break
            last = inertia
            for cluster in range(k):
                if counts[cluster] > f32(0.0):  # one that nobody is nearest to stays where it is
                    for feature in range(features):
                        transposed[top + feature, cluster] = sums[cluster, feature] / counts[cluster]


def spread_seeds(X, weights, draws):
    """k-means++ for several runs: rows drawn with probability weight * squared distance to the nearest one so far.

    draws: (runs, k) random numbers below 1. Returns row numbers (runs, at most k): fewer than k if there are not that
    many different rows of positive weight, and then one run only, since every other would be the same.
    """
    transposed = _transposed(X)
    totals = np.cumsum(weights, dtype=np.float64)
    seeds = np.empty(draws.shape, np.int64)
    first = np.searchsorted(totals, draws[:, 0] * totals[-1], side="right")
    seeds[:, 0] = first.clip(max=len(X) - 1)  # a draw next to 1 may be rounded to the whole
    found = _spread_seeds(X, transposed, weights, draws, np.empty(transposed.shape[1], f32), seeds)
    return seeds if found == draws.shape[1] else seeds[:1, :found]


@kernel
def _spread_seeds(X, transposed, weights, draws, closest, seeds):
    """As `spread_seeds`, with the rows transposed too (F, columns); returns how many seeds each run has, of which the
    first are given. closest is room.
    """
    rows, features = X.shape
    columns = closest.shape[0]
    for run in range(draws.shape[0]):
        for column in range(0, columns, LANES):
            store(closest, column, splat(f32(np.inf)))
        for seed in range(1, draws.shape[1]):
            last = seeds[run, seed - 1] * features
            for column in range(0, columns, LANES):
                distance = splat(f32(0.0))
                offset = column
                for feature in range(last, last + features):
                    distance = add_square(distance, X, feature, transposed, offset)
                    offset += columns
                store(closest, column, smaller(distance, load(closest, column)))
            left = 0.0
            for row in range(rows):
                left += closest[row] * weights[row]
            if not left > 0.0:  # every row lies on a seed already
                return seed
            left *= draws[run, seed]
            for row in range(rows):
                share = closest[row] * weights[row]
                if share > f32(0.0) and left >= 0.0:
                    seeds[run, seed] = row
                    left -= share
    return draws.shape[1]


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
