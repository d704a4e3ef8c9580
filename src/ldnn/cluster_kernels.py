"""The compiled inner loops of clustering: k-means and farthest-distance. X (rows, F) is float32 in C order."""

import numpy as np

from .compiling import helper, kernel, small_helper
from .simd import LANES, load, load_splat, multiply_add, smaller, splat, store

f32 = np.float32


@helper
def nearest(X, row, transposed, start, k, distances):
    """The nearest of k centroids to one row, and its squared distance. transposed: (F, columns), from element `start`
    of the array on; distances is room.
    """
    columns = distances.shape[0]
    for first in range(0, columns, 2 * LANES):  # two vectors of clusters at a time, as in `affine`
        second = first + LANES if first + LANES < columns else first
        a = b = splat(f32(0.0))
        offset = start
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


def _transposed(points):
    """Points (..., k, F) as (..., F, columns), where columns is k in whole vectors: so that eight are compared at a
    time.
    """
    *runs, k, features = points.shape
    transposed = np.zeros((*runs, features, -(-k // LANES) * LANES), f32)
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
    """Lloyd's k-means iterations from each of several starts (runs, k, F), in place, until no row changes its cluster;
    returns the weighted inertias (runs,).
    """
    runs, k, features = centroids.shape
    transposed = _transposed(centroids)
    columns = transposed.shape[2]
    sums, distances, counts = np.empty((features, columns), f32), *np.empty((2, columns), f32)
    labels, inertias = np.empty(len(X), np.int64), np.empty(runs)
    _refine(X, weights, transposed.reshape(-1, columns), k, max_iterations, labels, distances, sums, counts, inertias)
    centroids[:] = transposed[:, :, :k].swapaxes(1, 2)
    return inertias


@kernel
def _refine(X, weights, transposed, k, max_iterations, labels, distances, sums, counts, inertias):
    """As `refine`, with the centroids of all runs below each other (runs * F, columns): slices compile slowly."""
    rows, features = X.shape
    for run in range(inertias.shape[0]):
        top = run * features
        for row in range(rows):
            labels[row] = -1
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
                cluster, distance = nearest(X, row, transposed, top * counts.shape[0], k, distances)
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
                        transposed[top + feature, cluster] = sums[feature, cluster] / counts[cluster]
                    else:  # nobody is left: start again from the row that is served worst
                        transposed[top + feature, cluster] = X[farthest_row, feature]
        inertias[run] = inertia


def spread_seeds(X, weights, draws):
    """k-means++ for several runs: rows drawn with probability weight * squared distance to the nearest one so far.

    draws: (runs, k) random numbers below 1. Returns row numbers (runs, at most k): fewer than k if there are not that
    many different rows of positive weight, and then one run only, since every other would be the same.
    """
    transposed = _transposed(X)
    shares, closest = np.empty((2, transposed.shape[1]), f32)
    padded = np.zeros_like(closest)
    padded[: len(X)] = weights
    seeds = np.empty(draws.shape, np.int64)
    found = _spread_seeds(X, transposed, padded, draws, shares, closest, seeds)
    return seeds if found == draws.shape[1] else seeds[:1, :found]


@kernel
def _spread_seeds(X, transposed, weights, draws, shares, closest, seeds):
    """As `spread_seeds`, with the rows transposed too (F, columns); returns how many seeds each run has."""
    rows, features = X.shape
    columns = closest.shape[0]
    for run in range(draws.shape[0]):
        for column in range(0, columns, LANES):
            store(shares, column, load(weights, column))
            store(closest, column, splat(f32(np.inf)))
        for seed in range(draws.shape[1]):
            total = 0.0
            for row in range(rows):
                total += shares[row]
            if not total > 0.0:  # every row lies on a seed already
                return seed
            left = draws[run, seed] * total
            chosen = np.int64(-1)
            for row in range(rows):
                if shares[row] > f32(0.0):
                    chosen = row
                    left -= shares[row]
                    if left < 0.0:
                        break
            seeds[run, seed] = chosen
            for column in range(0, columns, LANES):
                distance = splat(f32(0.0))
                offset = column
                for feature in range(chosen * features, (chosen + 1) * features):
                    difference = load_splat(X, feature) - load(transposed, offset)
                    distance = multiply_add(difference, difference, distance)
                    offset += columns
                nearest_so_far = smaller(distance, load(closest, column))
                store(closest, column, nearest_so_far)
                store(shares, column, nearest_so_far * load(weights, column))
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
