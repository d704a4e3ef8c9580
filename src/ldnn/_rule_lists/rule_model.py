"""RuleModel: a fitted rule list in the units of the table."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .._table.checks import TableColumns, are_classes
from .._table.columns import Columns
from .._table.schema import Schema
from .._table.sparse_columns import SparseColumns
from .column_conditions import Condition, SumCondition, degree, readable_condition, width
from .column_sums import spread
from .rule_choice import Frontier, HeldOut
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
    """A rule list of one length. accuracy and standard_error are of held-out rows, or NaN."""

    rules: list[ColumnRule]
    default: int
    accuracy: float
    standard_error: float

    @property
    def n_conditions(self) -> int:
        return sum(rule.n_conditions for rule in self.rules)


def with_validation(frontier: Frontier, schema: Schema, matrix: NDArray, y: NDArray, weights: NDArray) -> Frontier:
    """A frontier whose lengths are to be chosen on validation rows: matrix (n, F), class indices and weights (n,)."""
    known = {point.n_conditions: point for point in readable_frontier(frontier, schema)}
    points = [known[scored.length] for scored in frontier.lists]
    is_right = np.array([predicted_classes(point.rules, point.default, matrix) == y for point in points], dtype=float)
    weights = weights / weights.sum()
    return replace(frontier, held_out=HeldOut.of_rows(is_right, is_right @ weights, weights))


def readable_frontier(frontier: Frontier, schema: Schema) -> list[FrontierPoint]:
    """One point for each length that has a list of its own."""
    points = []
    for length, scored in enumerate(frontier.lists):
        if scored.length == length:
            held_out = frontier.held_out
            accuracy = float("nan") if held_out is None else float(held_out.accuracies[length])
            error = float("nan") if held_out is None else float(held_out.errors[length])
            rules = [
                ColumnRule(
                    int(scored.rules.labels[r]),
                    tuple(readable_condition(k, mask, frontier.bins, schema) for k, mask in scored.rules.conditions(r)),
                )
                for r in range(scored.rules.n_rules)
            ]
            points.append(FrontierPoint(rules, scored.default, accuracy, error))
    return points


@dataclass(frozen=True)
class RuleModel:
    """A rule list: the first rule that holds decides, and the class is `default` where none does.

    classes: (n_classes,), sorted. columns: how tables are read; None where they hold numbers only. widths: of the
    conditions of all rules, see `degree`. scales and is_whole: (F,) the standard deviations of the columns that rules
    use, robust against few large values (0 for others), and whether their values are integers. frontier: the lists of
    all lengths that it was chosen from. importances: (F,) see `rule_importances`; None if they were not measured.
    """

    classes: NDArray
    columns: Columns | SparseColumns | None
    schema: Schema
    rules: list[ColumnRule]
    default: int
    widths: list[float]
    scales: NDArray[np.float64]
    is_whole: NDArray[np.bool_]
    probabilities: RuleProbabilities
    frontier: list[FrontierPoint]
    importances: NDArray[np.float64] | None = None

    @classmethod
    def fit(
        cls,
        classes: NDArray,
        columns: TableColumns | None,
        schema: Schema,
        points: list[FrontierPoint],
        chosen: FrontierPoint,
        rows: tuple[NDArray, NDArray[np.int32], NDArray[np.float64]],
    ) -> "RuleModel":
        """The chosen point of a frontier; rows: matrix (n, F), class indices (n,) and weights (n,) of the training
        rows.
        """
        matrix, y, weights = rows
        rules = chosen.rules
        held = _held(rules, matrix)
        widths = [width(condition, matrix) for rule in rules for condition in rule.conditions]
        labels = np.array([rule.label for rule in rules], dtype=np.intp)
        probabilities = RuleProbabilities.fit(
            held, _degrees(rules, widths, matrix), labels, chosen.default, (y, weights), len(classes)
        )
        scales, is_whole = _spreads(matrix, {k for rule in rules for own in rule.conditions for k in own.columns})
        return cls(classes, columns, schema, rules, chosen.default, widths, scales, is_whole, probabilities, points)

    @property
    def n_conditions(self) -> int:
        """Of all rules; a condition on a sum counts as many times as the sum has columns."""
        return sum(rule.n_conditions for rule in self.rules)

    def deciding_rules(self, matrix: NDArray) -> NDArray[np.intp]:
        """The first rule that holds in each row of a matrix (n, F), the number of rules where none does: (n,)."""
        return _held(self.rules, matrix).first

    def predict(self, matrix: NDArray) -> NDArray[np.intp]:
        """Class indices of a matrix (n, F): (n,)."""
        return predicted_classes(self.rules, self.default, matrix)

    def predict_proba(self, matrix: NDArray) -> NDArray[np.float64]:
        """Class probabilities of a matrix (n, F): (n, n_classes)."""
        return self.probabilities.predict(_held(self.rules, matrix), _degrees(self.rules, self.widths, matrix))

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
        lists = [(self.rules, self.default), *((point.rules, point.default) for point in self.frontier)]
        for rules, default in lists:
            yield default < n_classes, "the default is not one of the classes"
            for rule in rules:
                yield rule.label < n_classes, "a rule is for none of the classes"
                for condition in rule.conditions:
                    yield from self._condition_claims(condition)
        n_conditions = sum(len(rule.conditions) for rule in self.rules)
        yield len(self.scales) == len(self.is_whole) == width, "the scales are those of other columns"
        yield len(self.widths) == n_conditions, "the widths are those of other conditions"
        shares = np.zeros(width) if self.importances is None else self.importances
        yield len(shares) == width, "the importances are those of other columns"
        yield bool(((shares >= 0) & (shares <= 1)).all()), "an importance is not between 0 and 1"
        found = self.probabilities
        sums = found.frequencies.sum(axis=1)
        yield bool((found.frequencies >= 0).all() and (np.abs(sums - 1) < 1e-9).all()), "a group has no probabilities"
        yield found.default == self.default, "the probabilities are those of another list"
        yield found.frequencies.shape[1] == n_classes, "the probabilities are those of other classes"
        if n_classes == 2:
            yield len(found.weights) == n_conditions + n_rules, "the probabilities are those of other rules"
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


def predicted_classes(rules: list[ColumnRule], default: int, matrix: NDArray) -> NDArray[np.intp]:
    """Class indices that rules give to the rows of a matrix (n, F): (n,)."""
    labels = np.array([*(rule.label for rule in rules), default])
    return labels[_held(rules, matrix).first]


def _held(rules: list[ColumnRule], matrix: NDArray) -> HeldConditions:
    holds = [condition.holds(matrix) for rule in rules for condition in rule.conditions]
    sizes = np.array([len(rule.conditions) for rule in rules], dtype=np.intp)
    return HeldConditions(np.column_stack(holds) if holds else np.empty((len(matrix), 0), dtype=bool), sizes)


def _degrees(rules: list[ColumnRule], widths: list[float], matrix: NDArray) -> NDArray[np.float64]:
    """(n, K + R) how far all conditions and then all rules hold in the rows of a matrix (n, F): the degree of a rule is
    the product of those of its conditions, as in the networks.
    """
    conditions = [condition for rule in rules for condition in rule.conditions]
    found = [degree(condition, matrix, own) for condition, own in zip(conditions, widths, strict=True)]
    ends = np.cumsum([len(rule.conditions) for rule in rules])
    products = [np.prod(found[end - len(rule.conditions) : end], axis=0) for rule, end in zip(rules, ends, strict=True)]
    return np.column_stack([*found, *products]) if found else np.empty((len(matrix), 0))


def _spreads(matrix: NDArray, used: set[int]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Scales and whether values are integers: (F,) each, see `RuleModel`."""
    scales, is_whole = np.zeros(matrix.shape[1]), np.zeros(matrix.shape[1], dtype=bool)
    for column in used:
        known = matrix[:, column].astype(np.float64)
        known = known[np.isfinite(known)]
        scales[column] = spread(known)
        is_whole[column] = bool((known == np.round(known)).all())
    return scales, is_whole
