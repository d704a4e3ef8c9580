"""The model itself: the half-spaces of one network per class, in the layout of the kernels."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from .simd import LANES

_PAGE = 1024  # float32 numbers in 4 KiB
LARGEST = 1e6  # training that has led to larger weights has diverged
ABSENT = 1e4  # the bias, up to its sign, of a half-space that holds everywhere or nowhere


@dataclass
class Network:
    """C networks of N conjunctions of M discriminants on F features (C = 1 for two classes).

    parameters: (C, F + 1, columns) float32, see kernels.py; velocity: the same shape, the momentum's memory.
    sizes: (C, 2) how many conjunctions and discriminants each network really has; a smaller one is filled up with
    conjunctions that are never true and discriminants that are always true, which no gradient reaches.
    """

    parameters: NDArray[np.float32]
    velocity: NDArray[np.float32]
    N: int
    M: int
    sizes: NDArray[np.int64]

    @classmethod
    def from_discriminants(cls, discriminants: list[tuple[NDArray, NDArray]]) -> "Network":
        """From one pair of weights (N_c, M_c, F) and biases (N_c, M_c) for each class c."""
        sizes = np.array([biases.shape for _, biases in discriminants])
        N, M = (int(size) for size in sizes.max(axis=0))
        features = discriminants[0][0].shape[2]
        columns = -(-N * M // LANES) * LANES
        parameters = aligned_zeros((len(discriminants), features + 1, columns))
        for c, (weights, biases) in enumerate(discriminants):
            n, m = biases.shape
            filled = np.zeros((features + 1, N, M))
            filled[features] = ABSENT  # a discriminant that is not there holds everywhere
            filled[features, n:] = -ABSENT  # a conjunction that is not there holds nowhere
            filled[:features, :n, :m] = np.moveaxis(weights, 2, 0)
            filled[features, :n, :m] = biases
            parameters[c, :, : N * M] = filled.reshape(features + 1, N * M)
        return cls(parameters, aligned_zeros(parameters.shape), N, M, sizes)

    def discriminants(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The weights (C, N, M, F) and the biases (C, N, M)."""
        networks, rows, _ = self.parameters.shape
        used = self.parameters[:, :, : self.N * self.M].astype(np.float64)
        used = np.moveaxis(used.reshape(networks, rows, self.N, self.M), 1, 3)
        return np.ascontiguousarray(used[..., :-1]), np.ascontiguousarray(used[..., -1])

    def log_odds_by_logarithms(self, X: NDArray[np.float32], c: int) -> NDArray[np.float64]:
        """Log f - log(1 - f) of network c, in float64 and in logarithms all the way: right where products underflow.

        log f is log(1 - e**l) with l = log(1 - f), or the logarithm of the sum of the g_i where f is tiny.
        """
        weights, biases = self.discriminants()
        z = np.einsum("rk,ijk->rij", X.astype(np.float64), weights[c]) + biases[c]
        log_g = -np.logaddexp(0, -z).sum(axis=2)
        # log(1 - g); where g is so near 1 that even its logarithm is lost, 1 - g is the sum of the e**-z.
        with np.errstate(divide="ignore"):
            log_not_g = np.where(log_g < -1e-300, np.log(-np.expm1(log_g)), logsumexp(-z, axis=2))
            log_not_f = log_not_g.sum(axis=1)
            return np.where(log_not_f > -1e-10, logsumexp(log_g, axis=1), np.log(-np.expm1(log_not_f)) - log_not_f)

    def is_sound(self) -> bool:
        """Whether every weight is a number, and of a size that normalised data could ask for."""
        return bool((np.abs(self.parameters) < LARGEST).all())


def aligned_zeros(shape: tuple[int, int, int]) -> NDArray[np.float32]:
    """Float32 zeros (C, ...) for C threads: each of the C parts starts on a page and ends a page before the next.

    So no vector of eight straddles two cache lines, and no core fetches ahead into what another one is writing.
    """
    size = shape[1] * shape[2]
    pages = -(-size // _PAGE) + 1
    memory = np.zeros((shape[0] * pages + 1) * _PAGE, dtype=np.float32)
    start = (-memory.ctypes.data % (4 * _PAGE)) // 4
    parts = memory[start : start + shape[0] * pages * _PAGE].reshape(shape[0], pages * _PAGE)
    return parts[:, :size].reshape(shape)
