"""Calibration: log-odds are multiplied by one inverse temperature, fitted on rows that were not trained on."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_expit, log_softmax

_CONFIDENT = 0.99  # the probability of an output at its target, before anything was measured
_PRIOR = 2.0  # how strongly the prior holds, in units of the log-likelihood


def prior_inverse_temperature(label_smoothing: float) -> float:
    """The factor of the log-odds where no held-out rows are there: outputs do not go beyond smoothed targets."""
    low = label_smoothing / 2
    largest = np.log((1 - low) / low) if low > 0 else np.inf
    return float(max(1.0, np.log(_CONFIDENT / (1 - _CONFIDENT)) / largest))


def fit_inverse_temperature(
    log_odds: NDArray[np.float64], y: NDArray[np.int32], weights: NDArray[np.float64], label_smoothing: float
) -> float:
    """The factor of log-odds (C, n) that makes the classes y (n,) of these rows most likely."""
    prior = prior_inverse_temperature(label_smoothing)
    every_row = np.arange(len(y))
    signed = log_odds[0] * np.where(y == 1, 1.0, -1.0) if len(log_odds) == 1 else None

    def cost(logarithm: float) -> float:
        factor = prior * np.exp(logarithm)
        if signed is not None:
            likelihoods = log_expit(factor * signed)
        else:
            scaled = factor * log_odds
            scaled -= scaled.max(axis=0)
            likelihoods = scaled[y, every_row] - np.log(np.exp(scaled).sum(axis=0))
        return _PRIOR * logarithm**2 - float(weights @ np.maximum(likelihoods, -50))

    return float(prior * np.exp(minimize_scalar(cost, bounds=(-4, 4), method="bounded").x))


def log_probabilities(log_odds: NDArray[np.float64], inverse_temperature: float) -> NDArray[np.float64]:
    """Logarithms of class probabilities (classes, n) from log-odds (C, n); C is 1 for two classes.

    The class with the largest output keeps the largest probability.
    """
    if len(log_odds) == 1:
        positive = inverse_temperature * log_odds[0]
        return np.stack([log_expit(-positive), log_expit(positive)])
    by_row = np.ascontiguousarray((inverse_temperature * log_odds).T)  # sums then do not depend on the number of rows
    return log_softmax(by_row, axis=1).T


def probabilities(log_odds: NDArray[np.float64], inverse_temperature: float) -> NDArray[np.float64]:
    """Class probabilities (n, classes) from log-odds (C, n)."""
    if len(log_odds) > 1:
        return np.exp(log_probabilities(log_odds, inverse_temperature)).T
    odds = np.exp((inverse_temperature * log_odds[0]).clip(-700, 700))  # beyond, float64 ends
    proba = np.empty((len(odds), 2))
    np.divide(1, 1 + odds, out=proba[:, 0])
    np.multiply(odds, proba[:, 0], out=proba[:, 1])
    return proba
