"""The networks: the half-spaces of one network per class and ensemble member, in the layout of the kernels."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._encoding.components import mapped_back
from .._encoding.rows import Features
from .._kernels.simd import LANES, whole_vectors
from .forward import log_odds
from .memory import aligned_arrays, aligned_copy, aligned_zeros, padded

LARGEST = 1e6  # training that has led to larger weights has diverged
ABSENT = 1e4  # the bias, up to its sign, of a half-space that holds everywhere or nowhere


@dataclass(frozen=True)
class Network:
    """C networks of N conjunctions of M discriminants (C = 1 for two classes) for each ensemble member.

    parameters: (networks, F + 1 + knots, columns) float32, see gate_kernels.py; velocity: the same shape, the memory of
    the momentum. Both are trained in place. bases: (S, 3), see gate_kernels.py. n_dense: F, and the row of the biases.
    sizes: (networks, 2) the number of conjunctions and discriminants that each network really has; smaller networks are
    filled up with conjunctions that are never true and discriminants that are always true, which no gradient reaches.
    own_bases: the bases as each network reads them; linear members ignore piecewise-linear ones. rate_factors: of each
    network, to the learning rate.
    """

    parameters: NDArray[np.float32]
    velocity: NDArray[np.float32]
    N: int
    M: int
    sizes: NDArray[np.int64]
    bases: NDArray[np.int32]
    n_dense: int
    own_bases: list[NDArray[np.int32]] = field(default_factory=list)
    rate_factors: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        object.__setattr__(self, "own_bases", self.own_bases or [self.bases] * len(self.parameters))
        object.__setattr__(self, "rate_factors", self.rate_factors or [1.0] * len(self.parameters))

    @classmethod
    def from_discriminants(
        cls,
        discriminants: list[tuple[NDArray, NDArray]],
        bases: NDArray[np.int32] | None = None,
        n_dense: int | None = None,
    ) -> "Network":
        """From one pair of weights (N_c, M_c, features) and biases (N_c, M_c) for each network c.

        The features are the dense ones (all, if n_dense is not given), then the knots of the bases.
        """
        sizes = np.array([biases.shape for _, biases in discriminants])
        N, M = (int(size) for size in sizes.max(axis=0))
        features = discriminants[0][0].shape[2]
        F = features if n_dense is None else n_dense
        parameters = aligned_zeros((len(discriminants), features + 1, padded(N * M)))
        for c, (weights, biases) in enumerate(discriminants):
            n, m = biases.shape
            filled = np.zeros((features + 1, N, M))
            filled[F] = ABSENT  # an absent discriminant holds everywhere
            filled[F, n:] = -ABSENT  # an absent conjunction holds nowhere
            filled[:F, :n, :m] = np.moveaxis(weights[..., :F], 2, 0)
            filled[F, :n, :m] = biases
            filled[F + 1 :, :n, :m] = np.moveaxis(weights[..., F:], 2, 0)
            parameters[c, :, : N * M] = filled.reshape(features + 1, N * M)
        if bases is None:
            bases = np.empty((0, 3), dtype=np.int32)
        return cls(parameters, aligned_zeros(parameters.shape), N, M, sizes, bases, F)

    def copy(self) -> "Network":
        """The same networks with parameters of their own, which can be trained further."""
        return replace(self, parameters=aligned_copy(self.parameters), velocity=aligned_copy(self.velocity))

    def discriminants(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The weights (networks, N, M, features) and the biases (networks, N, M)."""
        networks, rows, _ = self.parameters.shape
        used = self.parameters[:, :, : self.N * self.M].astype(np.float64)
        used = np.moveaxis(used.reshape(networks, rows, self.N, self.M), 1, 3)
        return np.delete(used, self.n_dense, axis=3), np.ascontiguousarray(used[..., self.n_dense])

    def mapped_back(self, components: NDArray[np.float32], bases: NDArray[np.int32]) -> "Network":
        """The same networks for the F columns, trained on components (F, components); bases: as they are then."""
        return replace(
            self,
            parameters=parameters_mapped_back(self.parameters, components),
            velocity=parameters_mapped_back(self.velocity, components),
            bases=bases,
            n_dense=len(components),
            own_bases=[],
        )

    def reads_bases(self, c: int) -> bool:
        """Whether network c reads any basis at all."""
        return self._reads[c]

    @cached_property
    def _reads(self) -> list[bool]:
        return [bool(own[:, 2].any()) for own in self.own_bases]

    def workspace(self) -> tuple[NDArray, ...]:
        """Where a kernel keeps intermediate results of a row: z (columns,), e (a vector longer, since the vectors of a
        conjunction may end beyond it), ratios (conjunctions, in whole vectors), the shares of the touched knots, their
        offsets.

        Kernels that allocate their own arrays take longer to compile.
        """
        columns = self.parameters.shape[2]
        knots = 2 * int(self.bases[:, 2].sum()) + 1
        widths = (columns, columns + LANES, whole_vectors(self.N), knots)
        return (*aligned_arrays(widths), np.empty(knots, np.int64))

    def kernel_arguments(
        self,
        c: int,
        X: NDArray[np.float32],
        positions: NDArray[np.float32],
        workspace: tuple[NDArray, ...] | None = None,
    ) -> dict[str, Any]:
        """What every kernel takes: rows, and network c; a workspace, unless there is one already."""
        return {
            "X": X,
            "positions": positions,
            "bases": self.own_bases[c],
            "parameters": self.parameters[c],
            "N": self.N,
            "M": self.M,
            "workspace": workspace or self.workspace(),
        }

    def half_space_values(self, rows: Features, c: int) -> NDArray[np.float64]:
        """z = w.x + b of the discriminants of network c, (n, N, M): not negative inside their half-spaces."""
        X, positions = rows
        weights, biases = self.discriminants()
        features = np.concatenate([X, basis_features(positions, self.bases)], axis=1).astype(np.float64)
        return np.einsum("rk,ijk->rij", features, weights[c]) + biases[c]

    def exact_log_odds(self, rows: Features, c: int) -> NDArray[np.float64]:
        """log f - log(1 - f) of network c, (n,), in float64 logarithms all the way."""
        return log_odds(self.half_space_values(rows, c))

    def stored(self) -> "StoredNetwork":
        return StoredNetwork(self.parameters, self.velocity, self.sizes, self.rate_factors)

    def is_sound(self) -> bool:
        """Whether every weight is a number, and of a size that normalised data could ask for."""
        return bool(self.parameters.min() > -LARGEST and self.parameters.max() < LARGEST)  # neither, if one is NaN


