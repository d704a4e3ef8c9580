"""The loss of outputs f, in NumPy: what training curves and validation scores show."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, xlogy

_ROUNDED = np.float32(2**-24)  # outputs nearer to 0 or 1 may be rounded to it, where logarithms are infinite


def losses_of(f: NDArray, target: NDArray, loss: str) -> NDArray:
    """The squared error or the cross-entropy of each output f."""
    if loss == "squared":
        return (target - f) ** 2
    f = f.clip(_ROUNDED, 1 - _ROUNDED)
    return -xlogy(target, f) - xlogy(1 - target, 1 - f)


def losses_of_log_odds(log_odds: NDArray[np.float64], target: NDArray, loss: str) -> NDArray:
    """The same from log-odds, right even where f is tiny."""
    if loss == "log":
        return np.logaddexp(0, log_odds) - target * log_odds
    return losses_of(expit(log_odds), target, "squared")
