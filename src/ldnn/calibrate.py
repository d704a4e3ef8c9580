"""From log-odds to probabilities: one number that sharpens or softens them, fitted on rows that were not learned."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_expit, log_softmax

_CONFIDENT = 0.99  # what an output at its target should mean, before anything was measured
_PRIOR = 2.0  # how strongly the first guess is held on to, in units of the log-likelihood


def guessed_sharpness(softening: float) -> float:
    """The factor of the log-odds where no rows are left to measure it: softened targets are never reached by more."""
    largest = np.log((1 - softening) / softening) if softening > 0 else np.inf
    return float(max(1.0, np.log(_CONFIDENT / (1 - _CONFIDENT)) / largest))


def fitted_sharpness(
    log_odds: NDArray[np.float64], codes: NDArray[np.int32], weights: NDArray[np.float64], softening: float
) -> float:
    """The factor of log-odds (C, n) under which the classes of these rows are most likely."""
    guess = guessed_sharpness(softening)

    def cost(logarithm: float) -> float:
        likelihoods = log_probabilities(log_odds, guess * np.exp(logarithm))[codes, np.arange(len(codes))]
        return _PRIOR * logarithm**2 - float(weights @ np.maximum(likelihoods, -50))

    return float(guess * np.exp(minimize_scalar(cost, bounds=(-4, 4), method="bounded").x))


def log_probabilities(log_odds: NDArray[np.float64], sharpness: float) -> NDArray[np.float64]:
    """Logarithms of class probabilities (classes, n) from log-odds (C, n); C is 1 for two classes.

    The class with the largest output keeps the largest probability.
    """
    if len(log_odds) == 1:
        positive = sharpness * log_odds[0]
        return np.stack([log_expit(-positive), log_expit(positive)])
    return log_softmax(sharpness * log_odds, axis=0)
