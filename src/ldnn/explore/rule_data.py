"""Rules as a page holds them, so that a reader can switch them off and move their thresholds."""

from typing import Any

import numpy as np

from ..rules.conditions import Condition, Effect, Levels, Slope
from ..rules.ruleset import Rules


def rule_data(found: Rules, classes: list[Any]) -> dict[str, Any]:
    """Rules in the order in which they decide: the first one that holds."""
    order = sorted(range(len(found.rules)), key=lambda k: (found.rules[k].priority, k), reverse=True)
    return {
        "summary": found.summary(),
        "otherwise": classes.index(found.otherwise),
        "rules": [
            {
                "label": classes.index(rule.label),
                "conditions": [_condition(condition, rule.schema) for condition in rule.draft.conditions],
            }
            for rule in (found.rules[k] for k in order)
        ],
    }


def _condition(condition: Condition, schema: Any) -> dict[str, Any]:
    return {
        "effects": [_effect(effect) for effect in condition.effects],
        "threshold": condition.threshold,
        "text": condition.text(schema),
    }


def _effect(effect: Effect) -> dict[str, Any]:
    """column: of the matrix. A slope, steps (values from edge to edge) or levels (a value for each category)."""
    shared = {"column": effect.column, "missing": effect.missing}
    if isinstance(effect, Slope):
        return {**shared, "slope": effect.slope}
    if isinstance(effect, Levels):
        return {**shared, "levels": effect.values.tolist()}
    return {**shared, "edges": np.asarray(effect.edges).tolist(), "values": effect.values.tolist()}
