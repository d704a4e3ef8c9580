"""From the user's columns to the network's numbers, and from the network's half-spaces back to the user's columns."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from . import kernels
from .rows import chunks

LIMIT = 1e15  # normalised values are clipped to this: far beyond any training row, and safe to multiply in float32


@dataclass(frozen=True)
class Normalizer:
    """x -> ((x - center) * scale) @ rotation; the rotation is None where columns are not mixed.

    center, scale (F,), rotation (F, F) float64. A column that was constant in the training rows has scale 0.
    """

    center: NDArray[np.float64]
    scale: NDArray[np.float64]
    rotation: NDArray[np.float64] | None = None

    @classmethod
    def learn(
        cls, X: NDArray, rows: NDArray[np.intp], weights: NDArray[np.float64], method: str | None
    ) -> "Normalizer":
        """From the given rows of X, each with its weight. "standard": mean 0, variance 1; "whiten": uncorrelated."""
        features = X.shape[1]
        if method is None:
            return cls(np.zeros(features), np.ones(features))
        # Columns are first divided by their largest value: the squares of 1e200 would overflow.
        largest = np.zeros(features)
        for chunk, _ in _weighted_chunks(X, rows, weights):
            np.maximum(largest, np.abs(chunk).max(axis=0), out=largest)
        unit = np.where(largest > 1e-305, largest, 1.0)
        total = weights.sum()

        mean = np.zeros(features)
        for chunk, w in _weighted_chunks(X, rows, weights):
            mean += np.einsum("r,rf->f", w, chunk / unit) / total
        variance = np.zeros(features)
        for chunk, w in _weighted_chunks(X, rows, weights):
            variance += np.einsum("r,rf->f", w, (chunk / unit - mean) ** 2) / total
        scale = _reciprocal_deviation(variance, mean)
        if method == "standard":
            return cls(mean * unit, scale / unit)
        # One thread: the number of threads may change a matrix product's last bits, and a fit must be repeatable.
        with threadpool_limits(limits=1, user_api="blas"):
            correlation = np.zeros((features, features))
            for chunk, w in _weighted_chunks(X, rows, weights):
                standardized = (chunk / unit - mean) * scale
                correlation += (standardized.T * w) @ standardized / total
            variances, directions = np.linalg.eigh(correlation)
        # Whitened, then turned back (ZCA): each new column stays as near as possible to its own old one.
        needed = variances > 1e-6 * max(variances.max(), 1e-300)  # directions without variance are left out
        stretch = np.zeros(features)
        stretch[needed] = 1 / np.sqrt(variances[needed])
        return cls(mean * unit, scale / unit, (directions * stretch) @ directions.T)

    def apply(self, X: NDArray, rows: NDArray[np.intp] | None = None) -> NDArray[np.float32]:
        """The rows of X (all, if not given) in normalised units: (n, F) float32, C order."""
        if rows is None:
            rows = np.arange(len(X))
        normalized = np.empty((len(rows), X.shape[1]), dtype=np.float32)
        if self.rotation is None and X.flags.c_contiguous:
            kernels.normalize(X, rows, self.center, self.scale, np.float64(LIMIT), normalized)
            return normalized
        for part in chunks(len(rows)):
            with np.errstate(over="ignore"):  # infinity is clipped, too
                chunk = (X[rows[part]] - self.center) * self.scale
                if self.rotation is not None:
                    chunk = chunk @ self.rotation
            normalized[part] = np.clip(chunk, -LIMIT, LIMIT, out=chunk)
        return normalized

    def to_user_units(
        self, weights: NDArray[np.float64], biases: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The same half-spaces for x itself: weights (..., F) and biases (...)."""
        if self.rotation is not None:
            weights = weights @ self.rotation.T
        weights = weights * self.scale
        return weights, biases - weights @ self.center


def _reciprocal_deviation(variance: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 / standard deviation, or 0 for columns whose variance is nothing but rounding."""
    deviation = np.sqrt(variance)
    varies = deviation > 1e-10 * np.abs(mean)
    return np.divide(1.0, deviation, out=np.zeros_like(deviation), where=varies & (deviation > 0))


def _weighted_chunks(
    X: NDArray, rows: NDArray[np.intp], weights: NDArray[np.float64]
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    for part in chunks(len(rows)):
        yield X[rows[part]].astype(np.float64), weights[part]
