"""Normalisation of the columns of numbers, fitted on the training rows, and the way back to the user's units."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from .._kernels import encoding_kernels
from .._table.distinct import chunks, take_rows

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
    def fit(cls, X: NDArray, rows: NDArray[np.intp], weights: NDArray[np.float64], method: str | None) -> "Normalizer":
        """From the given rows of X, each with its weight.

        "standard": mean 0 and variance 1; "common": mean 0 and one scale for all columns, so that the mean of their
        variances is 1; "whiten": uncorrelated; None: unchanged.
        """
        if method is None or not X.shape[1]:
            return cls(np.zeros(X.shape[1]), np.ones(X.shape[1]))
        moments = _Moments.of(X, rows, weights)
        if method == "standard":
            return cls(moments.mean * moments.unit, moments.scale / moments.unit)
        if method == "common":
            return cls(moments.mean * moments.unit, moments.common_scale())
        return cls(moments.mean * moments.unit, moments.scale / moments.unit, _whitening(X, rows, weights, moments))

    def stretched(self, factors: NDArray[np.float64]) -> "Normalizer":
        """The same with normalised columns multiplied by factors (F,)."""
        with np.errstate(over="ignore"):
            return replace(self, scale=np.minimum(self.scale * factors, np.finfo(np.float64).max))

    def transform(self, X: NDArray, rows: NDArray[np.intp] | None = None) -> NDArray[np.float32]:
        """The rows of X (all, if not given) in normalised units: (n, F) float32, C order."""
        normalized = np.empty((len(X) if rows is None else len(rows), X.shape[1]), dtype=np.float32)
        for part in chunks(*normalized.shape):
            chunk = X[part] if rows is None else take_rows(X, rows[part])
            if self.rotation is None and chunk.flags.c_contiguous:  # one layout is enough to compile for
                encoding_kernels.normalize(chunk, self.center, self.scale, np.float64(LIMIT), normalized[part])
                continue
            with np.errstate(over="ignore"):  # infinity is clipped, too
                chunk = np.nan_to_num((chunk - self.center) * self.scale, copy=False, posinf=LIMIT, neginf=-LIMIT)
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


@dataclass(frozen=True)
class _Moments:
    """Weighted moments of the columns, (F,) each. Missing values (NaN) are left out.

    unit: the largest absolute value of each column, by which values are divided first, since the squares of 1e200 would
    overflow; mean, scale (1 / standard deviation): of the divided values.
    """

    unit: NDArray[np.float64]
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]

    @classmethod
    def of(cls, X: NDArray, rows: NDArray[np.intp], weights: NDArray[np.float64]) -> "_Moments":
        features = X.shape[1]
        largest = np.zeros(features)
        for chunk, _ in _weighted_chunks(X, rows, weights):
            np.fmax(largest, np.fmax.reduce(np.abs(chunk), axis=0), out=largest)
        unit = np.where(largest > 1e-305, largest, 1.0)
        total, mean = np.full(features, 1e-300), np.zeros(features)
        for chunk, w in _weighted_chunks(X, rows, weights):
            total += np.einsum("r,rf->f", w, ~np.isnan(chunk))
            mean += np.einsum("r,rf->f", w, np.nan_to_num(chunk / unit, copy=False, nan=0.0))
        mean /= total
        variance = np.zeros(features)
        for chunk, w in _weighted_chunks(X, rows, weights):
            variance += np.einsum("r,rf->f", w, np.nan_to_num(chunk / unit - mean, copy=False, nan=0.0) ** 2)
        variance /= total
        return cls(unit, mean, _reciprocal_deviation(variance, mean))

    def common_scale(self) -> NDArray[np.float64]:
        """One scale for all columns that vary: the mean of their variances becomes 1."""
        varies = self.scale > 0
        deviation = self.unit[varies] / self.scale[varies]
        largest = deviation.max(initial=1e-305)  # whose square may overflow
        common = largest * np.sqrt(np.mean((deviation / largest) ** 2)) if varies.any() else 1.0
        return varies / common


def _whitening(
    X: NDArray, rows: NDArray[np.intp], weights: NDArray[np.float64], moments: _Moments
) -> NDArray[np.float64]:
    """The rotation (F, F) that whitens standardised columns and turns them back (ZCA), so that each new column stays as
    close as possible to its old one.
    """
    features = X.shape[1]
    # One thread: the number of threads may change a matrix product's last bits, and a fit must be repeatable.
    with threadpool_limits(limits=1, user_api="blas"):
        correlation = np.zeros((features, features))
        for chunk, w in _weighted_chunks(X, rows, weights):
            standardized = np.nan_to_num((chunk / moments.unit - moments.mean) * moments.scale, copy=False, nan=0.0)
            correlation += (standardized.T * w) @ standardized / weights.sum()
        variances, directions = np.linalg.eigh(correlation)
    needed = variances > 1e-6 * max(variances.max(), 1e-300)  # directions without variance are left out
    stretch = np.zeros(features)
    stretch[needed] = 1 / np.sqrt(variances[needed])
    return (directions * stretch) @ directions.T


def _reciprocal_deviation(variance: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 / standard deviation, or 0 for columns whose variance is nothing but rounding."""
    deviation = np.sqrt(variance)
    varies = deviation > 1e-10 * np.abs(mean)
    return np.divide(1.0, deviation, out=np.zeros_like(deviation), where=varies & (deviation > 0))


def _weighted_chunks(
    X: NDArray, rows: NDArray[np.intp], weights: NDArray[np.float64]
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    for part in chunks(len(rows), X.shape[1]):
        yield take_rows(X, rows[part]).astype(np.float64), weights[part]
