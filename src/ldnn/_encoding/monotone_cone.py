"""MonotoneCone: the half-spaces that are monotone along some columns, and the nearest of these to given ones.

A discriminant w.x + b increases along a column if the weight of its number is not negative and the weights of its knots
increase, on each level. Products of increasing functions between 0 and 1 increase, and so does De Morgan's disjunction:
the output increases, too. Such weights are a convex cone. Gradient descent that projects on it after its steps ends
inside, and so do means of networks.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._kernels import isotonic_kernels
from .bases import PiecewiseLinear, level_sizes
from .encoder import Encoder
from .products import product_pairs


@dataclass(frozen=True)
class MonotoneCone:
    """Where the weights of monotone columns are among the rows of `Network.parameters`.

    numbers: (k,) rows of their numbers, and signs: (k, 1), 1 or -1. products: rows of products with one of them, which
    stay 0. curves: (curves,) of the first knots, numbers of knots and signs of their bases, level by level.
    """

    numbers: NDArray[np.intp]
    signs: NDArray[np.float32]
    products: NDArray[np.intp]
    curves: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]

    @classmethod
    def of(cls, encoder: Encoder) -> "MonotoneCone | None":
        """None if no column is monotone."""
        directions = encoder.directions
        if directions is None:
            return None
        signs = directions[encoder.numbers]
        is_product = [bool(signs[k] or signs[m]) for k, m in product_pairs(len(signs))] if encoder.is_conic else []
        curves: list[tuple[int, int, int]] = []
        for basis, (first, n_knots, levels) in zip(encoder.bases, encoder.basis_table.tolist(), strict=True):
            if directions[basis.column] and isinstance(basis, PiecewiseLinear):
                for size in level_sizes(n_knots, levels):
                    curves.append((first, size, directions[basis.column]))
                    first += size
        firsts, sizes, ways = np.array(curves, dtype=np.int64).reshape(-1, 3).T.copy()
        return cls(
            np.flatnonzero(signs),
            signs[signs != 0].astype(np.float32)[:, None],
            len(signs) + np.flatnonzero(np.array(is_product, dtype=bool)),
            (firsts, sizes, ways.astype(np.float32)),
        )

    def project(self, parameters: NDArray[np.float32]) -> None:
        """Replace the parameters (rows, columns) of a network by the nearest ones in the cone, in place."""
        parameters[self.numbers] = self.signs * np.maximum(self.signs * parameters[self.numbers], 0)
        if len(self.products):
            parameters[self.products] = 0
        if len(self.curves[0]):
            isotonic_kernels.make_monotone(parameters, *self.curves)
