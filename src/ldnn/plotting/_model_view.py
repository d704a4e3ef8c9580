"""What plots need from a fitted model: the only module of this package that knows how a model stores its state."""

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._model.calibration import log_probabilities
from .._model.importances import column_importances
from .._search.trials import best_of_last_round, trials_by_plan
from ..base import DisjunctiveNetworkClassifier

_IMPORTANCE_ROWS = 2000  # that columns are compared on, at most


def as_matrix(model: DisjunctiveNetworkClassifier, X: Any) -> NDArray[np.float64]:
    """The table as numbers (n, columns): category codes, days and hours of dates, NaN for missing values."""
    return model._matrix(X)


def column_units(model: DisjunctiveNetworkClassifier) -> list[str]:
    """What the values of each column of the matrix are: "number", "category", "date" or "hour"."""
    columns = model._state.columns
    return ["number"] * model.n_features_in_ if columns is None else columns.units


def known_categories(model: DisjunctiveNetworkClassifier) -> list[NDArray | None]:
    """The categories of each column, in the order of their codes; None for a column of numbers."""
    columns = model._state.columns
    return [None] * model.n_features_in_ if columns is None else columns.categories


def initial_model(model: DisjunctiveNetworkClassifier) -> DisjunctiveNetworkClassifier:
    """A copy of the model with its half-spaces as they were before training."""
    state = model._state
    other = copy(model)
    other._state = replace(state, network=replace(state.network, parameters=state.initial_parameters))
    return other


def class_probabilities(model: DisjunctiveNetworkClassifier, matrix: NDArray) -> NDArray[np.float64]:
    """The probabilities (n_classes, n) of a matrix as `as_matrix` gives it."""
    return np.exp(log_probabilities(model._log_odds(matrix), model.inverse_temperature_))


def column_shares(model: DisjunctiveNetworkClassifier, matrix: NDArray) -> NDArray[np.float64]:
    """How much each column of a matrix contributes to the decisions: shares of one, (columns,)."""
    return column_importances(model._state, model._output_slopes, matrix[:_IMPORTANCE_ROWS])


def n_networks(model: DisjunctiveNetworkClassifier) -> int:
    """The number of networks of all ensemble members together; the networks of a member are consecutive."""
    return len(model._state.network.parameters)


def n_networks_per_member(model: DisjunctiveNetworkClassifier) -> int:
    """The number of networks of one ensemble member: one for two classes, else one for each class."""
    return n_networks(model) // model._state.plan.n_estimators


def network_label(model: DisjunctiveNetworkClassifier, network: int) -> Any:
    """The class that a network separates from the others."""
    state = model._state
    return state.classes.tolist()[state.positives[network]]


def discriminant_values(model: DisjunctiveNetworkClassifier, matrix: NDArray, network: int) -> NDArray[np.float64]:
    """The values (n, N, M) of a network's discriminants: not negative inside their half-spaces.

    matrix: (n, columns), as `as_matrix` gives it. N is the number of conjunctions that this network really has,
    which may be smaller than that of the others.
    """
    state = model._state
    values = state.network.half_space_values(state.encoder.transform(matrix), network)
    return values[:, : state.network.sizes[network, 0]]


def compared_plans(model: DisjunctiveNetworkClassifier) -> tuple[list[list[dict[str, Any]]], int]:
    """The trials in `search_history_`, those of one plan together, and the number of the plan that was chosen."""
    plans = trials_by_plan(model.search_history_)
    return plans, best_of_last_round(plans)


def plan_label(trial: dict[str, Any]) -> str:
    """The plan of a trial in `search_history_` in a few words."""
    kind = trial["discriminant"]
    if trial["n_selected_columns"] is not None:
        kind += f", {trial['n_selected_columns']} columns"
    if trial["importance_power"]:
        kind += f", scaled by importance**{trial['importance_power']:g}"
    if trial["n_components"] is not None:
        kind += f", {trial['n_components']} components, {trial['normalize']} scale"
    rate = "" if trial["relative_learning_rate"] is None else f", rate {trial['relative_learning_rate']:g}"
    return f"{trial['n_conjunctions']}x{trial['n_discriminants']}, {kind}, {trial['loss']} loss{rate}"
