"""The networks of a page: as they are or, where they need too much room, with rounded weights."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._encoding.bases import level_sizes
from .._encoding.encoder import Encoder
from .._model.calibration import probabilities
from .._model.forward import mean_log_odds, predicted_classes
from .._model.memory import aligned_copy
from ..base import DisjunctiveNetworkClassifier
from .packing import PackedArrays, packed_size

_STEPS = [2.0 ** (k / 4) for k in range(-80, 9)]  # from fine to coarse
_FEWEST_SAME = 0.95  # of the decisions: what decides otherwise more often is another model
_TINY = 5e-7  # a difference of probabilities that is not worth mentioning
_CHECK_ROWS = 500


@dataclass(frozen=True)
class PageNetworks:
    """Networks as a page holds them.

    weights: (networks, rows, N M), with one level of knots; 0 for absent half-spaces. step: the page has them rounded
    to multiples of it; None if not rounded.
    """

    weights: NDArray[np.float64]
    step: float | None = None

    def add_weights(self, arrays: PackedArrays) -> dict[str, Any]:
        """Store the weights; what is returned goes to the page."""
        weights = self.weights.astype(np.float32) if self.step is None else _codes(self.weights, self.step)
        return {"step": self.step, "parameters": arrays.add(weights)}


@dataclass(frozen=True)
class Difference:
    """Between the probabilities of a page and those of the model on some rows.

    mean, largest: absolute differences. same: the share of the rows with the same decision.
    """

    mean: float
    largest: float
    same: float


@dataclass(frozen=True)
class NetworkVersions:
    """The versions of a model's networks that a page can have.

    rows: a matrix (n, F) on which they are compared.
    """

    model: DisjunctiveNetworkClassifier
    rows: NDArray

    @cached_property
    def whole(self) -> PageNetworks:
        """As in the model, up to rounding to float32."""
        network = self.model._state.network
        weights = folded(self.model._state.encoder, network.parameters[:, :, : network.N * network.M])
        np.moveaxis(weights, 1, 2)[self._is_absent] = 0
        return PageNetworks(weights)

    @property
    def none(self) -> PageNetworks:
        """Without weights, to see what else a page needs."""
        return PageNetworks(self.whole.weights[:, :0])

    @cached_property
    def whole_size(self) -> int:
        """The characters of the whole networks in a page."""
        arrays = PackedArrays()
        self.whole.add_weights(arrays)
        return len(arrays.text())

    def within(self, room: int) -> PageNetworks | None:
        """The networks in this many characters, rounded if that is needed; None if they would decide otherwise then."""
        if self.whole_size <= room:
            return self.whole
        weights = self.whole.weights
        steps = [step for step in _STEPS if np.abs(weights).max() < 2**30 * step]
        low, high = 0, len(steps)
        while low < high:
            middle = (low + high) // 2
            if packed_size(_codes(weights, steps[middle])) <= room:
                high = middle
            else:
                low = middle + 1
        if low == len(steps):
            return None
        rounded = PageNetworks(weights, steps[low])
        difference = self.difference(rounded, self._check_rows)
        return rounded if difference is None or difference.same >= _FEWEST_SAME else None

    def difference(self, networks: PageNetworks, shown: NDArray) -> Difference | None:
        """Between networks of a page and the model, on rows (n, F); None if it is tiny."""
        if networks.step is None:
            return None
        own, odds = self._log_odds(networks.weights, networks.step, shown), self.model._log_odds(shown)
        factor = self.model._state.inverse_temperature
        differences = np.abs(probabilities(own, factor) - probabilities(odds, factor))
        if differences.max() <= _TINY:
            return None
        same = predicted_classes(own) == predicted_classes(odds)
        return Difference(float(differences.mean()), float(differences.max()), float(same.mean()))

    @property
    def _is_absent(self) -> NDArray[np.bool_]:
        """Half-spaces that fill up smaller networks: (networks, N M)."""
        network = self.model._state.network
        n, m = network.sizes.T[:, :, None, None]
        absent = (np.arange(network.N)[:, None] >= n) | (np.arange(network.M) >= m)
        return absent.reshape(len(n), network.N * network.M)

    @cached_property
    def _check_rows(self) -> NDArray:
        """Rows, and as many with values of several of them, as a reader changes them."""
        rows = self.rows[:_CHECK_ROWS]
        return np.concatenate([rows, np.random.default_rng(0).permuted(rows, axis=0)])

    def _log_odds(self, weights: NDArray[np.float64], step: float, matrix: NDArray) -> NDArray[np.float64]:
        """The log-odds of networks with rounded weights, (C, n)."""
        state = self.model._state
        network, encoder = state.network, state.encoder
        parameters, width = aligned_copy(network.parameters), network.N * network.M
        biases = parameters[:, network.n_dense, :width].copy()
        parameters[:] = 0
        parameters[:, _kept_rows(encoder), :width] = np.round(weights / step) * step
        parameters[:, network.n_dense, :width][self._is_absent] = biases[self._is_absent]
        out = np.empty((len(parameters), len(matrix)))
        rounded = replace(network, parameters=parameters)
        self.model._network_log_odds(rounded, range(len(out)), encoder.transform(matrix), out)
        return mean_log_odds(out.reshape(state.plan.n_estimators, -1, len(matrix)))


def folded(encoder: Encoder, parameters: NDArray) -> NDArray[np.float64]:
    """Parameters (networks, rows, columns) with one level of knots: the coarse level is linear between its knots, so
    that it can be added to the weights of the fine one.
    """
    found = parameters[:, _kept_rows(encoder)].astype(np.float64)
    at = encoder.n_dense + 1
    for first, knots, levels in encoder.basis_table.tolist():
        for level, size in enumerate(level_sizes(knots, levels)[1:], start=1):
            first += level_sizes(knots, levels)[level - 1]
            places = np.arange(knots) / 2**level
            low = np.floor(places).astype(np.intp)
            high, beyond = np.minimum(low + 1, size - 1), (places - low)[:, None]
            coarse = parameters[:, first : first + size].astype(np.float64)
            found[:, at : at + knots] += (1 - beyond) * coarse[:, low] + beyond * coarse[:, high]
        at += knots
    return found


def _kept_rows(encoder: Encoder) -> NDArray[np.intp]:
    """The rows of the parameters without those of coarse levels."""
    fine = [np.arange(first, first + knots) for first, knots, _ in encoder.basis_table.tolist()]
    return np.concatenate([np.arange(encoder.n_dense + 1), *fine]).astype(np.intp)


def _codes(weights: NDArray[np.float64], step: float) -> NDArray[np.int64]:
    """Rounded weights as numbers that are not negative: 0, -1, 1, -2, ... steps become 0, 1, 2, 3, ..."""
    whole = np.round(weights / step).astype(np.int64)
    return np.where(whole < 0, -2 * whole - 1, 2 * whole)
