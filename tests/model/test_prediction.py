"""From a matrix to log-odds: networks, ensembles, pieces of a large table."""

import numpy as np
import pytest
from networks import f32, plain, random_network
from scipy.special import expit, logit

from ldnn import ModularNetworkClassifier
from ldnn._encoding.encoder import Encoder
from ldnn._encoding.normalizer import Normalizer
from ldnn._model import prediction
from ldnn._model.network import Network
from ldnn._model.prediction import ensemble_log_odds, joint_log_odds, matrix_log_odds, modular_log_odds
from ldnn._threads import Workers


@pytest.fixture
def network(random):
    """Three members of two classes' networks."""
    return Network.from_discriminants([random_network(random, 2, 3, 4)[1:] for _ in range(6)])


@pytest.fixture
def X(random):
    return random.standard_normal((40, 4)).astype(f32)


def of_each(of_network, network, X):
    out = np.empty((len(network.parameters), len(X)))
    for c in range(len(out)):
        of_network(network, range(c, c + 1), (X, np.empty((len(X), 0), f32)), out[c : c + 1])
    return out


@pytest.mark.parametrize("of_network", [joint_log_odds, modular_log_odds])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_ensemble_is_the_mean_of_its_members(network, X, of_network, n_jobs):
    """Networks come member by member, and class by class within a member."""
    each = of_each(of_network, network, X)
    with Workers(n_jobs, 6) as workers:
        together = ensemble_log_odds(of_network, network, (X, np.empty((40, 0), f32)), 3, workers)
    expected = [logit(expit(each[[c, c + 2, c + 4]]).mean(axis=0)) for c in range(2)]
    np.testing.assert_allclose(together, expected, rtol=1e-6)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_matrix_is_predicted_piece_by_piece(network, X, monkeypatch, n_jobs):
    encoder = Encoder(np.arange(4), Normalizer(np.full(4, 0.5), np.full(4, 2.0)), [])
    whole = matrix_log_odds(joint_log_odds, encoder, network, X, 1, n_jobs)
    np.testing.assert_allclose(whole, of_each(joint_log_odds, network, (X - f32(0.5)) * 2), rtol=1e-5, atol=1e-5)
    monkeypatch.setattr(prediction, "_NUMBERS_AT_ONCE", 4 * 7)  # seven rows
    monkeypatch.setattr(prediction, "_WORTH_THREADS", 1)
    in_pieces = matrix_log_odds(joint_log_odds, encoder, network, X, 1, n_jobs)
    np.testing.assert_allclose(in_pieces, whole, rtol=1e-6)


@pytest.mark.parametrize("Classifier", [None, ModularNetworkClassifier])
def test_a_row_alone_is_predicted_as_among_others(random, Classifier):
    X = random.standard_normal((100, 3))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    model = plain(3, 3, max_epochs=5, **({} if Classifier is None else {"Classifier": Classifier})).fit(X, y)
    together = model.decision_function(X)
    alone = np.concatenate([model.decision_function(X[i : i + 1]) for i in range(100)])
    np.testing.assert_allclose(alone, together, rtol=1e-5, atol=1e-5)


def test_outputs_that_underflow_are_computed_in_logarithms(random):
    """Of some networks, while others stay as they are."""
    network = Network.from_discriminants([random_network(random, 2, 3, 4)[1:] for _ in range(3)])
    X, none = random.standard_normal((10, 4)).astype(f32), np.empty((10, 0), f32)
    before, out = np.empty((2, 3, 10))
    joint_log_odds(network, range(3), (X, none), before)
    network.parameters[1, 4, :6] -= 500
    joint_log_odds(network, range(3), (X, none), out)
    assert (out[1] < -1000).all()
    np.testing.assert_array_equal(out[1], network.exact_log_odds((X, none), 1))
    np.testing.assert_array_equal(out[::2], before[::2])
