"""A fitted model on some rows, decomposed into what each column adds to each half-space."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._encoding.bases import Missing
from .._encoding.encoder import Encoder
from .._model.forward import (
    log_complement,
    log_conjunctions,
    log_not_f,
    log_sigmoid,
    modular_output_slopes,
    output_slopes,
    positive_classes,
)
from .._model.network import basis_features
from .._table.schema import Schema
from ..base import DisjunctiveNetworkClassifier
from ..modular import ModularNetworkClassifier


@dataclass(frozen=True)
class Decomposition:
    """The half-spaces of a model on n rows `matrix` (n, F) of numbers, see _table/columns.py.

    features: (P, n), those of a column side by side; owner: (P,) the column of each feature, -1 for products of two
    columns; order: (P,) their indices in the network; is_linear: (P,) whether w.x changes along a feature as its column
    does; weights (networks, N, M, P), biases (networks, N, M).
    """

    schema: Schema
    matrix: NDArray
    features: NDArray[np.float32]
    owner: NDArray[np.intp]
    order: NDArray[np.intp]
    is_linear: NDArray[np.bool_]
    weights: NDArray[np.float32]
    biases: NDArray[np.float32]
    is_modular: bool

    @classmethod
    def of(cls, model: DisjunctiveNetworkClassifier, matrix: NDArray) -> "Decomposition":
        state = model._state
        encoder = state.encoder
        weights, biases = state.network.discriminants()
        count, rotation = len(encoder.numbers), encoder.normalizer.rotation
        dense, positions = encoder.transform(matrix)
        if rotation is not None:  # the same sum, over columns that are not mixed
            own = np.ascontiguousarray(matrix[:, encoder.numbers])
            dense[:, :count] = replace(encoder.normalizer, rotation=None).transform(own)
            weights[..., :count] = weights[..., :count] @ rotation.T
        features = np.concatenate([dense, basis_features(positions, encoder.basis_table)], axis=1)
        owner = encoder.owners
        order = np.argsort(owner, kind="stable")
        return cls(
            schema=Schema.of(model, matrix),
            matrix=matrix,
            features=np.ascontiguousarray(features.T[order], dtype=np.float32),
            owner=owner[order],
            order=order,
            is_linear=_linear_features(encoder)[order],
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
        return log_sigmoid(z.min(axis=2)) if self.is_modular else log_conjunctions(z)

    def log_not_output(self, log_g: NDArray) -> NDArray:
        """log(1 - f) from log g (n, N): (n,)."""
        return log_complement(log_g.max(axis=1)) if self.is_modular else log_not_f(log_g)

    def slopes(self, z: NDArray) -> NDArray:
        """df/dz of each half-space: (n, N, M)."""
        return modular_output_slopes(z) if self.is_modular else output_slopes(z)

    @cached_property
    def _columns(self) -> list[tuple[int, slice]]:
        """Where the features of each column are."""
        numbers, starts = np.unique(self.owner, return_index=True)
        ends = [*starts[1:], len(self.owner)]
        return [(int(k), slice(a, b)) for k, a, b in zip(numbers, starts, ends, strict=True) if k >= 0]

    def contributions(self, weights: NDArray[np.float32]) -> NDArray[np.float64]:
        """What each column adds to w.x for weights (P,): (n, F). What products of two columns add is left out."""
        added = np.zeros((self.features.shape[1], len(self.schema.names)))
        for k, part in self._columns:
            added[:, k] = weights[part] @ self.features[part]
        return added

    def column_sums(self, values: NDArray) -> NDArray[np.float64]:
        """Values (P, n) of features, added up for each column: (n, F)."""
        added = np.zeros((values.shape[1], len(self.schema.names)))
        for k, part in self._columns:
            added[:, k] = values[part].sum(axis=0)
        return added

    def is_curved(self, weights: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Along which columns w.x is not linear, for weights (P,): (F,)."""
        curved = np.zeros(len(self.schema.names), dtype=bool)
        used = self.owner[(weights != 0) & ~self.is_linear]
        curved[used[used >= 0]] = True
        return curved


def _linear_features(encoder: Encoder) -> NDArray[np.bool_]:
    """Whether w.x changes along each feature as its column does, or with missing values only: (P,)."""
    of_bases = [np.full(basis.n_weights, isinstance(basis, Missing)) for basis in encoder.bases]
    return np.concatenate([np.arange(encoder.n_dense) < len(encoder.numbers), *of_bases])


def networks_by_class(model: Any) -> dict[int, list[int]]:
    """The networks that detect each class, by class index."""
    positives = positive_classes(len(model.classes_)) * model._state.plan.n_estimators
    return {
        positive: [c for c, own in enumerate(positives) if own == positive] for positive in dict.fromkeys(positives)
    }
