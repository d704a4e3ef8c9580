"""The starts of all members and classes, as one network."""

from dataclasses import replace

import numpy as np
import pytest
from networks import plain

from ldnn._encoding.fit_encoder import fit_encoder
from ldnn._model.initial_network import find_starts, initial_network, with_learning_rate
from ldnn._model.starts import Start
from ldnn._plan import EncodingPlan, KnotPlan, Plan, StartPlan, TrainingPlan
from ldnn._table.training_table import TrainingTable

TRAINING = TrainingPlan("squared", 0.2, 0.25, "linear", 0.0, 3, 1, "loss", 1, False)


@pytest.fixture
def table(random):
    X = np.column_stack([random.standard_normal((200, 2)), random.integers(0, 3, 200)])
    y = (X[:, 0] > 0).astype(np.int32)
    return TrainingTable(X, np.arange(200), y, np.ones(200), np.array([False, False, True]), 2)


def prepared(table, random, **changes):
    """A plan with two piecewise-linear and one linear member, its encoder, rows and starts."""
    encoding = EncodingPlan("standard", KnotPlan("mixed", 8))
    plan = replace(Plan(encoding, StartPlan("random", 2, 3, 1), TRAINING, n_estimators=3, n_linear=1), **changes)
    encoder = fit_encoder(table, encoding, random)
    rows = encoder.encode_table(table)
    starts = []
    for _ in range(plan.n_estimators):
        width = encoder.n_numbers + 3
        starts.append(Start(random.standard_normal((2, 3, width)), random.standard_normal((2, 3)), None, None))
    return plan, encoder, rows, starts


def test_members_start_in_different_ways(random):
    """In "auto": clusters, at random, rules. One network alone starts from clusters, as in the paper."""
    X = random.standard_normal((200, 3))
    y = X @ random.standard_normal((3, 3)).T
    y = y.argmax(axis=1)
    ensemble = plain(2, 2, init="auto", n_estimators=4).fit(X, y)
    has_clusters = [positive is not None for positive, _ in ensemble._state.centroids]
    assert has_clusters == 3 * [True] + 6 * [False] + 3 * [True]
    is_condition = [np.any(np.count_nonzero(w, axis=-1) == 1) for w in ensemble.initial_weights_]
    assert is_condition == 6 * [False] + 3 * [True] + 3 * [False]
    clusters = plain(2, 2, init="kmeans", n_estimators=4).fit(X, y)
    assert all(positive is not None for positive, _ in clusters._state.centroids)
    alone = [plain(2, 2, init=init).fit(X, y).weights_ for init in ("auto", "kmeans")]
    np.testing.assert_array_equal(*alone)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_all_plans_use_the_same_seeds_whatever_the_threads(table, n_jobs):
    encoder = fit_encoder(table, EncodingPlan("standard"), np.random.default_rng(0))
    space = encoder.encode_table(table)
    plans = [StartPlan("random", 2, 2, 1), StartPlan("random", 2, 2, 1), StartPlan("kmeans", 2, 2, 1)]
    found = find_starts([space] * 3, plans, [1, 1], np.random.default_rng(7), n_jobs)
    alone = find_starts([space], plans[:1], [1, 1], np.random.default_rng(7), 1)[0]
    for one, other in zip(found[0], alone, strict=True):
        np.testing.assert_array_equal(one.weights, other.weights)
    for one, other in zip(found[0], found[1], strict=True):
        np.testing.assert_array_equal(one.weights, other.weights)
    assert not np.array_equal(found[0][0].weights, found[0][1].weights)  # members differ
    assert found[2][0].positive_centroids is not None


def test_half_spaces_are_those_of_the_starts_and_zero_at_the_knots(table, random):
    plan, encoder, rows, starts = prepared(table, random, n_linear=0)
    network = initial_network(plan, encoder, rows, starts)
    weights, biases = network.discriminants()
    np.testing.assert_allclose(weights[1, ..., :2], starts[1].weights[..., :2], rtol=1e-6)
    np.testing.assert_allclose(biases, [start.biases for start in starts], rtol=1e-6)
    np.testing.assert_allclose(weights[1, ..., -3:], starts[1].weights[..., 2:], rtol=1e-6)
    assert not weights[..., 2:-3].any()
    assert weights.shape[-1] == encoder.n_features > 5
    assert all(own is network.bases for own in network.own_bases)


def test_the_last_members_are_linear(table, random):
    plan, encoder, rows, starts = prepared(table, random)
    network = initial_network(plan, encoder, rows, starts)
    assert [own.tolist() for own in network.own_bases[:2]] == [encoder.basis_table.tolist()] * 2
    assert network.own_bases[2].tolist() == encoder.linear_basis_table.tolist()
    assert network.own_bases[2][:, 2].tolist() == [0, 0, 1]
    assert network.rate_factors == [1, 1, 1]  # the user's own learning rate is that of all members


def test_linear_members_have_their_own_relative_rate(table, random):
    plan, encoder, rows, starts = prepared(table, random, relative_rate=10.0, linear_rate=4.0)
    plan = with_learning_rate(plan, encoder.mean_squared_norm(rows))
    rate, norm = plan.training.learning_rate, encoder.mean_squared_norm(rows)
    assert rate == pytest.approx(10.0 / norm)
    factors = initial_network(plan, encoder, rows, starts).rate_factors
    assert factors[:2] == [1, 1]
    assert rate * factors[2] == pytest.approx(4.0 / encoder.mean_squared_norm(rows, linear=True))


def test_a_learning_rate_of_the_user_stays(table, random):
    plan, encoder, rows, _ = prepared(table, random)
    assert with_learning_rate(plan, encoder.mean_squared_norm(rows)) is plan
