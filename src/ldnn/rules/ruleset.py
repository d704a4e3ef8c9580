"""A set of rules: what it decides, and how it looks as text, as a data frame and as HTML."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from textwrap import fill as filled
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._printable import plain, printable
from .._rule_lists.column_conditions import Condition as ColumnCondition
from .._shares import percent
from .._table.schema import Schema
from .conditions import Condition
from .rule_search import Draft

_WIDTH = 79


@dataclass(frozen=True)
class Rule:
    """One rule for one class, with its figures on rows that it was not fitted to.

    Attributes
    ----------
    label : the class
    conditions : tuple of str
        All of them must hold.
    coverage : float
        The share of the rows where the rule holds.
    precision : float or None
        The share of these rows that are of the class; None where no labels were given.
    agreement : float
        The share of these rows that the model gives the class.
    share : float
        Of all rows that the model gives the class, those for which this is the first of its rules to hold.
    conjunctions : int
        How many of the model's conjunctions it stands for: those that hold nearly only where it does.
    columns : list of str
        What a reader has to look at.

    Examples
    --------
    >>> from ldnn import LDNNClassifier
    >>> from ldnn.datasets import make_two_moons
    >>> from ldnn.rules import rules
    >>> X, y = make_two_moons(random_state=0)
    >>> model = LDNNClassifier(3, 3, max_epochs=20, random_state=0).fit(X, y)
    >>> rule = rules(model, X, y).rules[0]
    >>> 0 < rule.coverage < 1, rule.precision > 0.8, {*rule.columns} <= {"x0", "x1"}
    (True, True, True)
    """

    label: Any
    draft: Draft
    schema: Schema
    priority: float
    coverage: float
    precision: float | None
    agreement: float
    share: float
    conjunctions: int

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions as texts, in the units of the table."""
        return tuple(condition.text(self.schema) for condition in self.draft.conditions)

    @property
    def columns(self) -> list[str]:
        """The names of the columns in the conditions."""
        numbers = (k for condition in self.draft.conditions for k in condition.columns)
        return [self.schema.names[k] for k in dict.fromkeys(numbers)]

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {
            "label": plain(self.label),
            "conditions": list(self.conditions),
            "coverage": self.coverage,
            "precision": self.precision,
            "agreement": self.agreement,
            "share": self.share,
            "conjunctions": self.conjunctions,
            "columns": self.columns,
        }

    def figures(self) -> str:
        """What the rule does, in one line."""
        right = "" if self.precision is None else f", right for {percent(self.precision)} of these"
        what = f"decides {percent(self.share)} of the rows predicted as {self.label}"
        return f"holds for {percent(self.coverage)} of the rows{right}; {what}"


