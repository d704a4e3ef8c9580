"""From a whole table in a file to a model."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import LDNNClassifier
from .error_costs import Costs, cost_scores, parse_costs
from .interpretation import store_rules
from .messages import UserError, nearest
from .model_internals import get_source, held_out_probabilities, set_costs, set_source
from .table_files import MISSING_VALUES, TableFormat
from .training_tables import TrainingRows, read_training_table
from .value_ranges import Ranges, value_ranges


def parse_parameters(given: Sequence[str], classifier: type = LDNNClassifier) -> dict[str, Any]:
    """Parameters of a classifier from texts of the form "name=value"."""
    known = classifier().get_params()
    result: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise UserError(f"--set {text} has no value; write it as name=value, for example max_epochs=50.")
        if name not in known:
            raise UserError(f"{classifier.__name__} has no parameter {name!r}; {nearest(name, known)}")
        result[name] = _parse_value(value)
    return result


def _parse_value(text: str) -> Any:
    words = {"none": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text


def fit_whole(
    paths: Sequence[str],
    target: str,
    table_format: TableFormat,
    parameters: Mapping[str, Any],
    note: Callable[[str], None],
    show: Callable[[str], None],
    costs: Sequence[str] = (),
) -> tuple[LDNNClassifier, dict[str, Any]]:
    """A classifier of a table that fits into memory, and a summary of the fit.

    note: called with a sentence for what the user should know about the table; show: with lines about the progress;
    costs: of errors, which are checked before the work.
    """
    rows = read_training_table(paths, target, table_format, note)
    parse_costs(costs, np.unique(rows.labels).tolist())
    start = time.perf_counter()
    model = LDNNClassifier(**parameters).fit(rows.table, rows.labels)
    record_source(model, target, rows, table_format, value_ranges(rows.table))
    rules_seconds = store_rules(model, rows.table, rows.labels, show)
    found, counts = np.unique(rows.labels, return_counts=True)
    most_frequent = found[counts.argmax()]
    return model, fit_summary(model, rows.table.num_rows, start, rules_seconds, model.validation_scores_, most_frequent)


def add_costs(model: Any, given: Sequence[str], summary: dict[str, Any]) -> Costs:
    """Record in a model what errors cost, and in the summary what decisions by cost cost on held-out rows."""
    costs = parse_costs(given, model.classes_.tolist())
    set_costs(model, costs)
    summary["costs"] = costs
    splits = held_out_probabilities(model)
    if splits and summary["held_out"] is not None:
        summary["held_out"]["costs"] = cost_scores(splits, costs)
    return costs


def record_source(model: Any, target: str, rows: TrainingRows, table_format: TableFormat, ranges: Ranges) -> None:
    """Record in a model how its training table was read, so that other files are read in the same way."""
    set_source(
        model,
        target,
        labels=rows.label_reading.to_dict(),
        readings={name: reading.to_dict() for name, reading in rows.readings.items()},
        missing=[text for text in table_format.missing_values if text not in MISSING_VALUES],
        ranges=ranges,
    )


def fit_summary(
    model: Any, rows: int, start: float, rules_seconds: float, held_out: dict[str, Any] | None, most_frequent: Any
) -> dict[str, Any]:
    """What the command reports about a model that was fitted since `start`.

    rules_seconds: how much of the time its rules took, or to measure them if they are the model; held_out: scores on
    rows that were not trained on, if there were any; most_frequent: the most frequent class.
    """
    source = get_source(model)
    assert source is not None
    return {
        "target": source["target"],
        "classes": model.classes_.tolist(),
        "rows": rows,
        "columns": len(source["readings"]),
        "seconds": round(time.perf_counter() - start, 3),
        "rules_seconds": round(rules_seconds, 3),
        "most_frequent_class": most_frequent,
        "held_out": held_out,
        "plan": getattr(model, "plan_", None),
    }
