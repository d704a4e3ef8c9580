"""EncodedRows: rows as the kernels read them, with their class indices and weights."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Features = tuple[NDArray[np.float32], NDArray[np.float32]]  # numbers (n, F) and knot positions (n, S), see gate_kernels


@dataclass(frozen=True)
class EncodedRows:
    """X (n, F) numbers and positions (n, S) float32, see gate_kernels.py; y (n,) int32 class indices; weights (n,)
    float64, all positive.
    """

    X: NDArray[np.float32]
    positions: NDArray[np.float32]
    y: NDArray[np.int32]
    weights: NDArray[np.float64]

    @property
    def features(self) -> Features:
        return self.X, self.positions
