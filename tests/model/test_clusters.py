"""Clusters of the two sides of a network."""

import numpy as np
import pytest

from ldnn import LDNNClassifier, farthest_centroids
from ldnn._encoding.rows import EncodedRows
from ldnn._kernels import cluster_kernels
from ldnn._kernels.cluster_kernels import spread_seeds
from ldnn._model import clusters
from ldnn._model.clusters import centroids_of, farthest_point_centroids, nearest_centroids, sample
from ldnn._model.starts import start_network
from ldnn._plan import StartPlan
from ldnn.datasets import make_two_spirals


def rows_of(X, y, weights=None):
    X = np.ascontiguousarray(X, np.float32)
    weights = np.ones(len(X)) if weights is None else np.asarray(weights, float)
    return EncodedRows(X, np.empty((len(X), 0), np.float32), np.asarray(y, np.int32), weights)


@pytest.fixture
def groups(random):
    """Three groups of class 1 and two of class 0, far apart."""
    centers = np.array([[0, 0], [10, 0], [0, 10], [10, 10], [20, 20]])
    group = np.repeat(np.arange(5), 100)
    return centers, rows_of(centers[group] + 0.1 * random.standard_normal((500, 2)), group < 3)


def same_points(found, expected, tolerance):
    distances = np.linalg.norm(found[:, None] - expected[None], axis=2)
    return found.shape == expected.shape and (distances.min(axis=0) < tolerance).all()


@pytest.mark.parametrize("method", ["kmeans", "farthest"])
def test_clusters_find_the_groups(groups, random, method):
    centers, rows = groups
    start = start_network(rows, 1, StartPlan(method, 3, 2, 10), random)
    assert same_points(start.positive_centroids, centers[:3], 0.1)
    assert same_points(start.negative_centroids, centers[3:], 0.1)
    assert start.weights.shape == (3, 2, 2)


def test_more_restarts_are_not_worse(random):
    X = random.standard_normal((400, 2))
    rows = rows_of(X, np.arange(400) % 2)

    def inertia(n_init):
        plan = StartPlan("kmeans", 10, 10, n_init)
        centroids = centroids_of(rows, np.arange(1, 400, 2), 10, plan, np.random.default_rng(0))
        return np.min(np.linalg.norm(X[1::2][:, None] - centroids[None], axis=2) ** 2, axis=1).sum()

    assert inertia(50) <= inertia(1)


def test_a_race_of_many_starts_finds_what_finishing_all_of_them_would(random, monkeypatch):
    centers = 6 * random.standard_normal((12, 3))
    X = (centers[random.integers(12, size=1500)] + random.standard_normal((1500, 3))).astype(np.float32)
    weights = np.ones(len(X), np.float32)
    starts = X[spread_seeds(X, weights, random.random((50, 12)))]

    def inertia(runs):
        best = clusters._best_centroids(X, weights, runs.copy())
        return cluster_kernels.refine(X, weights, best[None].copy(), 1)[0]

    each = [inertia(run[None]) for run in starts]
    raced = inertia(starts)
    assert raced <= np.quantile(each, 0.1)
    assert inertia(starts[: clusters.FINALISTS]) == min(each[: clusters.FINALISTS])
    monkeypatch.setattr(clusters, "FINALISTS", 50)
    assert inertia(starts) == min(each)


def test_large_sides_are_finished_on_more_rows_than_they_are_started_on(random):
    """The centroid of one cluster is the mean of at most 400 rows, not of the 40 of a restart."""
    X = random.standard_normal((400, 1))
    plan = StartPlan("kmeans", 1, 1, 3)
    np.testing.assert_allclose(
        centroids_of(rows_of(X, np.ones(400)), np.arange(400), 1, plan, random), [X.mean(axis=0)], rtol=1e-4
    )


