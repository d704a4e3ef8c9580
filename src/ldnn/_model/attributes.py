"""The fitted attributes of a classifier, each read from its `FittedState`: they cannot be assigned."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._table.checks import matrix_names
from .state import FittedState


class FittedAttributes:
    """What a fitted classifier shows of its state."""

    _state: FittedState
    n_features_in_: int

    def __sklearn_is_fitted__(self) -> bool:
        return "_state" in vars(self)

    def _fitted_state(self) -> FittedState:
        if "_state" not in vars(self):
            check_is_fitted(self)
        return self._state

    @property
    def classes_(self) -> NDArray:
        """(n_classes,): the labels, sorted."""
        return self._fitted_state().classes

    @property
    def plan_(self) -> dict[str, Any]:
        """The parameters that the model was trained with: what was "auto" as it was chosen."""
        return self._fitted_state().plan.as_parameters()

    @property
    def search_history_(self) -> list[dict[str, Any]]:
        """The trials of the automatic choice: round, rows, parameters, validation error and loss."""
        return self._fitted_state().choice.history

    @property
    def validation_scores_(self) -> dict[str, Any] | None:
        """Scores on rows that networks were not trained on, and which rows these are; None if there were none."""
        state = self._fitted_state()
        scores = state.scores or state.choice.scores
        return None if scores is None else scores.to_dict(state.classes)

    @property
    def inverse_temperature_(self) -> float:
        """The factor of the log-odds in `predict_proba`."""
        return self._fitted_state().inverse_temperature

    @property
    def history_(self) -> dict[str, list[float]]:
        """training_loss, training_error, validation_loss and validation_error of each epoch."""
        return self._fitted_state().history

    @property
    def n_epochs_(self) -> int:
        """The number of epochs of training, of all fits that the model continues."""
        return len(self._fitted_state().history["training_loss"])

    @property
    def n_iter_(self) -> int:
        """The same as `n_epochs_`, as scikit-learn names it."""
        return self.n_epochs_

    @property
    def best_epoch_(self) -> int:
        """The epoch whose weights the model has, counted from 1."""
        return self._fitted_state().best_epoch

    @property
    def weights_(self) -> NDArray[np.float64]:
        """(networks, N, M, terms): the half-spaces w.x + b >= 0 in the units of the user's columns."""
        return self._half_spaces()[0]

    @property
    def biases_(self) -> NDArray[np.float64]:
        """(networks, N, M): the biases of `weights_`."""
        return self._half_spaces()[1]

    @property
    def normalized_weights_(self) -> NDArray[np.float64]:
        """(networks, N, M, terms): the half-spaces in normalised units."""
        return self._fitted_state().network.discriminants()[0]

    @property
    def normalized_biases_(self) -> NDArray[np.float64]:
        """(networks, N, M): the biases of `normalized_weights_`."""
        return self._fitted_state().network.discriminants()[1]

    @property
    def initial_weights_(self) -> NDArray[np.float64]:
        """(networks, N, M, terms): the half-spaces before training, in the units of the user's columns."""
        return self._half_spaces(initial=True)[0]

    @property
    def initial_biases_(self) -> NDArray[np.float64]:
        """(networks, N, M): the biases of `initial_weights_`."""
        return self._half_spaces(initial=True)[1]

    @property
    def sizes_(self) -> NDArray[np.int64]:
        """(networks, 2): the number of conjunctions and discriminants that each network really has.

        The entries of `weights_` beyond that are zero, and their biases make a discriminant always true and a
        conjunction always false.
        """
        return self._fitted_state().network.sizes

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """(n_features,): how much each column contributes to the decisions on a sample of the training rows."""
        importances = self._fitted_state().importances
        if importances is None:
            raise AttributeError("feature_importances_ is measured at the end of a fit.")
        return importances.copy()

    @property
    def terms_(self) -> list[str]:
        """What the last axis of `weights_` stands for: columns of numbers, then knots, categories, missing values."""
        state = self._fitted_state()
        return state.encoder.term_names(matrix_names(self), None if state.columns is None else state.columns.categories)

    def _half_spaces(self, initial: bool = False) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        state = self._fitted_state()
        network = state.network
        if initial:
            network = replace(network, parameters=state.initial_parameters)
        return state.encoder.to_user_units(*network.discriminants())
