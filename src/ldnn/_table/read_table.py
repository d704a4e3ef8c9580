"""From the user's table to a `TrainingTable`: distinct rows with class indices and weights."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .checks import TableColumns, encode_labels, quoted, read_labelled
from .distinct import distinct_rows
from .training_table import TrainingTable


def read_training_table(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    columns: TableColumns | None,
    classes: Any = None,
    known: NDArray | None = None,
) -> tuple[NDArray, TrainingTable]:
    """The classes (n_classes,) and the table, for an estimator with the parameter `class_weight`.

    columns: see `fit_columns`. classes: all labels that will ever occur, if the user gave them. known: the classes of
    an earlier fit that this one continues.
    """
    X, labels, weights = read_labelled(estimator, X, y, sample_weight, columns, reset=known is None)
    is_category = np.zeros(X.shape[1], dtype=bool) if columns is None else columns.is_category
    if known is None:
        known = np.unique(labels[weights > 0] if classes is None else classes)
        where = "classes has" if classes is not None else "y has" if (weights > 0).all() else "y of positive weight has"
        _check_several(estimator, known, where)
    indices, total_weights = encode_labels(labels, weights, known, estimator.class_weight)
    rows, totals = distinct_rows(X, indices, total_weights)
    if rows.size == 0:
        raise ValueError("No row has a positive weight: raise the class weights of the classes that occur.")
    table = TrainingTable(X, rows, indices[rows], totals, is_category, len(known))
    if estimator.class_weight is not None:
        class_weights = np.ones(len(known))
        class_weights[table.y] = total_weights[rows] / weights[rows]
        table = replace(table, class_weights=class_weights)
    return known, replace(table, is_weighted=sample_weight is not None)


def _check_several(estimator: Any, classes: NDArray, where: str) -> None:
    if len(classes) == 0:  # scikit-learn 1.7 lets such weights through
        raise ValueError("Sample weights must contain at least one non-zero number.")
    if len(classes) < 2:
        raise ValueError(
            f"{where} one class only ({quoted(classes[0])}): {type(estimator).__name__} needs at least two classes."
        )
