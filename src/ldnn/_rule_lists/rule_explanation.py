"""Why a RuleClassifier decides about one row as it does: the rule that holds, or what the nearest one lacks; and the
smallest change that would change the decision.
"""

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._printable import plain, printable
from .._shares import percent
from .._table.schema import Schema, as_shown, number
from .column_conditions import Condition, SumCondition
from .rule_change import SmallestChange, smallest_change
from .rule_model import RuleModel


@dataclass(frozen=True)
class MetCondition:
    """A condition of a rule, and the value of the row.

    Attributes
    ----------
    text : str
        The condition.
    value : str
        What the row has there, in the units of the table; of a boolean column `member`: "member" or "not member".
    holds : bool

    Examples
    --------
    >>> import pandas as pd
    >>> from ldnn import RuleClassifier
    >>> from ldnn.rules import explain
    >>> X = pd.DataFrame({"age": range(20, 70), "member": [True, False] * 25})
    >>> y = ["yes" if age >= 40 else "no" for age in X["age"]]
    >>> model = RuleClassifier(1, classes="yes", random_state=0).fit(X, y)
    >>> condition = explain(model, {"age": 65, "member": True}).conditions[0]
    >>> condition.value, condition.holds
    ('65', True)
    """

    text: str
    value: str
    holds: bool

    def __str__(self) -> str:
        told = "" if self.value == self.text else f", it is {self.value}"
        return f"{self.text}: {'yes' if self.holds else 'no'}{told}"


@dataclass(frozen=True)
class RowChange:
    """A change of a row that changes the decision.

    Attributes
    ----------
    label : the class that would be predicted
    values : dict of str to (str, str)
        For each changed column the value of the row and the new one, in the units of the table; of a boolean column
        `member`: "member" and "not member".
    size : float
        The sum of the changes in standard deviations of the columns; another category, or a value where one was
        missing, counts as one.
    is_smallest : bool
        Whether no smaller change exists, but for round values: each may be up to 0.05 standard deviations farther than
        needed. Else the search ended after 3000 steps.

    Examples
    --------
    >>> import pandas as pd
    >>> from ldnn import RuleClassifier
    >>> from ldnn.rules import explain
    >>> X = pd.DataFrame({"age": range(20, 70), "member": [True, False] * 25})
    >>> y = ["yes" if age >= 40 else "no" for age in X["age"]]
    >>> model = RuleClassifier(1, classes="yes", random_state=0).fit(X, y)
    >>> change = explain(model, {"age": 65, "member": True}).change
    >>> print(change.label, list(change.values), change.is_smallest)
    no ['age'] True
    """

    label: Any
    values: dict[str, tuple[str, str]]
    size: float
    is_smallest: bool

    def __str__(self) -> str:
        listed = "; ".join(_setting(name, new) + f" instead of {old}" for name, (old, new) in self.values.items())
        return f"{self.label} with {listed}"


def _setting(name: str, value: str) -> str:
    return value if value in (name, f"not {name}") else f"{name} {value}"


