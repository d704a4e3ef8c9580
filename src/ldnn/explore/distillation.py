"""Rules that decide as a model does: lists of every length, fitted to its decisions about some rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._rule_lists.frontier import RuleSpace
from .._rule_lists.rule_choice import WAYS, FrontierChoice, RuleCandidate
from .._rule_lists.rule_model import RuleModel
from .._table.distinct import distinct_rows
from .._table.schema import Schema
from .._table.training_table import TrainingTable

_MOST_CONDITIONS = 20
_TOLERANCE = 1.0  # standard errors: the shortest list that is as near to the best one is chosen


def distilled(model: Any, matrix: NDArray, decisions: NDArray) -> tuple[list[RuleModel], RuleModel]:
    """Rule lists from few to many conditions, and the one to show first.

    matrix: (n, F) rows as the model reads them; decisions: (n,) labels, of two classes at least.
    """
    schema = Schema.of(model, matrix)
    is_category = np.array([known is not None for known in schema.categories], dtype=bool)
    matrix = np.where(is_category & (matrix < 0), np.nan, matrix)  # an unknown category counts as missing
    classes, y = np.unique(decisions, return_inverse=True)
    rows, totals = distinct_rows(matrix, y.astype(np.int32), np.ones(len(y)))
    table = TrainingTable(matrix, rows, y[rows].astype(np.int32), totals, is_category, len(classes))
    space = RuleSpace(
        labels=(),
        default=-1,
        most=_MOST_CONDITIONS,
        max_rules=_MOST_CONDITIONS,
        directions=np.zeros(matrix.shape[1], dtype=np.intp),
        costs=np.ones(matrix.shape[1], dtype=np.intp),
    )
    n_categories = [0 if known is None else len(known) for known in schema.categories]
    kinds = [((1,), 0), ((0,), 1)] if len(classes) == 2 else [(tuple(range(len(classes))), -1)]
    candidates = [RuleCandidate(labels, default, *way) for labels, default in kinds for way in WAYS]
    frontier = FrontierChoice(table, space, n_categories, 0, model.n_jobs).best(candidates)
    lengths = [length for length, scored in enumerate(frontier.lists) if scored.length == length]
    chosen = frontier.best_length(_MOST_CONDITIONS, _TOLERANCE)
    own = (matrix[rows], table.y, table.weights)
    columns = model._state.columns
    models = {length: RuleModel.fit(classes, columns, schema, frontier, length, own) for length in {*lengths, chosen}}
    return [models[length] for length in sorted(models)], models[chosen]
