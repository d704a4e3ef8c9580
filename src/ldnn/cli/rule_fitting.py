"""From a whole table in a file to a model that is its rules."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from .. import RuleClassifier
from .error_costs import cost_scores, parse_costs
from .fitting import fit_summary, record_source
from .model_internals import fit_rule_model, scores_of_predictions
from .table_files import TableFormat
from .training_tables import TrainingRows, read_training_table
from .value_ranges import value_ranges

_FOLDS = 5


def fit_rules(
    paths: Sequence[str],
    target: str,
    table_format: TableFormat,
    parameters: Mapping[str, Any],
    note: Callable[[str], None],
    show: Callable[..., None],
    costs: Sequence[str] = (),
) -> tuple[RuleClassifier, dict[str, Any]]:
    """A RuleClassifier of a table that fits into memory, and a summary of the fit; see `fit_whole`.

    Its scores are of cross-validation: every row is predicted by rules that were fitted without it.
    """
    rows = read_training_table(paths, target, table_format, note)
    found, y = np.unique(rows.labels, return_inverse=True)
    known_costs = parse_costs(costs, found.tolist()) if costs else None
    folds = _folds(y)
    n_fits = 1 + len(folds)

    def report(done: float) -> None:
        show("searching for rules" if done <= 1 else "measuring them by cross-validation", done / n_fits)

    start = time.perf_counter()
    model = fit_rule_model(RuleClassifier(**parameters), rows.table, rows.labels, report)
    record_source(model, target, rows, table_format, value_ranges(rows.table))
    measuring = time.perf_counter()
    always = found[np.bincount(y).argmax()]
    held_out = _held_out_scores(parameters, rows, folds, y, found, always, known_costs, report) if folds else None
    summary = fit_summary(model, rows.table.num_rows, start, time.perf_counter() - measuring, held_out, always)
    return model, {**summary, "rules": model.rules_.to_dict(), "rules_text": str(model.rules_)}


def _folds(y: NDArray[np.intp]) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Row numbers to fit to and to measure on, by fold; none if a class has a single row. y: (n,) class indices."""
    n_folds = min(_FOLDS, int(np.bincount(y).min()))
    if n_folds < 2:
        return []
    return list(StratifiedKFold(n_folds, shuffle=True, random_state=0).split(np.zeros(len(y)), y))


def _held_out_scores(
    parameters: Mapping[str, Any],
    rows: TrainingRows,
    folds: list[tuple[NDArray[np.intp], NDArray[np.intp]]],
    y: NDArray[np.intp],
    classes: NDArray,
    always: Any,
    costs: NDArray[np.float64] | None,
    report: Callable[[float], None],
) -> dict[str, Any]:
    """Scores like `validation_scores_`. y: (n,) class indices; report: called with the number of fits that are done."""
    predicted, proba = np.empty_like(rows.labels), np.empty((len(y), len(classes)))
    for k, (inside, outside) in enumerate(folds, start=1):

        def report_fold(done: float, k: int = k) -> None:
            report(k + done)

        model = RuleClassifier(**parameters)
        fit_rule_model(model, rows.table.take(inside), rows.labels[inside], report_fold)
        others = rows.table.take(outside)
        predicted[outside], proba[outside] = model.predict(others), model.predict_proba(others)
    rows_text = f"each predicted by rules that were fitted without it ({len(folds)}-fold cross-validation)"
    scores = scores_of_predictions(rows_text, y, predicted, proba, classes, always)
    if costs is not None:
        scores["costs"] = cost_scores([(y, np.ones(len(y)), proba)], costs)
    return scores
