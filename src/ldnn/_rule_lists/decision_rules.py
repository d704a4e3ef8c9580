"""The rules of a RuleClassifier as people see them: text, data frame, HTML."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._printable import plain, printable
from .._shares import percent
from .rule_model import ColumnRule, RuleModel


@dataclass(frozen=True)
class DecisionRule:
    """One rule: all conditions must hold.

    Attributes
    ----------
    label : the class
    conditions : tuple of str
    n_conditions : int
        Their number; a condition on a sum of columns counts as many times as it has columns.
    n_rows : int or None
        Number of rows that the rule decides about, of those that it was measured on: it holds, and no earlier one does.
    precision : float or None
        The share of these rows that are of the class.
    """

    label: Any
    conditions: tuple[str, ...]
    n_conditions: int
    n_rows: int | None = None
    precision: float | None = None

    def __str__(self) -> str:
        return f"{self.label} if {' and '.join(self.conditions)}"


@dataclass(frozen=True)
class DecisionRules:
    """The rules of a model, in the order in which they decide.

    Attributes
    ----------
    rules : list of DecisionRule
    default_class : the class of rows in which no rule holds
    is_ordered : bool
        Whether the order counts: there are rules of several classes.
    accuracy : float or None
        The share of the measured rows that are predicted right.
    n_rows : int or None
        Number of rows that were measured.
    """

    rules: list[DecisionRule]
    default_class: Any
    is_ordered: bool
    accuracy: float | None = None
    n_rows: int | None = None

    @classmethod
    def of(cls, model: RuleModel) -> "DecisionRules":
        """The rules without any figures."""
        return cls.of_rules(model.rules, model.default, model)

    @classmethod
    def of_rules(cls, rules: list[ColumnRule], default: int, model: RuleModel) -> "DecisionRules":
        """Other rules in the words of a model."""
        texts = [
            DecisionRule(model.classes[rule.label], tuple(model.condition_texts(rule)), rule.n_conditions)
            for rule in rules
        ]
        return cls(texts, model.classes[default], len({rule.label for rule in rules}) > 1)

    @classmethod
    def measured(cls, model: RuleModel, matrix: NDArray, y: NDArray) -> "DecisionRules":
        """The rules with their figures in rows (n, F) with labels (n,)."""
        found = cls.of(model)
        deciding = model.deciding_rules(matrix)
        rules = []
        for k, rule in enumerate(found.rules):
            own = deciding == k
            count = int(own.sum())
            precision = float(np.mean(y[own] == rule.label)) if count else None
            rules.append(replace(rule, n_rows=count, precision=precision))
        accuracy = float(np.mean(model.classes[model.predict(matrix)] == y))
        return cls(rules, found.default_class, found.is_ordered, accuracy, len(matrix))

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[DecisionRule]:
        return iter(self.rules)

    def __getitem__(self, k: int) -> DecisionRule:
        return self.rules[k]

    def summary(self) -> str:
        """How many rules there are, and what was measured."""
        n_conditions = sum(rule.n_conditions for rule in self.rules)
        text = f"{_counted(len(self.rules), 'rule')}, {_counted(n_conditions, 'condition')}"
        if self.accuracy is not None:
            text += f"; right for {percent(self.accuracy)} of the {self.n_rows:,} rows given"
        return text + "."

    def __str__(self) -> str:
        lines = [self.summary(), ""]
        for heading, rules in self._blocks():
            lines.append(heading)
            for number, rule in rules:
                lines.append(f"  {number}. " + "\n     and ".join(rule.conditions))
                if rule.n_rows is not None:
                    lines.append(f"     ({_figures(rule)})")
            lines.append("")
        return printable("\n".join([*lines, f"{'otherwise ' if self.rules else 'always '}{self.default_class}"]))

    def __repr__(self) -> str:
        return f"<{self.summary()}>"

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {
            "rules": [
                {
                    "label": plain(rule.label),
                    "conditions": list(rule.conditions),
                    "n_rows": rule.n_rows,
                    "precision": rule.precision,
                }
                for rule in self.rules
            ],
            "default_class": plain(self.default_class),
            "accuracy": self.accuracy,
            "n_rows": self.n_rows,
        }

    def to_frame(self) -> Any:
        """A pandas data frame with a row for each rule."""
        import pandas as pd

        rows = [{**rule, "conditions": " and ".join(rule["conditions"])} for rule in self.to_dict()["rules"]]
        columns = ["label", "conditions", "n_rows", "precision"]
        return pd.DataFrame(rows, columns=columns, index=pd.RangeIndex(1, len(rows) + 1, name="rule"))

    def _repr_html_(self) -> str:
        parts = [f"<p>{escape(self.summary())}</p>"]
        for heading, rules in self._blocks():
            items = "".join(
                f'<li value="{number}">{" <i>and</i> ".join(map(escape, rule.conditions))}'
                + ("" if rule.n_rows is None else f" <small>({escape(_figures(rule))})</small>")
                + "</li>"
                for number, rule in rules
            )
            parts.append(f"<p>{escape(heading)}</p><ol>{items}</ol>")
        parts.append(f"<p>{'otherwise' if self.rules else 'always'} {escape(str(self.default_class))}</p>")
        return printable("".join(parts))

    def _blocks(self) -> list[tuple[str, list[tuple[int, DecisionRule]]]]:
        """Neighbouring rules of one class under a heading."""
        blocks: list[tuple[str, list[tuple[int, DecisionRule]]]] = []
        last = None
        for number, rule in enumerate(self.rules, 1):
            if last is None or last.label != rule.label:
                else_if = "else " if blocks else ""
                blocks.append((f"{else_if}{rule.label}, if", []))
            blocks[-1][1].append((number, rule))
            last = rule
        return [
            (f"{heading} {'this holds' if len(rules) == 1 else 'any of these holds'}:", rules)
            for heading, rules in blocks
        ]


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _figures(rule: DecisionRule) -> str:
    if rule.precision is None:
        return "decides about none of the rows"
    return f"decides about {_counted(rule.n_rows or 0, 'row')}, right for {percent(rule.precision)}"