@dataclass(frozen=True)
class RuleExplanation:
    """The rule that decided about a row, or the one that lacked least where none holds.

    Attributes
    ----------
    label : the predicted class
    probability : float
    about : the class that the rule is for; None if there are no rules
    rule : int or None
        Its number, counted from 1; None if there are no rules.
    conditions : list of MetCondition
        Those of the rule; all of them hold if it decided.
    change : RowChange or None
        The smallest change of the row that would change the decision; None if there is none.

    Examples
    --------
    >>> import pandas as pd
    >>> from ldnn import RuleClassifier
    >>> from ldnn.rules import explain
    >>> X = pd.DataFrame({"age": range(20, 70), "member": [True, False] * 25})
    >>> y = ["yes" if age >= 40 else "no" for age in X["age"]]
    >>> model = RuleClassifier(1, classes="yes", random_state=0).fit(X, y)
    >>> found = explain(model, {"age": 25, "member": True})
    >>> print(found.label, found.about, found.is_decided)
    no yes False
    """

    label: Any
    probability: float
    about: Any
    rule: int | None
    conditions: list[MetCondition]
    change: RowChange | None

    @property
    def is_decided(self) -> bool:
        """Whether the rule holds."""
        return self.rule is not None and all(condition.holds for condition in self.conditions)

    def _sentences(self) -> list[str]:
        first = f"{self.label}, with probability {percent(self.probability)}."
        if self.rule is None:
            return [first, "The model has no rules."]
        if self.is_decided:
            return [first, f"Rule {self.rule} decides: all of its conditions hold."]
        lacking, count = sum(not condition.holds for condition in self.conditions), len(self.conditions)
        which = "its only condition" if count == 1 else f"{lacking} of its {count} conditions"
        return [first, f"No rule holds. Rule {self.rule}, for {self.about}, lacks least: {which}."]

    def _outlook(self) -> list[str]:
        """What would change the decision."""
        if self.rule is None:
            return []
        if self.change is None:
            return ["No change of the columns that may change would change the decision."]
        return [f"{'Smallest' if self.change.is_smallest else 'Small'} change that would change it: {self.change}."]

    def __str__(self) -> str:
        conditions = [f"  {condition}" for condition in self.conditions]
        return printable("\n".join([*self._sentences(), *conditions, *self._outlook()]))

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {
            "label": plain(self.label),
            "probability": self.probability,
            "about": plain(self.about),
            "rule": self.rule,
            "is_decided": self.is_decided,
            "conditions": [dict(vars(condition)) for condition in self.conditions],
            "change": None if self.change is None else {**vars(self.change), "label": plain(self.change.label)},
        }

    def to_frame(self) -> Any:
        """A pandas data frame with a row for each condition."""
        import pandas as pd

        return pd.DataFrame([vars(condition) for condition in self.conditions], columns=["text", "value", "holds"])

    def to_html(self) -> str:
        """A piece of a page."""
        items = "".join(f"<li>{escape(str(condition))}</li>" for condition in self.conditions)
        sentences = "".join(f"<p>{escape(line)}</p>" for line in self._sentences())
        outlook = "".join(f"<p>{escape(line)}</p>" for line in self._outlook())
        return printable(f"<div>{sentences}<ul>{items}</ul>{outlook}</div>")

    _repr_html_ = to_html


def explain_rules(model: RuleModel, matrix: NDArray, fixed: set[int]) -> RuleExplanation:
    """Explain the decision about the row of a matrix (1, F). fixed: columns of the matrix that may not change."""
    predicted = int(model.predict(matrix)[0])
    probability = float(model.predict_proba(matrix)[0, predicted])
    label = model.classes[predicted]
    if not model.rules:
        return RuleExplanation(label, probability, None, None, [], None)
    met = [[bool(condition.holds(matrix)[0]) for condition in rule.conditions] for rule in model.rules]
    place = int(np.argmin([len(own) - sum(own) for own in met]))  # the first of those that lack least
    rule = model.rules[place]
    conditions = [
        MetCondition(condition.text(model.schema), _condition_value(condition, matrix, model.schema), holds)
        for condition, holds in zip(rule.conditions, met[place], strict=True)
    ]
    found = smallest_change(model, matrix[0], fixed)
    change = None if found is None else _readable_change(model, matrix[0], found)
    return RuleExplanation(label, probability, model.classes[rule.label], place + 1, conditions, change)


def _readable_change(model: RuleModel, row: NDArray, found: SmallestChange) -> RowChange:
    schema = model.schema
    values = {schema.names[k]: (_value_text(k, row, schema), _value_text(k, found.row, schema)) for k in found.columns}
    return RowChange(model.classes[found.label], values, found.size, found.is_smallest)


def _condition_value(condition: Condition, matrix: NDArray, schema: Schema) -> str:
    """What a condition is about in a row; of a sum, its value with those of its columns."""
    row = matrix[0]
    if not isinstance(condition, SumCondition):
        return _value_text(condition.column, row, schema)
    total = float(condition.values(matrix)[0])
    parts = ", ".join(_setting(schema.names[k], _value_text(k, row, schema)) for k in condition.columns)
    text = "missing" if np.isnan(total) else number(as_shown(total, "number"))
    return f"{text} ({parts})"


def _value_text(column: int, row: NDArray, schema: Schema) -> str:
    value, known = float(row[column]), schema.categories[column]
    if np.isnan(value):
        return "missing"
    if known is not None:
        return str(known[int(value)]) if value >= 0 else "unknown"
    if schema.units[column] == "flag":
        return schema.flag_text(column, value)
    return schema.value_text(column, as_shown(value, schema.units[column]))
