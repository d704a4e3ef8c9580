"""The model itself: the half-spaces of one network per class, in the layout of the kernels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from .axes import turned_back
from .simd import LANES, whole_vectors

_LINE = 16  # float32 numbers in 64 bytes
_PAGE = 1024  # float32 numbers in 4 KiB
_SAME_PLACES = 128  # float32 numbers: an eighth of what makes two addresses share their place in a cache
LARGEST = 1e6  # training that has led to larger weights has diverged
ABSENT = 1e4  # the bias, up to its sign, of a half-space that holds everywhere or nowhere


@dataclass
class Network:
    """C networks of N conjunctions of M discriminants (C = 1 for two classes), or several such sets that vote.

    parameters: (networks, F + 1 + knots, columns) float32, see kernels.py; velocity: the same shape, the momentum's
    memory. lines: (S, 3), see kernels.py. numbers: F, and the row of the biases. sizes: (networks, 2) how many
    conjunctions and discriminants each network really has; a smaller one is filled up with conjunctions that are never
    true and discriminants that are always true, which no gradient reaches. own_lines: for each network the lines as it
    reads them; one that stays straight ignores those that bend. step_factors: of each network, to the step size.
    """

    parameters: NDArray[np.float32]
    velocity: NDArray[np.float32]
    N: int
    M: int
    sizes: NDArray[np.int64]
    lines: NDArray[np.int32]
    numbers: int
    own_lines: list[NDArray[np.int32]] = field(default_factory=list)
    step_factors: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.own_lines = self.own_lines or [self.lines] * len(self.parameters)
        self.step_factors = self.step_factors or [1.0] * len(self.parameters)

    @classmethod
    def from_discriminants(
        cls,
        discriminants: list[tuple[NDArray, NDArray]],
        lines: NDArray[np.int32] | None = None,
        numbers: int | None = None,
    ) -> "Network":
        """From one pair of weights (N_c, M_c, features) and biases (N_c, M_c) for each network c.

        The features are the numbers (all, if not given), then the knots of the lines.
        """
        sizes = np.array([biases.shape for _, biases in discriminants])
        N, M = (int(size) for size in sizes.max(axis=0))
        features = discriminants[0][0].shape[2]
        F = features if numbers is None else numbers
        parameters = aligned_zeros((len(discriminants), features + 1, padded(N * M)))
        for c, (weights, biases) in enumerate(discriminants):
            n, m = biases.shape
            filled = np.zeros((features + 1, N, M))
            filled[F] = ABSENT  # a discriminant that is not there holds everywhere
            filled[F, n:] = -ABSENT  # a conjunction that is not there holds nowhere
            filled[:F, :n, :m] = np.moveaxis(weights[..., :F], 2, 0)
            filled[F, :n, :m] = biases
            filled[F + 1 :, :n, :m] = np.moveaxis(weights[..., F:], 2, 0)
            parameters[c, :, : N * M] = filled.reshape(features + 1, N * M)
        if lines is None:
            lines = np.empty((0, 3), dtype=np.int32)
        return cls(parameters, aligned_zeros(parameters.shape), N, M, sizes, lines, F)

    def discriminants(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The weights (networks, N, M, features) and the biases (networks, N, M)."""
        networks, rows, _ = self.parameters.shape
        used = self.parameters[:, :, : self.N * self.M].astype(np.float64)
        used = np.moveaxis(used.reshape(networks, rows, self.N, self.M), 1, 3)
        return np.delete(used, self.numbers, axis=3), np.ascontiguousarray(used[..., self.numbers])

    def turned_back(self, axes: NDArray[np.float32], lines: NDArray[np.int32]) -> "Network":
        """The same networks for the F columns of a table that they have learned on axes (F, axes); lines: as they are
        beside these columns.
        """
        parameters, velocity = (parameters_turned_back(each, axes) for each in (self.parameters, self.velocity))
        return replace(self, parameters=parameters, velocity=velocity, lines=lines, numbers=len(axes), own_lines=[])

    def bends(self, c: int) -> bool:
        """Whether network c reads any line of knots at all."""
        return bool(self.own_lines[c][:, 2].any())

    def room(self) -> tuple[NDArray, ...]:
        """Where a kernel keeps what it computes of a row: z (columns,), e (a vector longer, since the vectors of a
        conjunction may end beyond it), ratios (conjunctions, in whole vectors), the shares of the knots it touches,
        their offsets.

        Kernels that make their own arrays take longer to compile.
        """
        columns = self.parameters.shape[2]
        knots = 2 * int(self.lines[:, 2].sum()) + 1
        widths = (columns, columns + LANES, whole_vectors(self.N), knots)
        return (*_aligned(widths), np.empty(knots, np.int64))

    def arguments(self, c: int, X: NDArray[np.float32], places: NDArray[np.float32]) -> dict[str, Any]:
        """What every kernel takes: rows, and network c."""
        return {
            "X": X,
            "places": places,
            "lines": self.own_lines[c],
            "parameters": self.parameters[c],
            "N": self.N,
            "M": self.M,
            "room": self.room(),
        }

    def values(self, X: NDArray[np.float32], places: NDArray[np.float32], c: int) -> NDArray[np.float64]:
        """The values w.x + b of the discriminants of network c, (n, N, M): not negative in their half-spaces."""
        weights, biases = self.discriminants()
        features = np.concatenate([X, shares_of_knots(places, self.lines)], axis=1).astype(np.float64)
        return np.einsum("rk,ijk->rij", features, weights[c]) + biases[c]

    def log_odds_by_logarithms(
        self, X: NDArray[np.float32], places: NDArray[np.float32], c: int
    ) -> NDArray[np.float64]:
        """Log f - log(1 - f) of network c, in float64 and in logarithms all the way: right where products underflow.

        log f is log(1 - e**l) with l = log(1 - f), or the logarithm of the sum of the g_i where f is tiny.
        """
        z = self.values(X, places, c)
        log_g = -np.logaddexp(0, -z).sum(axis=2)
        # log(1 - g); where g is so near 1 that even its logarithm is lost, 1 - g is the sum of the e**-z.
        with np.errstate(divide="ignore"):
            log_not_g = np.where(log_g < -1e-300, np.log(-np.expm1(log_g)), logsumexp(-z, axis=2))
            log_not_f = log_not_g.sum(axis=1)
            return np.where(log_not_f > -1e-10, logsumexp(log_g, axis=1), np.log(-np.expm1(log_not_f)) - log_not_f)

    def check(self, numbers: int, features: int, tables: list[NDArray[np.int32]]) -> None:
        """Refuse parts that do not fit together: the kernels do not look where they read and write.

        features: how many weights a half-space has, of which so many are those of numbers; tables: the lines as a
        network may read them, first those of one that bends.
        """
        networks, rows, columns = self.parameters.shape
        if (
            self.parameters.dtype != np.float32
            or min(networks, self.N, self.M) < 1
            or (rows, columns % LANES) != (features + 1, 0)
            or columns < self.N * self.M
            or (self.velocity.shape, self.velocity.dtype) != (self.parameters.shape, np.float32)
            or self.sizes.shape != (networks, 2)
            or (self.sizes > (self.N, self.M)).any()
            or self.numbers != numbers
            or not np.array_equal(self.lines, tables[0])
            or {len(self.own_lines), len(self.step_factors)} != {networks}
            or not all(own.dtype == np.int32 and any(np.array_equal(own, table) for table in tables)
                       for own in self.own_lines)
        ):  # fmt: skip
            raise ValueError("The parts of the network do not fit together.")

    def is_sound(self) -> bool:
        """Whether every weight is a number, and of a size that normalised data could ask for."""
        return bool(self.parameters.min() > -LARGEST and self.parameters.max() < LARGEST)  # neither, if one is NaN


