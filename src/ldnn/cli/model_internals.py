"""What the command needs from a fitted model: the only module here that knows how a model stores its state."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._model.calibration import probabilities
from .._model.forward import predicted_classes
from .._model.validation_scores import HeldOutRows, ValidationScores
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


def scores_of_predictions(
    rows: str, y: NDArray[np.intp], labels: NDArray, probabilities: NDArray[np.floating], classes: NDArray, always: Any
) -> dict[str, Any]:
    """Scores like `validation_scores_` for other rows.

    rows: which ones; y: (n,) class indices, -1 for classes that are not known; labels (n,) and probabilities (n,
    n_classes): as predicted; always: the class that the baseline predicts.
    """
    held_out = HeldOutRows(y.astype(np.int32), np.ones(len(y)), is_weighted=False)
    scores = ValidationScores.measure(rows, [(held_out, np.searchsorted(classes, labels), probabilities)])
    return scores.to_dict(classes, int(np.searchsorted(classes, always)))


def set_source(model: Any, target: str, labels: str, kinds: dict[str, str]) -> None:
    """Record in a model the table that it was trained on; `ldnn.save` writes this to the model's file.

    target: name of the target column; labels: the kind of its values; kinds: those of the other columns by name.
    """
    model.source_ = {"target": target, "labels": labels, "kinds": kinds}


def get_source(model: Any) -> dict[str, Any] | None:
    """What `set_source` has recorded, or None for a model that was trained from Python."""
    return getattr(model, "source_", None)
