import numpy as np
import pytest
from networks import plain

from ldnn import LDNNClassifier, cluster_kernels, initialize
from ldnn.cluster_kernels import spread_seeds
from ldnn.initialize import Clustering, _farthest_centroids, start_from_clusters
from ldnn.rows import Rows


def rows_of(X, codes, weights=None):
    X = np.ascontiguousarray(X, np.float32)
    weights = np.ones(len(X)) if weights is None else np.asarray(weights, float)
    return Rows(X, np.empty((len(X), 0), np.float32), np.asarray(codes, np.int32), weights)


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
    start = start_from_clusters(rows, 1, Clustering(method, 3, 2, 10, None), random)
    assert same_points(start.positive_centroids, centers[:3], 0.1)
    assert same_points(start.negative_centroids, centers[3:], 0.1)
    assert start.weights.shape == (3, 2, 2)


def test_kmeans_agrees_with_scikit_learn(random):
    from sklearn.cluster import KMeans

    X = random.standard_normal((300, 4)).astype(np.float32)
    weights = random.uniform(0.5, 2, 300).astype(np.float32)
    seeds = X[spread_seeds(X, weights, random.random((2, 6)))]
    theirs = KMeans(6, init=seeds[1].copy(), n_init=1, tol=0, max_iter=300).fit(X, sample_weight=weights)
    inertia = cluster_kernels.refine(X, weights, seeds, 300)
    np.testing.assert_allclose(seeds[1], theirs.cluster_centers_, atol=1e-4)
    assert inertia[1] == pytest.approx(theirs.inertia_, rel=1e-5)


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


def test_more_restarts_are_not_worse(random):
    X = random.standard_normal((400, 2))
    rows = rows_of(X, np.arange(400) % 2)

    def inertia(n_init):
        start = start_from_clusters(rows, 1, Clustering("kmeans", 10, 10, n_init, None), np.random.default_rng(0))
        members = X[1::2]
        return np.min(np.linalg.norm(members[:, None] - start.positive_centroids[None], axis=2) ** 2, axis=1).sum()

    assert inertia(50) <= inertia(1)


def test_a_race_of_many_starts_finds_what_finishing_all_of_them_would(random, monkeypatch):
    centers = 6 * random.standard_normal((12, 3))
    X = (centers[random.integers(12, size=1500)] + random.standard_normal((1500, 3))).astype(np.float32)
    weights = np.ones(len(X), np.float32)
    starts = X[spread_seeds(X, weights, random.random((50, 12)))]

    def inertia(runs):
        best = initialize._best_centroids(X, weights, runs.copy())
        return cluster_kernels.refine(X, weights, best[None].copy(), 1)[0]

    each = [inertia(run[None]) for run in starts]
    raced = inertia(starts)
    assert raced <= np.quantile(each, 0.1)
    assert inertia(starts[: initialize.FINALISTS]) == min(each[: initialize.FINALISTS])
    monkeypatch.setattr(initialize, "FINALISTS", 50)
    assert inertia(starts) == min(each)


def test_heavy_rows_pull_the_centroid(random):
    rows = rows_of([[0.0], [1.0], [9.0]], [1, 1, 0], [1, 3, 1])
    for method in ("kmeans", "farthest"):
        start = start_from_clusters(rows, 1, Clustering(method, 1, 1, 5, None), random)
        np.testing.assert_allclose(start.positive_centroids, [[0.75]], rtol=1e-6)


@pytest.mark.parametrize("method", ["kmeans", "farthest"])
def test_fewer_points_than_clusters(random, method):
    rows = rows_of([[0.0], [0.0], [1.0], [5.0]], [1, 1, 1, 0])
    start = start_from_clusters(rows, 1, Clustering(method, 10, 10, 5, None), random)
    assert same_points(start.positive_centroids, np.array([[0.0], [1.0]]), 1e-6)
    assert start.biases.shape == (2, 1)


def test_farthest_threshold_covers_every_row(random):
    X = random.uniform(size=(500, 2)).astype(np.float32)
    for threshold in (0.1, 0.3, 5.0):
        chosen = np.empty(500, np.int64)
        found = cluster_kernels.farthest_first(X, 0, 500, threshold, chosen)
        distances = np.linalg.norm(X[:, None] - X[chosen[:found]][None], axis=2)
        assert distances.min(axis=1).max() <= threshold + 1e-6
        between = distances[chosen[:found]] + 10 * np.eye(found)
        assert between.min() > threshold


def test_two_spirals_have_the_papers_numbers_of_clusters():
    from ldnn.datasets import make_two_spirals

    X, y = make_two_spirals()
    for threshold, count in ((2.2, 18), (2.0, 21), (1.5, 27)):
        for label in (0, 1):
            side = X[y == label].astype(np.float32)
            assert len(_farthest_centroids(side, np.ones(97), 1, threshold)) == count


def test_random_start_is_neither_dead_nor_saturated(random):
    from ldnn import reference

    X = random.standard_normal((200, 5))
    for N, M in ((1, 1), (10, 8), (3, 30)):
        start = start_from_clusters(rows_of(X, np.arange(200) % 2), 1, Clustering("random", N, M, 1, None), random)
        outputs = [reference.network(x, start.weights, start.biases) for x in X]
        assert 0.05 < np.mean(outputs) < 0.95
        assert start.positive_centroids is None


def test_voters_start_in_different_ways(random):
    """In "auto": clusters, at random, rules. One network alone starts from clusters, as in the paper."""
    X = random.standard_normal((200, 3))
    y = X @ random.standard_normal((3, 3)).T
    y = y.argmax(axis=1)
    voters = plain(2, 2, init="auto", n_networks=4).fit(X, y)
    has_clusters = [positive is not None for positive, _ in voters._state.centroids]
    assert has_clusters == 3 * [True] + 6 * [False] + 3 * [True]
    is_condition = [np.any(np.count_nonzero(w, axis=-1) == 1) for w in voters.initial_weights_]
    assert is_condition == 6 * [False] + 3 * [True] + 3 * [False]
    clusters = plain(2, 2, init="kmeans", n_networks=4).fit(X, y)
    assert all(positive is not None for positive, _ in clusters._state.centroids)
    alone = [plain(2, 2, init=init).fit(X, y).weights_ for init in ("auto", "kmeans")]
    np.testing.assert_array_equal(*alone)


def test_first_half_spaces_are_limited_where_asked_for_and_in_wide_tables(random):
    """At centroids that are far apart, as they are among hundreds of columns, sigmas would be 0 or 1."""

    y = np.repeat([0, 1], 60)
    wide = random.standard_normal((120, 200)) + y[:, None]
    narrow = wide[:, :20]

    def slopes(X, **settings):
        """The lengths of the first normals, in normalised units."""
        settings = {"max_epochs": 1, "validation_fraction": 0, "random_state": 0, **settings}
        model = LDNNClassifier(2, 2, bends=None, n_networks=1, loss="squared", step_size=1e-9, **settings).fit(X, y)
        return np.linalg.norm(model.normalized_weights_, axis=-1).ravel()

    np.testing.assert_allclose(slopes(wide), 1, rtol=1e-5)  # as in the paper
    np.testing.assert_allclose(slopes(narrow, max_epochs="auto"), 1, rtol=1e-5)
    assert slopes(wide, max_epochs="auto").max() < 0.5
    assert slopes(narrow, init_limit=0.5).max() < 0.5
    np.testing.assert_allclose(slopes(wide, max_epochs="auto", init_limit=None), 1, rtol=1e-5)
