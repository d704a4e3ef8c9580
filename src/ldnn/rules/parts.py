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

    features: (P, n), what the half-spaces weigh, those of a column side by side; owner: (P,) the column that each of
    these belongs to, -1 for products of two columns; order: (P,) their places in the network; is_straight: (P,)
    whether w.x changes along a feature as its column does; weights (networks, N, M, P), biases (networks, N, M).
    """

    table: Table
    matrix: NDArray
    features: NDArray[np.float32]
    owner: NDArray[np.intp]
    order: NDArray[np.intp]
    is_straight: NDArray[np.bool_]
    weights: NDArray[np.float32]
    biases: NDArray[np.float32]
    is_modular: bool

    @classmethod
    def of(cls, model: DisjunctiveNetworkClassifier, matrix: NDArray) -> "Parts":
        state = model._state
        encoder: Encoder = state.encoder
        weights, biases = state.network.discriminants()
        numbers = len(encoder.numbers)
        owner = [encoder.numbers]
        rotation = encoder.normalizer.rotation
        if encoder.is_conic:
            mixed = [k != m or rotation is not None for k, m in product_pairs(numbers)]
            firsts = np.array([k for k, _ in product_pairs(numbers)], dtype=np.intp)
            owner.append(np.where(mixed, -1, encoder.numbers[firsts]))
        owner += [np.full(line.length, line.column, dtype=np.intp) for line in encoder.lines]
        kinds = [np.full(line.length, line.kind == "missing") for line in encoder.lines]  # no matter of shape
        is_straight = np.concatenate([np.arange(encoder.dense) < numbers, *kinds])
        dense, places = encoder.apply(matrix)
        if rotation is not None:  # the same sum, over columns that are not mixed
            own = np.ascontiguousarray(matrix[:, encoder.numbers])
            dense[:, :numbers] = replace(encoder.normalizer, rotation=None).apply(own)
            weights[..., :numbers] = weights[..., :numbers] @ rotation.T
        features = np.concatenate([dense, shares_of_knots(places, encoder.table)], axis=1)
        owners = np.concatenate(owner)
        order = np.argsort(owners, kind="stable")
        return cls(
            table=Table.of(model, matrix),
            matrix=matrix,
            features=np.ascontiguousarray(features.T[order], dtype=np.float32),
            owner=owners[order],
            order=order,
            is_straight=is_straight[order],
            weights=weights[..., order].astype(np.float32),
            biases=biases.astype(np.float32),
            is_modular=isinstance(model, ModularNetworkClassifier),
        )

    def half_spaces(self, c: int) -> NDArray[np.float32]:
        """z = w.x + b of network c: (n, N, M)."""
        N, M = self.biases[c].shape
        z = self.weights[c].reshape(N * M, -1) @ self.features
        return np.moveaxis(z.reshape(N, M, -1), 2, 0) + self.biases[c]

    def conjunctions(self, z: NDArray) -> NDArray:
        """log g_i from z (n, N, M): (n, N)."""
        if self.is_modular:
            return -np.logaddexp(0, -z.min(axis=2))
        return -np.logaddexp(0, -z).sum(axis=2)

    def log_not_output(self, log_g: NDArray) -> NDArray:
        """log(1 - f) from log g (n, N): (n,)."""
        return log_not(log_g.max(axis=1)) if self.is_modular else log_not(log_g).sum(axis=1)

    def slopes(self, z: NDArray) -> NDArray:
        """How f follows each half-space, df/dz: (n, N, M)."""
        log_sigma = -np.logaddexp(0, -z)
        if self.is_modular:  # the smallest of the conjunction with the largest smallest
            smallest = z.min(axis=2)
            is_it = (z == smallest[:, :, None]) & (smallest == smallest.max(axis=1, keepdims=True))[:, :, None]
            return is_it * np.exp(log_sigma) * -np.expm1(log_sigma)
        log_g = log_sigma.sum(axis=2)
        others = np.minimum(self.log_not_output(log_g)[:, None] - log_not(log_g), 0)
        return np.exp(log_g + others)[:, :, None] * -np.expm1(log_sigma)

    @cached_property
    def _columns(self) -> list[tuple[int, slice]]:
        """Where the features of each column are."""
        numbers, starts = np.unique(self.owner, return_index=True)
        ends = [*starts[1:], len(self.owner)]
        return [(int(k), slice(a, b)) for k, a, b in zip(numbers, starts, ends, strict=True) if k >= 0]

    def contributions(self, weights: NDArray[np.float32]) -> NDArray[np.float64]:
        """What each column adds to w.x for weights (P,): (n, F). What products of two columns add is left out."""
        added = np.zeros((self.features.shape[1], len(self.table.names)))
        for k, part in self._columns:
            added[:, k] = weights[part] @ self.features[part]
        return added

    def column_sums(self, values: NDArray) -> NDArray[np.float64]:
        """Values (P, n) of features, added up for each column: (n, F)."""
        added = np.zeros((values.shape[1], len(self.table.names)))
        for k, part in self._columns:
            added[:, k] = values[part].sum(axis=0)
        return added

    def bends(self, weights: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Along which columns w.x is not straight, for weights (P,): (F,)."""
        bent = np.zeros(len(self.table.names), dtype=bool)
        used = self.owner[(weights != 0) & ~self.is_straight]
        bent[used[used >= 0]] = True
        return bent


def log_not(log_p: NDArray) -> NDArray:
    """log(1 - p) from log p."""
    return np.log(np.maximum(-np.expm1(log_p), 1e-30))


def networks_of(model: Any) -> dict[int, list[int]]:
    """The networks that say yes to a class, by class number."""
    codes = network_codes(len(model.classes_)) * model._state.beginning.plan.n_networks
    return {code: [c for c, own in enumerate(codes) if own == code] for code in dict.fromkeys(codes)}
