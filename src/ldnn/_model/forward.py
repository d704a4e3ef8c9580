"""The forward pass in NumPy, in float64 logarithms: right even where products of sigmoids underflow.

Shapes: z (..., N, M) = w.x + b. The kernels compute the same in float32, the PyTorch layer and the ONNX graph in their
own operators; everything else uses these functions.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp


def log_sigmoid(z: NDArray) -> NDArray:
    """Equation (3): log sigma(z)."""
    return -np.logaddexp(0, -z)


def log_conjunctions(z: NDArray) -> NDArray:
    """The inner product of equation (4): log g_i = sum_j log sigma_ij, (..., N)."""
    return log_sigmoid(z).sum(axis=-1)


def log_complement(log_p: NDArray) -> NDArray:
    """log(1 - p) from log p; where p is 1 up to rounding, the logarithm of 1e-30."""
    return np.log(np.maximum(-np.expm1(log_p), 1e-30))


def log_not_f(log_g: NDArray) -> NDArray:
    """De Morgan's law in equation (4): log(1 - f) = sum_i log(1 - g_i), from log g (n, N): (n,)."""
    return log_complement(log_g).sum(axis=1)


def output_slopes(z: NDArray) -> NDArray:
    """df/dz_ij = g_i prod_{r != i}(1 - g_r) (1 - sigma_ij), as in equation (7): (n, N, M)."""
    log_sigma = log_sigmoid(z)
    log_g = log_sigma.sum(axis=2)
    others = np.minimum(log_not_f(log_g)[:, None] - log_complement(log_g), 0)
    return np.exp(log_g + others)[:, :, None] * -np.expm1(log_sigma)


def modular_output_slopes(z: NDArray) -> NDArray:
    """df/dz_ij of Mod-N, f = max_i min_j sigma_ij: only the discriminant that decides has a slope; (n, N, M)."""
    smallest = z.min(axis=2)
    decides = (z == smallest[:, :, None]) & (smallest == smallest.max(axis=1, keepdims=True))[:, :, None]
    log_sigma = log_sigmoid(z)
    return decides * np.exp(log_sigma) * -np.expm1(log_sigma)


def log_odds(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Equation (4): log f - log(1 - f) of one network, from z (n, N, M): (n,).

    log f is log(1 - e**l) with l = log(1 - f), or the logarithm of the sum of the g_i where f is tiny.
    """
    log_g = log_conjunctions(z)
    # log(1 - g); where g is so near 1 that even its logarithm is lost, 1 - g is the sum of the e**-z.
    with np.errstate(divide="ignore"):
        log_not_g = np.where(log_g < -1e-300, np.log(-np.expm1(log_g)), logsumexp(-z, axis=2))
        log_rest = log_not_g.sum(axis=1)  # log(1 - f)
        return np.where(log_rest > -1e-10, logsumexp(log_g, axis=1), np.log(-np.expm1(log_rest)) - log_rest)


def mean_log_odds(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """From log-odds (members, C, n) to the log-odds of the members' mean f (C, n), right even where f is tiny."""
    if len(log_odds) == 1:
        return log_odds[0]
    log_f, log_rest = log_sigmoid(log_odds), log_sigmoid(-log_odds)
    return np.logaddexp.reduce(log_f, axis=0) - np.logaddexp.reduce(log_rest, axis=0)


def predicted_classes(log_odds: NDArray[np.float64]) -> NDArray[np.intp]:
    """The index of the class with the largest f, from log-odds (C, n); C is 1 for two classes."""
    return (log_odds[0] > 0).astype(np.intp) if len(log_odds) == 1 else log_odds.argmax(axis=0)


def positive_classes(n_classes: int) -> list[int]:
    """The class that each network of a member detects: one network is enough for two classes."""
    return [1] if n_classes == 2 else list(range(n_classes))