@dataclass(frozen=True)
class Rules:
    """Readable rules that decide nearly as a model does.

    Attributes
    ----------
    rules : list of Rule
        Of all classes, those that decide most first. Where rules of several classes hold, the one with the highest
        priority decides: its agreement with the model on the rows that the rules were fitted to.
    otherwise : the class of rows for which no rule holds
    fidelity : float
        How often the rules decide as the model does, on rows that they were not fitted to.
    wanted : float
        What was asked for.
    accuracy, model_accuracy : float or None
        How often the rules and the model are right; None where no labels were given.
    n_rows : int
        Number of rows on which these figures were measured: a third of those given, or all beyond the 4000 that rules
        are fitted to.
    trained_on : bool or None
        Whether the model was trained on these rows; None if that is not known.
    n_estimators, n_conjunctions : int
        What the rules were made from: the ensemble members, and the conjunctions of all their networks.
    described : tuple
        The classes that the rules are for.
    reason : str
        Why these.
    is_ordered : bool
        Whether the rules are a list in which the first one that holds decides.
    n_predicted, n_rules, n_found : int
        Of `n_rows`, those that the model gives a described class, those that the rules give one, and those for which
        both give the same.

    Examples
    --------
    >>> from ldnn import LDNNClassifier
    >>> from ldnn.datasets import make_two_moons
    >>> from ldnn.rules import rules
    >>> X, y = make_two_moons(random_state=0)
    >>> model = LDNNClassifier(3, 3, max_epochs=20, random_state=0).fit(X, y)
    >>> found = rules(model, X, y)
    >>> found.fidelity > 0.9, found.accuracy > 0.9
    (True, True)
    >>> found.to_frame().shape[0] == len(found)
    True
    """

    rules: list[Rule]
    otherwise: Any
    fidelity: float
    wanted: float
    accuracy: float | None
    model_accuracy: float | None
    n_rows: int
    trained_on: bool | None
    n_estimators: int
    n_conjunctions: int
    model: Any
    described: tuple[Any, ...] = ()
    reason: str = ""
    n_predicted: int = 0
    n_found: int = 0
    n_rules: int = 0
    is_ordered: bool = False

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __getitem__(self, k: int) -> Rule:
        return self.rules[k]

    def predict(self, X: Any) -> NDArray:
        """What the rules say about a table: (n,) labels."""
        matrix = self.model._matrix(X)
        return decided([(rule.label, rule.priority, rule.draft) for rule in self.rules], self.otherwise, matrix,
                       self.model.classes_.dtype)  # fmt: skip

    # --- how it looks -------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """The figures of the rules, in one or two sentences."""
        one = len(self.rules) == 1
        if not self.n_predicted and not self.rules and len(self.described) == 1:
            return (
                f"No rules for {self.described[0]} ({self.reason}): the model predicts it for none of {self.n_rows:,} "
                "rows. Ask for the rules of another class, or give other rows."
            )
        they, were, are, cover = ("it", "was", "is", "covers") if one else ("they", "were", "are", "cover")
        text = f"{len(self.rules)} {'rule that agrees' if one else 'rules that agree'} with the model on "
        text += f"{percent(self.fidelity)} of {self.n_rows:,} rows that {they} {were} not fitted to"
        if self.fidelity < self.wanted and percent(self.fidelity) != percent(self.wanted):
            text += f" ({percent(self.wanted)} was requested: raise max_rules or max_terms to come closer)"
        if self.accuracy is not None:
            text += f". {they.capitalize()} {are} right for {percent(self.accuracy)} of these, "
            text += f"the model for {percent(self.model_accuracy or 0)}"
        if len(self.described) == 1:
            text += (
                f". {they.capitalize()} {cover} {self.n_found:,} of the {self.n_predicted:,} rows that the model "
                f"predicts as {self.described[0]} ({self.reason}), and {self.n_rules - self.n_found:,} of the others"
            )
        if self.trained_on is not None:
            text += (
                ". The model was trained on these rows" if self.trained_on else ". The model has not seen these rows"
            )
        conjunctions = "conjunction" if self.n_conjunctions == 1 else "conjunctions"
        text += f". {they.capitalize()} {'summarises' if one else 'summarise'} {self.n_conjunctions} {conjunctions}"
        if self.n_estimators > 1:
            text += f" of {self.n_estimators} ensemble members"
        return text + "."

    def _blocks(self) -> list[tuple[str, list[tuple[int, Rule]]]]:
        """Neighbouring rules of a class, with the class; "else" stands before those that earlier ones precede."""
        blocks: list[tuple[str, list[tuple[int, Rule]]]] = []
        last = None
        for number, rule in enumerate(self.rules, 1):
            if last is None or rule.label != last.label:
                blocks.append((f"{'else ' if blocks and self.is_ordered else ''}{rule.label}", []))
            blocks[-1][1].append((number, rule))
            last = rule
        return blocks

    def __str__(self) -> str:
        lines = [_wrapped(self.summary()), ""]
        for label, rules in self._blocks():
            lines.append(f"{label}, if {'this holds' if len(rules) == 1 else 'any of these holds'}:")
            for number, rule in rules:
                lines.append(_wrapped(f"({rule.figures()})", f"  {number}. ", "     "))
                for k, condition in enumerate(rule.draft.conditions):
                    lines += _condition_lines(condition, rule.schema, "and " if k else "")
            lines.append("")
        lines.append(f"{self.otherwise} otherwise.")
        if any(is_scorecard(condition) for rule in self.rules for condition in rule.draft.conditions):
            lines.append("(Points of all columns are added up; a to b means from a to just below b.)")
        return printable("\n".join(lines))

    def __repr__(self) -> str:
        return printable(f"<{self.summary()}>")

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {
            "fidelity": self.fidelity,
            "wanted": self.wanted,
            "accuracy": self.accuracy,
            "model_accuracy": self.model_accuracy,
            "rows": self.n_rows,
            "described": [plain(label) for label in self.described],
            "reason": self.reason,
            "rows_predicted": self.n_predicted,
            "rows_by_rules": self.n_rules,
            "rows_found": self.n_found,
            "trained_on": self.trained_on,
            "otherwise": plain(self.otherwise),
            "rules": [rule.to_dict() for rule in self.rules],
        }

    def to_frame(self) -> Any:
        """A pandas data frame with a row for each rule; the conditions in one text."""
        import pandas as pd

        rows = [{**rule.to_dict(), "label": rule.label} for rule in self.rules]
        frame = pd.DataFrame(rows, index=pd.RangeIndex(1, len(rows) + 1, name="rule"))
        return frame.assign(
            conditions=[" and ".join(rule.conditions) for rule in self.rules],
            columns=[", ".join(rule.columns) for rule in self.rules],
        )

    def to_html(self) -> str:
        """A piece of a page, with its own style, for light and dark."""
        parts = [f'<div class="ldnn-rules"><style>{_STYLE}</style><p>{escape(self.summary())}</p>']
        for label, rules in self._blocks():
            holds = "this holds" if len(rules) == 1 else "any of these holds"
            parts.append(f"<h4><b>{escape(label)}</b>, if {holds}</h4>")
            for number, rule in rules:
                shown = "<p>and</p>".join(_condition_html(c, rule.schema) for c in rule.draft.conditions)
                parts.append(
                    f'<section><p class="figures">{number}. {escape(rule.figures())}'
                    f'<span class="bar"><i style="width:{100 * rule.share:.1f}%"></i></span></p>{shown}</section>'
                )
        parts.append(f"<h4><b>{escape(str(self.otherwise))}</b> otherwise</h4></div>")
        return printable("".join(parts))

    _repr_html_ = to_html


