"""Rule lists as a page holds them, so that a reader can switch rules off and move their thresholds."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._rule_lists.column_conditions import CategoryCondition, Condition, SumCondition
from .._rule_lists.rule_model import ColumnRule, RuleModel

_LENGTHS = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 64, 80, 100)  # conditions of the lists of a page


def rule_lists(model: RuleModel, classes: NDArray) -> dict[str, Any]:
    """Lists from few to many conditions, and the place of that of the model. classes: those of the page."""
    chosen, points = model.n_conditions, model.frontier
    longest = points[-1].n_conditions
    kept = [p for p in points if p.n_conditions in (*_LENGTHS, chosen, longest)]
    place = next(k for k, point in enumerate(kept) if point.n_conditions == chosen)
    places = np.searchsorted(classes, model.classes)
    return {"lists": [_list(point.rules, point.default, places) for point in kept], "chosen": place}


def no_rules(label: int) -> dict[str, Any]:
    """Always the same class."""
    return {"lists": [{"rules": [], "otherwise": label}], "chosen": 0}


def rule_model_data(model: RuleModel) -> dict[str, Any]:
    """A model that is its rules; the rules themselves are in `rule_lists`."""
    found = model.probabilities
    return {
        "classes": [str(label) for label in model.classes.tolist()],
        "otherwise": model.default,
        "frequencies": found.frequencies.tolist(),
        "weights": found.weights.tolist(),
        "widths": model.widths,
        "offsets": found.offsets.tolist(),
        "scales": model.scales.tolist(),
        "whole": model.is_whole.tolist(),
        "units": model.schema.units,
    }


def _list(rules: list[ColumnRule], default: int, places: NDArray[np.intp]) -> dict[str, Any]:
    """places: of the classes of the rules among those of the page."""
    found = [
        {"label": int(places[rule.label]), "conditions": [_condition(one) for one in rule.conditions]} for rule in rules
    ]
    return {"rules": found, "otherwise": int(places[default])}


def _condition(condition: Condition) -> dict[str, Any]:
    shared = {"columns": list(condition.columns), "missing": condition.with_missing}
    if isinstance(condition, CategoryCondition):
        return {**shared, "included": condition.included.tolist()}
    weights = condition.terms.weights if isinstance(condition, SumCondition) else (1,)
    known = condition.low <= condition.high  # else it holds for missing values only
    limits = {"low": _limit(condition.low), "high": _limit(condition.high)}
    return {**shared, "weights": list(weights), "known": known, **limits}


def _limit(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
