"""What plans cost on a table, in seconds of one core: counted, not timed, so that a choice does not depend on the
machine.
"""

from dataclasses import dataclass

import numpy as np

from .._encoding.products import product_pairs
from .._model.forward import positive_classes
from .._plan import Plan, TrainingPlan
from .._table.training_table import TrainingTable

MANY_CLASSES = 100  # from which on the time for each class falls, since every row is learned once for each class
_WELL_FITTED = 0.7  # of the rows, roughly, are well fitted after the first epoch; trials tell more


@dataclass(frozen=True)
class Costs:
    """The sizes of a table that decide what a plan costs.

    numbers: columns of numbers; varied: those of them with more than two values; categories: the other columns.
    networks: of one ensemble member. well_fitted: the share of the rows that networks fit well and need not visit.
    """

    rows: int
    numbers: int
    varied: int
    categories: int
    networks: int
    well_fitted: float = _WELL_FITTED

    @classmethod
    def of(cls, table: TrainingTable) -> "Costs":
        sample = table.X[table.rows[:: max(1, len(table.rows) // 1000)]]
        varied = sum(len(np.unique(sample[:, k])) > 2 for k in np.flatnonzero(~table.is_category))
        categories = int(table.is_category.sum())
        networks = len(positive_classes(table.n_classes))
        return cls(len(table.rows), table.X.shape[1] - categories, varied, categories, networks)

    def budget(self, effort: float) -> float:
        """What a whole fit may take: some time for any table, more for large ones."""
        columns = self.numbers + self.categories
        of_network = 64e-6 * self.rows * (1 + columns / 85)
        networks = min(self.networks, MANY_CLASSES * (MANY_CLASSES / self.networks) ** 0.5)
        return effort * (1.6 + (of_network if networks == 1 else networks * (0.4 + of_network)))

    def search_budget(self, effort: float) -> float:
        """The part of it for comparing plans; the rest is for the final networks."""
        total = self.budget(effort)
        return min(0.5 * total, 4 * effort + 0.15 * total)

    def of_fit(self, plan: Plan) -> float:
        """Training on all rows, for as many epochs and ensemble members as planned."""
        return self.rows * self.of_row(plan)

    def of_row(self, plan: Plan) -> float:
        """The share of one row in it."""
        touched = self._touched(plan)
        size = plan.start.N * plan.start.M
        step = 300e-9 + 3e-9 * touched + (2e-9 + 0.16e-9 * touched) * size
        later = 1 - self.well_fitted * (1 - 1 / plan.training.revisit_every)
        return step * self.networks * plan.n_estimators * (1 + later * (plan.training.max_epochs - 1))

    def of_selection(self) -> float:
        """Ranking the columns by their importance."""
        return 1e-6 * min(self.rows, 2000) * (self.numbers + self.categories)

    def _touched(self, plan: Plan) -> int:
        """How many weights of a half-space a row touches."""
        encoding = plan.encoding
        touched = self.categories + self.numbers
        if encoding.knots is not None:  # of columns with two values, only the rare one counts
            touched = self.categories + 5 * self.varied + (self.numbers - self.varied) // 4
        if encoding.is_conic:
            touched += len(product_pairs(self.numbers))
        if encoding.n_components is not None:
            return self.categories + int(encoding.n_components)
        if encoding.n_selected is not None:
            return touched * encoding.n_selected // (self.numbers + self.categories)
        return touched


def share_well_fitted(visits_per_row: float, plan: TrainingPlan) -> float:
    """The share of well-fitted rows, given how often a row was visited: what `Costs.of_row` assumes."""
    later = (visits_per_row - 1) / max(plan.max_epochs - 1, 1)
    return float(np.clip((1 - later) / max(1 - 1 / plan.revisit_every, 1e-9), 0, 1))