@dataclass(frozen=True)
class StoredNetwork:
    """What a file holds of a `Network`: all that does not follow from the encoder and the plan."""

    parameters: NDArray[np.float32]
    velocity: NDArray[np.float32]
    sizes: NDArray[np.int64]
    rate_factors: list[float]

    def claims(self, n_features: int) -> Iterator[tuple[bool, str]]:
        """What must hold of networks from a file: the kernels do not check where they read and write."""
        networks, rows, columns = self.parameters.shape
        N, M = self.largest_sizes()
        yield networks > 0, "there is no network"
        yield rows == n_features + 1, f"the networks have {rows - 1} weights for {n_features} features"
        yield columns % LANES == 0 and columns >= N * M, f"the networks have no room for {N}x{M} half-spaces"

    def largest_sizes(self) -> tuple[int, int]:
        """N and M."""
        N, M = (int(size) for size in self.sizes.max(axis=0, initial=1))
        return N, M

    def restored(self, bases: NDArray[np.int32], n_dense: int, own_bases: list[NDArray[np.int32]]) -> Network:
        """The networks, given what follows from the encoder."""
        N, M = self.largest_sizes()
        return Network(self.parameters, self.velocity, N, M, self.sizes, bases, n_dense, own_bases, self.rate_factors)


def parameters_mapped_back(parameters: NDArray[np.float32], components: NDArray[np.float32]) -> NDArray[np.float32]:
    """Parameters (networks, components + 1 + knots, columns) for the columns of the table: (networks, F + ...)."""
    return aligned_copy(np.moveaxis(mapped_back(np.moveaxis(parameters, 1, 2), components), 2, 1))


def basis_features(positions: NDArray[np.float32], bases: NDArray[np.int32]) -> NDArray[np.float64]:
    """The features of all bases as one dense matrix (n, knots); the kernels touch the knots one by one."""
    parts = [np.empty((len(positions), 0))]
    for s, (_, knots, levels) in enumerate(bases.tolist()):
        position = positions[:, s].astype(np.float64)[:, None]
        for _ in range(levels):
            parts.append(np.where(position >= 0, np.maximum(1 - np.abs(position - np.arange(knots)), 0), 0))
            knots, position = knots // 2 + 1, position / 2
    return np.concatenate(parts, axis=1)
