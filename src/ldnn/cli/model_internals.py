"""What the command needs from a fitted model: the only module here that knows how a model stores its state."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._model.calibration import probabilities
from .._model.forward import predicted_classes
from .._search.trials import best_of_last_round, trials_by_plan
from .._table.checks import feature_names


def is_table_model(model: Any) -> bool:
    """Whether the model predicts rows of tables; those of `ldnn.deep` predict images."""
    return hasattr(model, "_state")


def predict_with_probabilities(model: Any, X: Any) -> tuple[NDArray, NDArray[np.float64], dict[str, int]]:
    """The predicted labels (n,) and the probabilities (n, n_classes) from a single evaluation of the model; and by the
    names of columns, how many rows have a category that was not seen in training.
    """
    matrix = model._matrix(X)
    log_odds = model._log_odds(matrix)
    unseen = {
        name: int(np.count_nonzero(matrix[:, k] == -1))
        for k, (name, known) in enumerate(zip(feature_names(model), known_categories(model), strict=True))
        if known is not None
    }
    labels = model.classes_[predicted_classes(log_odds)]
    return labels, probabilities(log_odds, model.inverse_temperature_), unseen


def known_categories(model: Any) -> list[NDArray | None]:
    """For each column its categories, or None if it holds numbers."""
    columns = model._state.columns
    return [None] * model.n_features_in_ if columns is None else columns.categories


def held_out_error(model: Any) -> float | None:
    """The share of errors on rows that were held out of training or of the search; None if there were none."""
    if model.history_["validation_error"]:
        return float(model.history_["validation_error"][model.best_epoch_ - 1])
    if not model.search_history_:
        return None
    plans = trials_by_plan(model.search_history_)
    trials = plans[best_of_last_round(plans)]
    return float(sum(trial["validation_error"] for trial in trials) / len(trials))


def set_source(model: Any, target: str, labels: str, kinds: dict[str, str]) -> None:
    """Record in a model the table that it was trained on; `ldnn.save` writes this to the model's file.

    target: name of the target column; labels: the kind of its values; kinds: those of the other columns by name.
    """
    model.source_ = {"target": target, "labels": labels, "kinds": kinds}


def get_source(model: Any) -> dict[str, Any] | None:
    """What `set_source` has recorded, or None for a model that was trained from Python."""
    return getattr(model, "source_", None)
