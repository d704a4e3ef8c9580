"""Encoder: from a matrix of the table's columns to what the networks see, and from half-spaces back to the columns.

A column of numbers is normalised, and may have a piecewise-linear basis: then half-spaces are sums of one
piecewise-linear function per column. A category is one weight of its column's basis. A missing number counts as the
mean, and has an indicator. For conic discriminants the products of the normalised numbers are numbers, too, so that
w.x + b = 0 is a quadric instead of a plane.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from .._kernels import encoding_kernels
from .._table.distinct import chunks, take_rows
from .._table.training_table import TrainingTable
from .bases import Basis, Missing, OneHot, PiecewiseLinear
from .normalizer import Normalizer
from .products import product_pairs, with_products
from .rows import EncodedRows, Features

_NUMBERS_AT_ONCE = 2**21  # of a table that is projected piece by piece


@dataclass(frozen=True)
class LongTail:
    """A number with long tails, trained on by its knot position: (position - center) * scale.

    In its own units, the many values in the middle would be nearly equal beside the few far out. number: its index
    among the numbers; basis: the index of its basis.
    """

    number: int
    basis: int
    center: float
    scale: float

    def encode(self, positions: NDArray[np.float32]) -> NDArray[np.float32]:
        """What networks see of the number during training, given its knot positions (n,)."""
        return np.where(positions < 0, 0, (positions - self.center) * self.scale)

    def fold(self, weights: NDArray[np.float32], knot_weights: NDArray[np.float32]) -> None:
        """Move trained weights (networks, columns) over to those of the knots (networks, knots, columns), in place.

        The encoded number is linear between the knots, so the function does not change.
        """
        at_knots = (np.arange(knot_weights.shape[1]) - self.center) * self.scale
        knot_weights += at_knots.astype(np.float32)[:, None] * weights[:, None]
        weights[:] = 0


@dataclass(frozen=True)
class Encoder:
    """What networks see of a row: numbers, their products if `is_conic`, and positions in the bases.

    numbers: the columns that `normalizer` normalises. long_tails: numbers that are trained on by their knot positions;
    after training their weights are folded into the knots (`fold_long_tails`). components: (F, components) float32, on
    which numbers are projected for training; None trains on the numbers themselves. directions: of monotone columns of
    the table, see `monotone_cone.py`; None if there are none.
    """

    numbers: NDArray[np.intp]
    normalizer: Normalizer
    bases: list[Basis]
    is_conic: bool = False
    long_tails: list[LongTail] = field(default_factory=list)
    components: NDArray[np.float32] | None = None
    directions: NDArray[np.intp] | None = None
    stored_as: ClassVar[type]  # in files

    # --- sizes --------------------------------------------------------------------------------------------------------

    @property
    def n_numbers(self) -> int:
        """How many numbers a network sees in training, without products."""
        return len(self.numbers) if self.components is None else self.components.shape[1]

    @property
    def n_dense(self) -> int:
        """F of the kernels: numbers and products."""
        return self.n_numbers + (len(product_pairs(len(self.numbers))) if self.is_conic else 0)

    @property
    def n_features(self) -> int:
        """How many weights a half-space has: one for each number, product and knot."""
        return self.n_dense + sum(self._weight_counts)

    @property
    def owners(self) -> NDArray[np.intp]:
        """The column of the table that each weight of a trained half-space belongs to, -1 for products of two columns:
        (n_features,).
        """
        owners = [self.numbers]
        if self.is_conic:
            pairs = product_pairs(len(self.numbers))
            is_mixed = [k != m or self.normalizer.rotation is not None for k, m in pairs]
            owners.append(np.where(is_mixed, -1, self.numbers[np.array([k for k, _ in pairs], dtype=np.intp)]))
        owners += [np.full(basis.n_weights, basis.column, dtype=np.intp) for basis in self.bases]
        return np.concatenate(owners)

    @property
    def basis_table(self) -> NDArray[np.int32]:
        """The bases as the kernels read them: (S, 3)."""
        return self._basis_table.copy()

    @cached_property
    def _weight_counts(self) -> list[int]:
        """How many weights each basis has."""
        return [basis.n_weights for basis in self.bases]

    @cached_property
    def _basis_table(self) -> NDArray[np.int32]:
        firsts = self.n_dense + 1 + np.cumsum([0, *self._weight_counts])
        rows = [(first, len(basis.knots), basis.levels) for first, basis in zip(firsts, self.bases, strict=False)]
        return np.array(rows, dtype=np.int32).reshape(-1, 3)

    @property
    def linear_basis_table(self) -> NDArray[np.int32]:
        """The same for a linear network, which ignores piecewise-linear bases."""
        table = self.basis_table
        table[[not basis.is_linear for basis in self.bases], 2] = 0
        return table

    # --- rows ---------------------------------------------------------------------------------------------------------

    def transform(self, X: NDArray, rows: NDArray[np.intp] | None = None) -> Features:
        """The rows of X (all, if not given) as trained networks see them: numbers (n, F) and positions (n, S)."""
        numbers, positions = self._numbers_and_positions(X, rows)
        return (with_products(numbers) if self.is_conic else numbers), positions

    def transform_for_training(self, X: NDArray, rows: NDArray[np.intp] | None = None) -> Features:
        """The same as networks see them in training: long tails by their knot positions, numbers on components."""
        if self.components is not None:
            return self._projected(X, rows)
        numbers, positions = self._numbers_and_positions(X, rows)
        for tail in self.long_tails:
            numbers[:, tail.number] = tail.encode(positions[:, tail.basis])
        return (with_products(numbers) if self.is_conic else numbers), positions

    def encode_table(self, table: TrainingTable) -> EncodedRows:
        """The rows of a table for training."""
        return EncodedRows(*self.transform_for_training(table.X, table.rows), table.y, table.weights)

    def _numbers_and_positions(self, X: NDArray, rows: NDArray[np.intp] | None) -> Features:
        positions = np.empty((len(X) if rows is None else len(rows), len(self.bases)), dtype=np.float32)
        for part in chunks(len(positions), X.shape[1]) if self.bases else []:
            chunk = X[part] if rows is None else take_rows(X, rows[part])
            encoding_kernels.find_positions(np.ascontiguousarray(chunk), *self._all_knots, positions[part])
        has_all = len(self.numbers) == X.shape[1]
        numbers = self.normalizer.transform(X if has_all else np.ascontiguousarray(X[:, self.numbers]), rows)
        return numbers, positions

    def _projected(self, X: NDArray, rows: NDArray[np.intp] | None) -> Features:
        """On the components, piece by piece, so that no second table as wide as X is made."""
        assert self.components is not None
        unprojected = replace(self, components=None)
        count = len(X) if rows is None else len(rows)
        numbers = np.empty((count, self.n_numbers), dtype=np.float32)
        positions = np.empty((count, len(self.bases)), dtype=np.float32)
        with threadpool_limits(limits=1, user_api="blas"):  # the number of threads may change the last bits
            for part in chunks(count, X.shape[1], _NUMBERS_AT_ONCE):
                chunk = X[part] if rows is None else take_rows(X, rows[part])
                own, positions[part] = unprojected.transform_for_training(chunk)
                np.matmul(own, self.components, out=numbers[part])
        return numbers, positions

    @cached_property
    def _all_knots(self) -> tuple[NDArray[np.intp], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """The bases as `find_positions` reads them: their columns, kinds, first knots, and all knots."""
        return (
            np.array([basis.column for basis in self.bases], dtype=np.intp),
            np.array([basis.kind for basis in self.bases], dtype=np.int64),
            np.cumsum([0, *(len(basis.knots) for basis in self.bases)], dtype=np.int64),
            np.concatenate([basis.knots for basis in self.bases]),
        )

    def mean_squared_norm(self, rows: EncodedRows, linear: bool = False) -> float:
        """The mean of |x|**2 over rows, as a (linear) network sees them, including the constant 1 of the bias.

        One gradient step changes w.x + b of its own row by |x|**2 times the learning rate.
        """
        total = float(np.einsum("rk,rk->", rows.X, rows.X, dtype=np.float64))
        for s, basis in enumerate(self.bases):
            if linear and not basis.is_linear:
                continue
            positions = rows.positions[:, s].astype(np.float64)
            positions = positions[positions >= 0]
            for _ in range(basis.levels):
                beyond = positions % 1
                total += float(((1 - beyond) ** 2 + beyond**2).sum())
                positions /= 2
        return 1 + total / max(len(rows.X), 1)

    # --- trained half-spaces ------------------------------------------------------------------------------------------

    def fold_long_tails(self, parameters: NDArray[np.float32]) -> None:
        """Trained parameters (networks, rows, columns), in place: fold the weights of long tails into their knots."""
        for tail in self.long_tails:
            first, n_knots, _ = self.basis_table[tail.basis]
            tail.fold(parameters[:, tail.number], parameters[:, first : first + n_knots])

    def to_user_units(
        self, weights: NDArray[np.float64], biases: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The same half-spaces (..., features) with numbers in the user's units; the other weights stay."""
        count = len(self.numbers)
        changed, biases = self.normalizer.to_user_units(weights[..., :count], biases)
        return np.concatenate([changed, weights[..., count:]], axis=-1), biases

    def term_names(self, columns: list[str], categories: list[NDArray | None] | None) -> list[str]:
        """A name for each weight of a half-space, given the names of the columns and their known categories."""
        names = [columns[k] for k in self.numbers]
        if self.is_conic:
            names += [f"{names[k]} * {names[m]} (normalised)" for k, m in product_pairs(len(self.numbers))]
        for basis in self.bases:
            known = None if categories is None else categories[basis.column]
            names += basis.names(columns[basis.column], known)
        return names

    # --- files --------------------------------------------------------------------------------------------------------

    def stored(self) -> "StoredEncoder":
        kinds = [basis.kind for basis in self.bases]
        columns = [basis.column for basis in self.bases]
        n_knots = [len(basis.knots) for basis in self.bases]
        return StoredEncoder(
            self.numbers,
            self.normalizer,
            np.array(kinds, dtype=np.int64),
            np.array(columns, dtype=np.int64),
            np.array(n_knots, dtype=np.int64),
            np.concatenate([np.empty(0), *(basis.knots for basis in self.bases)]),
            self.is_conic,
            self.long_tails,
            self.directions,
        )

    def claims(self, categories: Mapping[int, NDArray]) -> Iterator[tuple[bool, str]]:
        """What must hold of an encoder from a file, since the kernels do not check where they read and write.

        categories: those of the columns that have any, by their numbers.
        """
        order = [(basis.column, basis.kind == encoding_kernels.MISSING) for basis in self.bases]
        yield bool((np.diff(self.numbers) > 0).all()), "the encoder's numbers are not in the order of the columns"
        yield categories.keys().isdisjoint(self.numbers.tolist()), "the encoder has a category among its numbers"
        yield order == sorted(set(order)), "the encoder's bases are not in the order of the columns"
        for basis in self.bases:
            yield basis.is_valid(categories.get(basis.column)), f"the knots of column {basis.column} are not right"
        yield all(self._has_long_tail(tail) for tail in self.long_tails), "a long tail is not that of a number"
        yield not (self.is_conic and self.long_tails), "a conic encoder has long tails"
        if self.directions is not None:
            yield self.last_column < len(self.directions), "a column of the encoder has no direction"

    @property
    def last_column(self) -> int:
        """The last column of the table that is used."""
        return max([0, *self.numbers.tolist(), *(basis.column for basis in self.bases)])

    def _has_long_tail(self, tail: LongTail) -> bool:
        """Whether there are the number and the piecewise-linear basis that a long tail names."""
        return (
            tail.number < len(self.numbers)
            and tail.basis < len(self.bases)
            and isinstance(self.bases[tail.basis], PiecewiseLinear)
            and self.bases[tail.basis].column == self.numbers[tail.number]
        )


@dataclass(frozen=True)
class StoredEncoder:
    """What a file holds of an `Encoder`; trained components are not part of it.

    kinds, columns, n_knots: (S,) of the bases; knots: of all bases, one after the other.
    """

    numbers: NDArray[np.intp]
    normalizer: Normalizer
    kinds: NDArray[np.int64]
    columns: NDArray[np.int64]
    n_knots: NDArray[np.int64]
    knots: NDArray[np.float64]
    is_conic: bool
    long_tails: list[LongTail]
    directions: NDArray[np.intp] | None

    def restored(self) -> Encoder:
        ends = np.cumsum(self.n_knots)
        if self.n_knots.sum() != len(self.knots):
            raise ValueError("the number of knots is not the sum of those of the bases")
        parts = np.split(self.knots, ends[:-1]) if len(ends) else []
        classes = {cls.kind: cls for cls in (PiecewiseLinear, OneHot, Missing)}
        bases: list[Basis] = [
            classes[kind](column, knots.copy())
            for kind, column, knots in zip(self.kinds.tolist(), self.columns.tolist(), parts, strict=True)
        ]
        return Encoder(self.numbers, self.normalizer, bases, self.is_conic, self.long_tails, directions=self.directions)


Encoder.stored_as = StoredEncoder
