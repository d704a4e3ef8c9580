"""What the command needs from a fitted model: the only module here that knows how a model stores its state."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._model.calibration import probabilities
from .._model.forward import predicted_classes
from .._model.validation_scores import HeldOutRows, ValidationScores
from .._table.checks import feature_names, matrix_names
from ..rule_classifier import RuleClassifier


def is_table_model(model: Any) -> bool:
    """Whether the model predicts rows of tables; those of `ldnn.deep` predict images."""
    return hasattr(model, "_state")


def is_rule_model(model: Any) -> bool:
    """Whether the model is its rules."""
    return isinstance(model, RuleClassifier)


def fit_rule_model(model: RuleClassifier, X: Any, y: Any, report: Callable[[float], None]) -> RuleClassifier:
    """Fit a model of rules; report: called with the share of the work that is done."""
    model._validate_params()
    model._find_rules(X, y, None, None, report)
    return model


def predict_with_probabilities(model: Any, X: Any) -> tuple[NDArray, NDArray[np.float64], dict[str, int]]:
    """The predicted labels (n,) and the probabilities (n, n_classes) from a single evaluation of the model; and by the
    names of columns, how many rows have a category that was not seen in training.
    """
    matrix = model._matrix(X)
    unseen = {
        name: int(np.count_nonzero(matrix[:, k] == -1))
        for k, (name, known) in enumerate(zip(matrix_names(model), known_categories(model), strict=True))
        if known is not None
    }
    if is_rule_model(model):
        return model.classes_[model._state.predict(matrix)], model._state.predict_proba(matrix), unseen
    log_odds = model._log_odds(matrix)
    labels = model.classes_[predicted_classes(log_odds)]
    return labels, probabilities(log_odds, model.inverse_temperature_), unseen


def known_categories(model: Any) -> list[NDArray | None]:
    """For each column that the model reads its categories, or None if it holds numbers."""
    columns = model._state.columns
    return [None] * model.n_features_in_ if columns is None else columns.categories


def kinds_of_columns(model: Any) -> dict[str, str]:
    """What the columns of a table for the model hold, by name: "number", "truth", "text", "date" or "time"."""
    columns, names = model._state.columns, feature_names(model)
    if columns is None:
        return dict.fromkeys(names, "number")
    first = [columns.categories[place.start] for place in columns.places]
    kinds = [_kind(known) if date is None else "date" if date.parts[0] == "date" else "time"
             for known, date in zip(first, columns.dates, strict=True)]  # fmt: skip
    return dict(zip(names, kinds, strict=True))


def _kind(categories: Any) -> str:
    """The kind that a column with these categories (None for numbers) has in a file."""
    if categories is None or categories.dtype != object:
        return "number"
    return "truth" if all(isinstance(value, bool) for value in categories) else "text"


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


def held_out_probabilities(model: Any) -> list[tuple[NDArray, NDArray, NDArray]]:
    """For the rows of `validation_scores_`, in each split: class indices (n,), weights (n,) and probabilities (n,
    n_classes). Only right after the fit; empty if there are none.
    """
    if is_rule_model(model):
        return []
    scores = model._state.scores or model._state.choice.scores
    splits = scores.splits if scores is not None else []
    return [(rows.y, rows.weights, np.exp(log_probabilities)) for rows, log_probabilities in splits]


def set_source(model: Any, target: str, **more: Any) -> None:
    """Record in a model the table that it was trained on; `ldnn.save` writes this to the model's file.

    target: name of the target column; more: what else `expected_columns` needs to know, as JSON can hold it.
    """
    model.source_ = {"target": target, **more}


def set_costs(model: Any, costs: NDArray[np.float64]) -> None:
    """Record in a model what errors cost."""
    model.source_["costs"] = costs.tolist()


def get_costs(model: Any) -> NDArray[np.float64] | None:
    """What `set_costs` has recorded."""
    costs = (get_source(model) or {}).get("costs")
    return None if costs is None else np.array(costs)


def get_source(model: Any) -> dict[str, Any] | None:
    """What `set_source` has recorded, or None for a model that was trained from Python."""
    return getattr(model, "source_", None)
