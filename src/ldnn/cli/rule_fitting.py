"""From a whole table in a file to a model that is its rules."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from .. import RuleClassifier
from .error_costs import cost_scores, parse_costs
from .fitting import fit_summary, record_source
from .model_internals import scores_of_predictions
from .table_files import TableFormat
from .training_tables import read_training_table
from .value_ranges import value_ranges

_FOLDS = 5


def fit_rules(
    paths: Sequence[str],
    target: str,
    table_format: TableFormat,
    parameters: Mapping[str, Any],
    note: Callable[[str], None],
    show: Callable[[str], None],
    costs: Sequence[str] = (),
) -> tuple[RuleClassifier, dict[str, Any]]:
    """A RuleClassifier of a table that fits into memory, and a summary of the fit; see `fit_whole`.

    Its scores are of cross-validation: every row is predicted by rules that were fitted without it.
    """
    rows = read_training_table(paths, target, table_format, note)
    found, y = np.unique(rows.labels, return_inverse=True)
    known_costs = parse_costs(costs, found.tolist()) if costs else None
    start = time.perf_counter()
    show("searching for rules")
    model = RuleClassifier(**parameters).fit(rows.table, rows.labels)
    record_source(model, target, rows, table_format, value_ranges(rows.table))
    show("measuring them by cross-validation")
    measuring = time.perf_counter()
    always = found[np.bincount(y).argmax()]
    held_out = _held_out_scores(parameters, rows.table, rows.labels, y, found, always, known_costs)
    summary = fit_summary(model, rows.table.num_rows, start, time.perf_counter() - measuring, held_out, always)
    return model, {**summary, "rules": model.rules_.to_dict(), "rules_text": str(model.rules_)}


def _held_out_scores(
    parameters: Mapping[str, Any],
    table: pa.Table,
    labels: NDArray,
    y: NDArray[np.intp],
    classes: NDArray,
    always: Any,
    costs: NDArray[np.float64] | None,
) -> dict[str, Any] | None:
    """Scores like `validation_scores_`; None if a class has a single row. y: (n,) class indices."""
    n_folds = min(_FOLDS, int(np.bincount(y).min()))
    if n_folds < 2:
        return None
    predicted, proba = np.empty_like(labels), np.empty((len(y), len(classes)))
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    for inside, outside in folds.split(np.zeros(len(y)), y):
        model = RuleClassifier(**parameters).fit(table.take(inside), labels[inside])
        rows = table.take(outside)
        predicted[outside], proba[outside] = model.predict(rows), model.predict_proba(rows)
    rows_text = f"each predicted by rules that were fitted without it ({n_folds}-fold cross-validation)"
    scores = scores_of_predictions(rows_text, y, predicted, proba, classes, always)
    if costs is not None:
        scores["costs"] = cost_scores([(y, np.ones(len(y)), proba)], costs)
    return scores