def decided(rules: list[tuple[Any, float, Draft]], otherwise: Any, matrix: NDArray, dtype: Any) -> NDArray:
    """The labels of rows: of (label, agreement, draft), that of the draft that holds with the highest agreement."""
    found = np.full(len(matrix), otherwise, dtype=dtype)
    for label, _, draft in sorted(rules, key=lambda rule: rule[1]):
        found[draft.holds(matrix)] = label
    return found


def _wrapped(text: str, first: str = "", others: str = "") -> str:
    return filled(text, _WIDTH, initial_indent=first, subsequent_indent=others, break_on_hyphens=False)


def is_scorecard(condition: Condition | ColumnCondition) -> bool:
    return isinstance(condition, Condition) and condition.is_scorecard


def _condition_lines(condition: Condition | ColumnCondition, schema: Schema, joined: str) -> list[str]:
    if not isinstance(condition, Condition) or not condition.is_scorecard:
        return [_wrapped(joined + condition.text(schema), "     ", "       ")]
    lines = [f"     {joined}at least {condition.threshold:g} points of"]
    card = condition.scorecard(schema)
    widest = max(len(name) for name, _ in card)
    for name, entries in card:
        text = " | ".join(f"{what}: {points}" for what, points in entries)
        lines.append(_wrapped(text, f"         {name:<{widest}}  ", " " * (9 + widest + 2)))
    return lines


def _condition_html(condition: Condition | ColumnCondition, schema: Schema) -> str:
    if not isinstance(condition, Condition) or not condition.is_scorecard:
        return f"<p><b>{escape(condition.text(schema))}</b></p>"
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td>"
        + "".join(f"<span><b>{points}</b> {escape(what)}</span>" for what, points in entries)
        + "</td></tr>"
        for name, entries in condition.scorecard(schema)
    )
    return f"<p><b>at least {condition.threshold:g} points</b> of</p><table>{rows}</table>"


_STYLE = (
    ".ldnn-rules{max-width:60em;line-height:1.5}.ldnn-rules h4{margin:1em 0 .3em;font-weight:normal}"
    ".ldnn-rules section{border-left:3px solid #0072b2;padding:.1em 0 .1em .8em;margin:.6em 0}"
    ".ldnn-rules p{margin:.2em 0}.ldnn-rules .figures{opacity:.75;font-size:.9em}"
    ".ldnn-rules .bar{display:block;height:4px;background:#8883;max-width:20em;border-radius:2px}"
    ".ldnn-rules .bar i{display:block;height:4px;background:#0072b2;border-radius:2px}"
    ".ldnn-rules table{border-collapse:collapse;margin:.3em 0}"
    ".ldnn-rules th{text-align:left;font-weight:normal;padding:.2em .8em .2em 0;vertical-align:top;white-space:nowrap}"
    ".ldnn-rules td{padding:.2em 0;text-align:left}"
    ".ldnn-rules td span{display:inline-block;background:#8882;border-radius:4px;padding:0 .5em;margin:0 .4em .2em 0}"
)