def parameters_turned_back(parameters: NDArray[np.float32], axes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Parameters (networks, axes + 1 + knots, columns) as they are for a table's own columns: (networks, F + ...)."""
    unturned = np.moveaxis(turned_back(np.moveaxis(parameters, 1, 2), axes), 2, 1)
    aligned = aligned_zeros(unturned.shape)
    aligned[:] = unturned
    return aligned


def shares_of_knots(places: NDArray[np.float32], lines: NDArray[np.int32]) -> NDArray[np.float64]:
    """What the kernels do knot by knot, as one matrix (n, knots): the share of each knot of each line."""
    parts = [np.empty((len(places), 0))]
    for s, (_, knots, levels) in enumerate(lines.tolist()):
        place = places[:, s].astype(np.float64)[:, None]
        for _ in range(levels):
            parts.append(np.where(place >= 0, np.maximum(1 - np.abs(place - np.arange(knots)), 0), 0))
            knots, place = knots // 2 + 1, place / 2
    return np.concatenate(parts, axis=1)


def padded(width: int) -> int:
    """In whole vectors; and where rows of that width would begin at few places of a cache only, so that they drive each
    other out of it, a cache line more.
    """
    columns = whole_vectors(width)
    return columns if columns % _SAME_PLACES else columns + _LINE


def _aligned(widths: Sequence[int]) -> Iterator[NDArray[np.float32]]:
    """Float32 arrays that begin on cache lines, so that no vector of eight straddles two of them.

    They are parts of one memory with room at both ends: what other threads are writing is not near.
    """
    lengths = [-(-width // _LINE) * _LINE for width in widths]
    memory = np.empty(sum(lengths) + 2 * _PAGE, np.float32)
    start = (-memory.ctypes.data % (4 * _PAGE)) // 4
    for width, length in zip(widths, lengths, strict=True):
        yield memory[start : start + width]
        start += length


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