def test_heavy_rows_pull_the_centroid(random):
    rows = rows_of([[0.0], [1.0], [9.0]], [1, 1, 0], [1, 3, 1])
    for method in ("kmeans", "farthest"):
        centroids = centroids_of(rows, np.array([0, 1]), 1, StartPlan(method, 1, 1, 5), random)
        np.testing.assert_allclose(centroids, [[0.75]], rtol=1e-6)


@pytest.mark.parametrize("method", ["kmeans", "farthest"])
def test_fewer_points_than_clusters(random, method):
    rows = rows_of([[0.0], [0.0], [1.0], [5.0]], [1, 1, 1, 0])
    start = start_network(rows, 1, StartPlan(method, 10, 10, 5), random)
    assert same_points(start.positive_centroids, np.array([[0.0], [1.0]]), 1e-6)
    assert start.biases.shape == (2, 1)


def test_a_sample_is_in_order_and_without_copies(random):
    members = np.arange(0, 100, 2)
    np.testing.assert_array_equal(sample(members, 50, random), members)
    few = sample(members, 10, random)
    assert len(set(few.tolist())) == 10
    assert set(few) <= set(members)
    assert (np.diff(few) > 0).all()


def test_two_spirals_have_the_papers_numbers_of_clusters():
    X, y = make_two_spirals()
    for threshold, count in ((2.2, 18), (2.0, 21), (1.5, 27)):
        for label in (0, 1):
            side = X[y == label].astype(np.float32)
            assert len(farthest_point_centroids(side, np.ones(97), 1, threshold)) == count
            assert len(farthest_centroids(X[y == label], threshold)) == count


def test_rows_belong_to_the_nearest_centroid_of_their_own_side():
    rows = rows_of([[0.0], [9.0], [0.2], [9.1]], [1, 1, 0, 0])
    positive, negative = np.array([[10.0], [0.0]], np.float32), np.array([[0.0], [5.0], [9.0]], np.float32)
    assert nearest_centroids(rows, 1, positive, negative).tolist() == [1, 0, 0, 2]


class TestFarthestCentroids:
    def test_no_row_is_farther_than_the_threshold_from_the_rows_that_were_chosen(self, random):
        """Centroids are the means of clusters, so they may lie a threshold away from these."""
        X = random.uniform(size=(300, 2))
        found = farthest_centroids(X, 0.3)
        assert np.linalg.norm(X[:, None] - found[None], axis=2).min(axis=1).max() <= 0.6
        assert len(farthest_centroids(X, 0.15)) > len(found) > len(farthest_centroids(X, 2.0)) == 1
        np.testing.assert_allclose(farthest_centroids(X, 2.0), X.mean(axis=0)[None], rtol=1e-5)

    def test_copies_of_rows_and_their_order_do_not_matter(self, random):
        X = random.uniform(size=(100, 2))
        copies = random.permutation(np.repeat(X, random.integers(1, 5, 100), axis=0))
        np.testing.assert_array_equal(farthest_centroids(X, 0.3), farthest_centroids(copies, 0.3))

    def test_a_model_starts_from_them(self):
        X, y = make_two_spirals()
        init = farthest_centroids(X[y == 1], 2.2), farthest_centroids(X[y == 0], 2.2)
        model = LDNNClassifier.from_paper(init=init, normalize=None, max_epochs=1, random_state=0).fit(X, y)
        assert model.sizes_.tolist() == [[18, 18]]

    @pytest.mark.parametrize(
        ("X", "threshold", "message"),
        [
            (np.ones(3), 1.0, "rows and columns"),
            (np.ones((0, 3)), 1.0, "rows and columns"),
            (np.ones((3, 2)), 0.0, "distance_threshold=0.0 must be positive"),
            (np.ones((3, 2)), np.nan, "distance_threshold=nan must be positive"),
            (np.array([[0.0], [np.nan]]), 1.0, "NaN"),
            (np.array([[0.0], [np.inf]]), 1.0, "infinity"),
        ],
    )
    def test_wrong_calls(self, X, threshold, message):
        with pytest.raises(ValueError, match=message):
            farthest_centroids(X, threshold)
