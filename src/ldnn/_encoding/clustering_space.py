"""The space in which rows are clustered: the numbers, and 0 or 1 for each category; no knots, no products."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .encoder import Encoder
from .rows import EncodedRows


class ClusteringSpace:
    """From encoded rows to dense vectors, and from half-spaces between these to half-spaces of all features."""

    def __init__(self, encoder: Encoder):
        self._encoder = encoder
        self._categorical = [s for s, basis in enumerate(encoder.bases) if basis.is_categorical]

    @property
    def width(self) -> int:
        return self._encoder.n_numbers + sum(len(self._encoder.bases[s].knots) for s in self._categorical)

    @property
    def directions(self) -> NDArray[np.intp] | None:
        """Of the vectors' columns, (width,): 1, -1 or 0 where half-spaces may only increase, only decrease, or are
        free; None if all are free.
        """
        encoder = self._encoder
        if encoder.directions is None:
            return None
        return np.concatenate(
            [encoder.directions[encoder.numbers], np.zeros(self.width - encoder.n_numbers, dtype=np.intp)]
        )

    def encode(self, rows: EncodedRows) -> EncodedRows:
        """The same rows with dense X (n, width); `rows` itself where nothing changes."""
        if not self._categorical and not self._encoder.is_conic:
            return rows
        dense = np.zeros((len(rows.X), self.width), dtype=np.float32)
        start = self._encoder.n_numbers
        dense[:, :start] = rows.X[:, :start]
        for s in self._categorical:
            known = np.flatnonzero(rows.positions[:, s] >= 0)
            dense[known, start + rows.positions[known, s].astype(np.intp)] = 1
            start += len(self._encoder.bases[s].knots)
        return replace(rows, X=dense)

    def expand(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights (..., width) as weights (..., features), zero for knots and products."""
        encoder = self._encoder
        if not encoder.bases and not encoder.is_conic:
            return weights
        expanded = np.zeros((*weights.shape[:-1], encoder.n_features))
        start = encoder.n_numbers
        expanded[..., :start] = weights[..., :start]
        firsts = encoder.basis_table[:, 0] - 1
        for s in self._categorical:
            count = encoder.bases[s].n_weights
            expanded[..., firsts[s] : firsts[s] + count] = weights[..., start : start + count]
            start += count
        return expanded
