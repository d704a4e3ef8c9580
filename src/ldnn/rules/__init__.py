"""A fitted model as readable rules: `rules`, `explain` and `importance`.

An LDNN is a disjunctive normal form, "this and this, or that and that". Here people can read it.
"""

from .extract import rules
from .ruleset import Rule, Rules

__all__ = ["Rule", "Rules", "rules"]
