"""A fitted model as readable rules: `rules`, `explain` and `importance`.

An LDNN is a disjunctive normal form, "this and this, or that and that". Here people can read it.
"""

from .explain import Explanation, HalfSpace, explain
from .extract import rules
from .importance import importance
from .ruleset import Rule, Rules

__all__ = ["Explanation", "HalfSpace", "Rule", "Rules", "explain", "importance", "rules"]
