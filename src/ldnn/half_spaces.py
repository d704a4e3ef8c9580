"""The learned half-spaces of a fitted classifier, as attributes: in the user's units and in normalised ones."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .state import State


class HasHalfSpaces:
    """What a fitted classifier shows of its networks."""

    _state: State
    n_features_in_: int

    @property
    def weights_(self) -> NDArray[np.float64]:
        """(networks, N, M, features): the half-spaces w.x + b >= 0 in the units of the user's columns."""
        return self._half_spaces()[0]

    @property
    def biases_(self) -> NDArray[np.float64]:
        """(networks, N, M): the biases that belong to `weights_`."""
        return self._half_spaces()[1]

    @property
    def normalized_weights_(self) -> NDArray[np.float64]:
        """(networks, N, M, features): the half-spaces in normalised units."""
        check_is_fitted(self, "_state")
        return self._state.network.discriminants()[0]

    @property
    def normalized_biases_(self) -> NDArray[np.float64]:
        """(networks, N, M): the biases that belong to `normalized_weights_`."""
        check_is_fitted(self, "_state")
        return self._state.network.discriminants()[1]

    @property
    def initial_weights_(self) -> NDArray[np.float64]:
        """(networks, N, M, features): where the half-spaces started, in the units of the user's columns."""
        return self._half_spaces(initial=True)[0]

    @property
    def initial_biases_(self) -> NDArray[np.float64]:
        """(networks, N, M): the biases that belong to `initial_weights_`."""
        return self._half_spaces(initial=True)[1]

    @property
    def sizes_(self) -> NDArray[np.int64]:
        """(networks, 2): how many conjunctions and discriminants each network really has.

        The entries of `weights_` beyond that are zero, and their biases make a discriminant always true, a conjunction
        never.
        """
        check_is_fitted(self, "_state")
        return self._state.network.sizes

    @property
    def terms_(self) -> list[str]:
        """What the last axis of `weights_` counts: columns of numbers, then knots, categories and missing values."""
        check_is_fitted(self, "_state")
        columns = self._state.beginning.columns
        names = getattr(self, "feature_names_in_", [f"x{k}" for k in range(self.n_features_in_)])
        return self._state.encoder.term_names(list(names), None if columns is None else columns.categories)

    def _half_spaces(self, initial: bool = False) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        check_is_fitted(self, "_state")
        network = self._state.network
        if initial:
            network = replace(network, parameters=self._state.initial_parameters)
        return self._state.encoder.to_user_units(*network.discriminants())
