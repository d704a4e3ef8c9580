"""Probabilities: the logistic function, or the softmax, of the log-odds times an inverse temperature."""

import numpy as np
import pytest
from scipy.special import expit, softmax

from ldnn._model.calibration import (
    fit_inverse_temperature,
    log_probabilities,
    prior_inverse_temperature,
    probabilities,
)


@pytest.mark.parametrize("factor", [0.3, 1.0, 4.0])
def test_probabilities_of_two_and_of_several_classes(random, factor):
    log_odds = random.standard_normal((1, 20))
    expected = expit(factor * log_odds[0])
    np.testing.assert_allclose(probabilities(log_odds, factor), np.stack([1 - expected, expected], axis=1))
    several = random.standard_normal((3, 20))
    np.testing.assert_allclose(probabilities(several, factor), softmax(factor * several, axis=0).T)
    for values in (log_odds, several):
        np.testing.assert_allclose(np.exp(log_probabilities(values, factor)).T, probabilities(values, factor))


def test_probabilities_of_extreme_log_odds():
    proba = probabilities(np.array([[-1e4, -750.0, 0.0, 750.0, 1e4]]), 1.0)
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (np.diff(proba[:, 1]) >= 0).all()
    assert (0 < proba[0, 1] < 1e-300) and proba[2, 1] == 0.5
    logarithms = log_probabilities(np.array([[-1e4, 1e4]]), 1.0)
    np.testing.assert_allclose(logarithms, [[0, -1e4], [-1e4, 0]], atol=1e-300)


@pytest.mark.parametrize("factor", [0.25, 1.0, 3.0])
@pytest.mark.parametrize("classes", [2, 4])
def test_the_inverse_temperature_of_drawn_labels_is_found(random, factor, classes):
    log_odds = 2 * random.standard_normal((1 if classes == 2 else classes, 20_000))
    proba = probabilities(log_odds, factor)
    y = (proba.cumsum(axis=1) < random.random((20_000, 1))).sum(axis=1).astype(np.int32)
    found = fit_inverse_temperature(log_odds, y, np.ones(20_000), 0.2)
    assert found == pytest.approx(factor, rel=0.1)


def test_a_weight_is_as_many_copies(random):
    log_odds, weights = random.standard_normal((1, 50)), random.integers(1, 4, 50)
    y = (random.random(50) < expit(2 * log_odds[0])).astype(np.int32)
    weighted = fit_inverse_temperature(log_odds, y, weights.astype(float), 0.2)
    copies = np.repeat(np.arange(50), weights)
    repeated = fit_inverse_temperature(log_odds[:, copies], y[copies], np.ones(len(copies)), 0.2)
    assert weighted == pytest.approx(repeated, rel=1e-4)


def test_the_prior_makes_outputs_at_their_targets_confident():
    """A target of 0.9 has log-odds log(9), which become those of 0.99."""
    assert expit(prior_inverse_temperature(0.2) * np.log(9)) == pytest.approx(0.99)
    assert prior_inverse_temperature(0.0) == 1
    assert prior_inverse_temperature(1e-6) == 1


def test_few_rows_hardly_move_the_prior():
    prior = prior_inverse_temperature(0.2)
    assert fit_inverse_temperature(np.zeros((1, 10)), np.ones(10, np.int32), np.ones(10), 0.2) == pytest.approx(
        prior, rel=1e-3
    )
    right = fit_inverse_temperature(np.array([[3.0, -3.0]]), np.array([1, 0]), np.ones(2), 0.2)
    wrong = fit_inverse_temperature(np.array([[3.0, -3.0]]), np.array([0, 1]), np.ones(2), 0.2)
    assert 0.1 * prior < wrong < prior <= right < 2 * prior


def test_a_row_has_the_same_bits_alone_as_among_others(random):
    log_odds = 5 * random.standard_normal((12, 50))
    together = probabilities(log_odds, 1.3)
    for k in range(50):
        np.testing.assert_array_equal(probabilities(log_odds[:, k : k + 1], 1.3)[0], together[k])
