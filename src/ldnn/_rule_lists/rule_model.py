"""RuleModel: a fitted rule list in the units of the table."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._table.checks import TableColumns, are_classes
from .._table.columns import Columns
from .._table.schema import Schema
from .._table.sparse_columns import SparseColumns
from .column_conditions import Condition, SumCondition, readable_condition
from .rule_choice import Frontier
from .rule_probabilities import HeldConditions, RuleProbabilities


@dataclass(frozen=True)
class ColumnRule:
    """All conditions must hold; label: the index of the class that the rule is for."""

    label: int
    conditions: tuple[Condition, ...]

    @property
    def n_conditions(self) -> int:
        """A condition on a sum counts as many times as the sum has columns."""
        return sum(len(condition.columns) for condition in self.conditions)


@dataclass(frozen=True)
class FrontierPoint:
    """Rule lists of one length. accuracy and standard_error are of held-out rows (cross-validation), or NaN."""

    n_conditions: int
    n_rules: int
    accuracy: float
    standard_error: float


@dataclass(frozen=True)
class RuleModel:
    """A rule list: the first rule that holds decides, and the class is `default` where none does.

    classes: (n_classes,), sorted. columns: how tables are read; None where they hold numbers only. frontier: the lists
    of other lengths that it was chosen from.
    """

    classes: NDArray
    columns: Columns | SparseColumns | None
    schema: Schema
    rules: list[ColumnRule]
    default: int
    probabilities: RuleProbabilities
    frontier: list[FrontierPoint]

    @classmethod
    def fit(
        cls,
        classes: NDArray,
        columns: TableColumns | None,
        schema: Schema,
        frontier: Frontier,
        length: int,
        rows: tuple[NDArray, NDArray[np.int32], NDArray[np.float64]],
    ) -> "RuleModel":
        """The list of one length; rows: matrix (n, F), class indices (n,) and weights (n,) of the training rows."""
        matrix, y, weights = rows
        chosen = frontier.lists[length]
        rules = [
            ColumnRule(
                int(chosen.rules.labels[r]),
                tuple(readable_condition(k, mask, frontier.bins, schema) for k, mask in chosen.rules.conditions(r)),
            )
            for r in range(chosen.rules.n_rules)
        ]
        held = _held(rules, matrix)
        labels = np.array([rule.label for rule in rules], dtype=np.intp)
        probabilities = RuleProbabilities.fit(held, labels, chosen.default, y, weights, len(classes))
        return cls(classes, columns, schema, rules, chosen.default, probabilities, _points(frontier))

    @property
    def n_conditions(self) -> int:
        """Of all rules; a condition on a sum counts as many times as the sum has columns."""
        return sum(rule.n_conditions for rule in self.rules)

    def deciding_rules(self, matrix: NDArray) -> NDArray[np.intp]:
        """The first rule that holds in each row of a matrix (n, F), the number of rules where none does: (n,)."""
        return _held(self.rules, matrix).first

    def predict(self, matrix: NDArray) -> NDArray[np.intp]:
        """Class indices of a matrix (n, F): (n,)."""
        labels = np.array([*(rule.label for rule in self.rules), self.default])
        return labels[self.deciding_rules(matrix)]

    def predict_proba(self, matrix: NDArray) -> NDArray[np.float64]:
        """Class probabilities of a matrix (n, F): (n, n_classes)."""
        return self.probabilities.predict(_held(self.rules, matrix))

    def condition_texts(self, rule: ColumnRule) -> list[str]:
        return [condition.text(self.schema) for condition in rule.conditions]

    def claims(self) -> Iterator[tuple[bool, str]]:
        """What must hold of a model from a file, each with a clause for what is wrong otherwise."""
        yield are_classes(self.classes), "the classes are not different labels in their order"
        n_classes, width, n_rules = len(self.classes), len(self.schema.names), len(self.rules)
        if self.columns is not None:
            yield from self.columns.claims()
            yield len(self.columns.categories) == width, "the schema is not that of the columns"
        yield (
            len(self.schema.categories) == len(self.schema.units) == width,
            "the schema has columns of several numbers",
        )
        yield len(self.schema.has_missing) == width, "the schema has columns of several numbers"
        yield self.default < n_classes, "the default is not one of the classes"
        for rule in self.rules:
            yield rule.label < n_classes, "a rule is for none of the classes"
            for condition in rule.conditions:
                yield from self._condition_claims(condition)
        found = self.probabilities
        sums = found.frequencies.sum(axis=1)
        yield bool((found.frequencies >= 0).all() and (np.abs(sums - 1) < 1e-9).all()), "a group has no probabilities"
        yield found.default == self.default, "the probabilities are those of another list"
        yield found.frequencies.shape[1] == n_classes, "the probabilities are those of other classes"
        if n_classes == 2:
            count = sum(len(rule.conditions) for rule in self.rules)
            yield len(found.weights) == count, "the probabilities are those of other rules"
            yield len(found.offsets) == 2, "the probabilities have no two offsets"
            yield bool((np.diff(found.offsets) >= 0).all()), "the offsets are not in their order"
        else:
            yield len(found.frequencies) == n_rules + 4, "the probabilities are those of other rules"

    def _condition_claims(self, condition: Condition) -> Iterator[tuple[bool, str]]:
        width = len(self.schema.names)
        yield all(column < width for column in condition.columns), "a rule uses a column that the table does not have"
        included = getattr(condition, "included", None)
        for column in condition.columns:
            known = self.schema.categories[column]
            yield (known is None) == (included is None), "a condition does not fit its column"
            yield included is None or known is None or len(included) == len(known), "categories are missing"
        if isinstance(condition, SumCondition):
            terms = condition.terms
            yield 2 <= len(terms.columns) == len(terms.weights), "a sum has not one weight for each column"


def _held(rules: list[ColumnRule], matrix: NDArray) -> HeldConditions:
    holds = [condition.holds(matrix) for rule in rules for condition in rule.conditions]
    sizes = np.array([len(rule.conditions) for rule in rules], dtype=np.intp)
    return HeldConditions(np.column_stack(holds) if holds else np.empty((len(matrix), 0), dtype=bool), sizes)


def _points(frontier: Frontier) -> list[FrontierPoint]:
    """One point for each length that has a list of its own."""
    points = []
    for length, scored in enumerate(frontier.lists):
        if scored.length == length:
            accuracy = float("nan") if frontier.held_out is None else float(frontier.held_out[length])
            error = float("nan") if frontier.errors is None else float(frontier.errors[length])
            points.append(FrontierPoint(length, scored.rules.n_rules, accuracy, error))
    return points
