"""A fitted model, opened up: what each column of some rows adds to each half-space."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base import DisjunctiveNetworkClassifier
from ..encode import Encoder, product_pairs
from ..modular import ModularNetworkClassifier
from ..network import shares_of_knots
from ..training import network_codes


@dataclass(frozen=True)
class Table:
    """What the columns of the model's tables are called, what their categories are (None: a column of numbers), and in
    which of them values are missing.
    """

    names: list[str]
    categories: list[NDArray | None]
    has_missing: NDArray[np.bool_]

    @classmethod
    def of(cls, model: Any, matrix: NDArray) -> "Table":
        width = model.n_features_in_
        names = [str(name) for name in getattr(model, "feature_names_in_", [f"x{k}" for k in range(width)])]
        columns = model._state.beginning.columns
        return cls(names, [None] * width if columns is None else columns.categories, np.isnan(matrix).any(axis=0))


@dataclass(frozen=True)
class Parts:
    """The half-spaces of a model on n rows of numbers `matrix` (n, F), as table.py reads them.

    features: (n, P), what the half-spaces weigh; owner: (P,) the column that each of these belongs to, -1 for products
    of two columns; weights (networks, N, M, P), biases (networks, N, M).
    """

    table: Table
    matrix: NDArray
    features: NDArray[np.float32]
    owner: NDArray[np.intp]
    is_straight: NDArray[np.bool_]  # (P,) whether z changes along this feature as its column does
    weights: NDArray[np.float64]
    biases: NDArray[np.float64]
    is_modular: bool

    @classmethod
    def of(cls, model: DisjunctiveNetworkClassifier, matrix: NDArray) -> "Parts":
        state = model._state
        encoder: Encoder = state.encoder
        weights, biases = state.network.discriminants()
        numbers = len(encoder.numbers)
        owner = [encoder.numbers]
        is_mixed = encoder.normalizer.rotation is not None
        if encoder.is_conic:
            pairs = product_pairs(numbers)
            owner.append(np.array([-1 if k != m or is_mixed else encoder.numbers[k] for k, m in pairs], dtype=np.intp))
        owner += [np.full(line.length, line.column, dtype=np.intp) for line in encoder.lines]
        is_straight = np.zeros(encoder.features, dtype=bool)
        is_straight[:numbers] = True
        first = encoder.dense
        for line in encoder.lines:  # a missing value is not a matter of shape
            is_straight[first : first + line.length] = line.kind == "missing"
            first += line.length
        dense, places = encoder.apply(matrix)
        if is_mixed:  # the same sum, over columns that are not mixed
            rotation = encoder.normalizer.rotation
            dense[:, :numbers] = replace(encoder.normalizer, rotation=None).apply(
                np.ascontiguousarray(matrix[:, encoder.numbers])
            )
            weights = weights.copy()
            weights[..., :numbers] = weights[..., :numbers] @ rotation.T
        features = np.concatenate([dense, shares_of_knots(places, encoder.table).astype(np.float32)], axis=1)
        is_modular = isinstance(model, ModularNetworkClassifier)
        return cls(Table.of(model, matrix), matrix, features, np.concatenate(owner), is_straight, weights, biases, is_modular)

    def part(self, rows: NDArray[np.intp]) -> "Parts":
        """The same half-spaces on some of the rows."""
        return replace(self, matrix=self.matrix[rows], features=self.features[rows])

    def half_spaces(self, c: int) -> NDArray[np.float32]:
        """z = w.x + b of network c: (n, N, M)."""
        weights = self.weights[c].reshape(-1, self.weights.shape[-1]).astype(np.float32)
        z = self.features @ weights.T
        return z.reshape(len(z), *self.biases[c].shape) + self.biases[c].astype(np.float32)

    def conjunctions(self, z: NDArray[np.float32]) -> NDArray[np.float32]:
        """log g_i from z (n, N, M): (n, N)."""
        if self.is_modular:
            return -np.logaddexp(0, -z.min(axis=2))
        return -np.logaddexp(0, -z).sum(axis=2)

    @cached_property
    def _grouped(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """The features of each column side by side: their order, where columns begin in it, and which columns."""
        order = np.argsort(self.owner, kind="stable")
        columns, starts = np.unique(self.owner[order], return_index=True)
        return order, starts, columns

    def contributions(self, weights: NDArray[np.float64]) -> NDArray[np.float32]:
        """What each column adds to w.x for weights (P,): (n, F). What products of two columns add is left out."""
        order, starts, columns = self._grouped
        added = np.zeros((len(self.features), len(self.table.names)), dtype=np.float32)
        weighted = self.features[:, order] * weights[order].astype(np.float32)
        sums = np.add.reduceat(weighted, starts, axis=1)
        added[:, columns[columns >= 0]] = sums[:, columns >= 0]
        return added

    def bends(self, weights: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Along which columns w.x is not straight, for weights (P,): (F,)."""
        bent = np.zeros(len(self.table.names), dtype=bool)
        used = self.owner[(weights != 0) & ~self.is_straight]
        bent[used[used >= 0]] = True
        return bent


def networks_of(model: Any) -> dict[int, list[int]]:
    """The networks that say yes to a class, by class number."""
    codes = network_codes(len(model.classes_)) * model._state.beginning.plan.n_networks
    return {code: [c for c, own in enumerate(codes) if own == code] for code in dict.fromkeys(codes)}
