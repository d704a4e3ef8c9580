"""Rules that decide as a model does: lists of every length, fitted to its decisions about some rows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._table.distinct import distinct_rows
from .._table.schema import Schema
from .._table.training_table import TrainingTable
from .frontier import RuleSpace
from .rule_choice import FrontierChoice, RuleCandidate, candidates
from .rule_model import RuleModel, readable_frontier

_MOST_CONDITIONS = 20


@dataclass(frozen=True)
class Distilled:
    """Rule lists from few to many conditions; chosen: the shortest one that is about as faithful as the best one;
    fidelities: of each, on held-out rows of a cross-validation (NaN where there are too few rows for that).
    """

    lists: list[RuleModel]
    chosen: RuleModel
    fidelities: list[float]

    def simplest(self, fidelity: float) -> RuleModel:
        """The shortest list with this fidelity; the chosen one if none has it."""
        enough = [own for own, found in zip(self.lists, self.fidelities, strict=True) if found >= fidelity]
        return enough[0] if enough else self.chosen


def distilled(
    model: Any,
    matrix: NDArray,
    decisions: NDArray,
    *,
    described: NDArray | None = None,
    weights: NDArray | None = None,
    max_rules: int = _MOST_CONDITIONS,
    max_columns: int = 1,
    report: Callable[[float], None] = lambda done: None,
) -> Distilled:
    """Rule lists that decide as a model does.

    matrix: (n, F) rows as the model reads them; decisions: (n,) labels, of two classes at least; weights: (n,), 1 by
    default. described: the labels that rules may be for, all by default. max_columns: of a condition, which is on a sum
    of them. report: called with the share of the work that is done.
    """
    schema = Schema.of(model, matrix)
    is_category = np.array([known is not None for known in schema.categories], dtype=bool)
    matrix = np.where(is_category & (matrix < 0), np.nan, matrix)  # an unknown category counts as missing
    classes, y = np.unique(decisions, return_inverse=True)
    rows, totals = distinct_rows(matrix, y.astype(np.int32), np.ones(len(y)) if weights is None else weights)
    table = TrainingTable(matrix, rows, y[rows].astype(np.int32), totals, is_category, len(classes))
    space = RuleSpace(
        labels=(),
        default=-1,
        most=_MOST_CONDITIONS,
        max_rules=min(max_rules, _MOST_CONDITIONS),
        directions=np.zeros(matrix.shape[1], dtype=np.intp),
        costs=np.ones(matrix.shape[1], dtype=np.intp),
        max_columns=min(max_columns, matrix.shape[1]),
        is_summable=np.array([unit in ("number", "flag") for unit in schema.units]),
    )
    n_categories = [0 if known is None else len(known) for known in schema.categories]
    choice = FrontierChoice(table, space, n_categories, 0, model.n_jobs)
    frontier = choice.best(_candidates(classes, described), report)
    points = readable_frontier(frontier, schema)
    chosen = frontier.lists[frontier.shortest_length()].length
    own = (matrix[rows], table.y, table.weights)
    lists = [RuleModel.fit(classes, model._state.columns, schema, points, point, own) for point in points]
    place = next(k for k, point in enumerate(points) if point.n_conditions == chosen)
    return Distilled(lists, lists[place], [point.accuracy for point in points])


def _candidates(classes: NDArray, described: NDArray | None) -> list[RuleCandidate]:
    """Of two classes, one is described, whichever reads and decides better; of several, all of them."""
    known = tuple(range(len(classes)))
    labels = known if described is None else tuple(np.flatnonzero(np.isin(classes, described)).tolist())
    kinds: list[tuple[tuple[int, ...], int]] = [(labels, -1)]
    if len(classes) == 2:
        kinds = [((label,), 1 - label) for label in reversed(labels)]
    return [own for kind in kinds for own in candidates(*kind, len(classes))]
