"""A fitted model as readable rules: `rules`, `explain` and `importance`.

An LDNN is a disjunctive normal form, "this and this, or that and that". Here people can read it.
"""

from .._rule_lists.rule_explanation import MetCondition, RowChange, RuleExplanation
from .explain import Explanation, HalfSpace, explain
from .extract import rules
from .importance import importance
from .ruleset import Rule, Rules

__all__ = [
    "Explanation",
    "HalfSpace",
    "MetCondition",
    "RowChange",
    "Rule",
    "RuleExplanation",
    "Rules",
    "explain",
    "importance",
    "rules",
]
