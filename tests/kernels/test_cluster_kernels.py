"""The compiled loops of k-means and of farthest-distance clustering."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from ldnn._kernels import cluster_kernels
from ldnn._kernels.cluster_kernels import spread_seeds


def test_kmeans_agrees_with_scikit_learn(random):
    X = random.standard_normal((300, 4)).astype(np.float32)
    weights = random.uniform(0.5, 2, 300).astype(np.float32)
    seeds = X[spread_seeds(X, weights, random.random((2, 6)))]
    theirs = KMeans(6, init=seeds[1].copy(), n_init=1, tol=0, max_iter=300).fit(X, sample_weight=weights)
    inertia = cluster_kernels.refine(X, weights, seeds, 300)
    np.testing.assert_allclose(seeds[1], theirs.cluster_centers_, atol=1e-4)
    assert inertia[1] == pytest.approx(theirs.inertia_, rel=1e-5)


def test_a_centroid_that_no_row_is_nearest_to_stays(random):
    X = random.standard_normal((50, 2)).astype(np.float32)
    far = np.array([100, 100], np.float32)
    centroids = np.stack([X[0], far])[None]
    cluster_kernels.refine(X, np.ones(50, np.float32), centroids, 10)
    np.testing.assert_allclose(centroids[0], [X.mean(axis=0), far], atol=1e-5)


@given(st.integers(1, 20), st.integers(1, 11), st.integers(0, 2**32 - 1))
def test_rows_are_assigned_to_the_nearest_centroid(k, features, seed):
    random = np.random.default_rng(seed)
    X = random.standard_normal((30, features)).astype(np.float32)
    centroids = random.standard_normal((k, features)).astype(np.float32)
    labels = np.empty(30, np.int64)
    cluster_kernels.assign(X, centroids, labels)
    distances = np.linalg.norm(X[:, None].astype(float) - centroids, axis=2)
    np.testing.assert_allclose(distances[np.arange(30), labels], distances.min(axis=1), rtol=1e-5)


def test_seeds_are_different_rows_and_far_rows_are_likelier(random):
    X = np.concatenate([random.standard_normal((95, 2)), 50 + random.standard_normal((5, 2))]).astype(np.float32)
    weights = np.ones(100, np.float32)
    seeds = spread_seeds(X, weights, random.random((200, 2)))
    assert seeds.shape == (200, 2)
    assert (seeds[:, 0] != seeds[:, 1]).all()
    assert np.mean((seeds >= 95).any(axis=1)) > 0.95
    assert len(np.unique(seeds[:, 0])) > 60
    weights[:95] = 0
    assert (spread_seeds(X, weights, random.random((50, 3))) >= 95).all()
    assert spread_seeds(X[[0, 0, 1, 1, 1]], np.ones(5, np.float32), random.random((50, 4))).shape == (1, 2)


def test_seeds_are_drawn_by_weight_and_squared_distance(random):
    X = np.array([[0.0], [1.0], [3.0]], np.float32)
    weights = np.array([1, 2, 1], np.float32)
    seeds = spread_seeds(X, weights, random.random((40_000, 2)))
    for first, second, probability in [(0, 1, 2 / 11), (0, 2, 9 / 11), (1, 0, 1 / 5), (1, 2, 4 / 5), (2, 1, 8 / 17)]:
        assert np.mean(seeds[seeds[:, 0] == first, 1] == second) == pytest.approx(probability, abs=0.02)
    assert np.mean(seeds[:, 0] == 1) == pytest.approx(0.5, abs=0.02)


def test_farthest_threshold_covers_every_row(random):
    X = random.uniform(size=(500, 2)).astype(np.float32)
    for threshold in (0.1, 0.3, 5.0):
        chosen = np.empty(500, np.int64)
        found = cluster_kernels.farthest_first(X, 0, 500, threshold, chosen)
        distances = np.linalg.norm(X[:, None] - X[chosen[:found]][None], axis=2)
        assert distances.min(axis=1).max() <= threshold + 1e-6
        between = distances[chosen[:found]] + 10 * np.eye(found)
        assert between.min() > threshold


def test_farthest_rows_come_in_their_order():
    X = np.array([[0.0], [1.0], [10.0], [-4.0], [6.0]], np.float32)
    chosen = np.empty(5, np.int64)
    assert cluster_kernels.farthest_first(X, 0, 4, 0.0, chosen) == 4
    assert chosen[:4].tolist() == [0, 2, 3, 4]
