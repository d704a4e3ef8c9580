"""SearchSpace: which parts of a plan are open, and their values to compare."""

from dataclasses import dataclass, replace

import numpy as np

from .._encoding.components import MAX_SIZE
from .._plan import KnotPlan, Plan
from .._table.training_table import TrainingTable

WIDE = 200  # columns of numbers from which components and a common scale are compared
ENOUGH_ROWS = 1500  # from which on numbers scaled by their importance are compared


@dataclass(frozen=True)
class SearchSpace:
    """Which parts of a plan the user left open.

    N, M: sizes. knots, conics: kinds of discriminants. selection: of columns by importance. components, normalize,
    importance (as a scale): by the parameter `normalize`. rate, epochs, loss, estimators: as the parameters of these
    names. likelihood: whether networks may be trained for the likelihood of the classes, without label smoothing.
    """

    N: bool
    M: bool
    knots: bool
    conics: bool
    selection: bool
    components: bool
    normalize: bool
    importance: bool
    rate: bool
    epochs: bool
    loss: bool
    likelihood: bool
    estimators: bool

    @property
    def size(self) -> bool:
        return self.N or self.M

    @property
    def needs_comparison(self) -> bool:
        """Whether plans have to be compared; the other parts follow from the amount of work."""
        return any((self.N, self.M, self.knots, self.conics, self.rate, self.loss))

    def for_table(self, table: TrainingTable) -> "SearchSpace":
        """Components and scales are compared for wide tables only, as long as components take little time. Components
        mix columns, so none of these could be monotone. Few rows do not tell how important each number is.
        """
        numbers = int((~table.is_category).sum())
        is_wide = numbers >= WIDE and min(numbers, len(table.rows)) <= MAX_SIZE
        return replace(
            self,
            components=self.components and is_wide and table.directions is None,
            normalize=self.normalize and is_wide,
            importance=self.importance and numbers > 1 and len(table.rows) >= ENOUGH_ROWS,
        )

    def with_size(self, plan: Plan, size: int) -> Plan:
        """The plan with N and M of this size, as far as they are open."""
        return plan.with_start(N=size if self.N else plan.start.N, M=size if self.M else plan.start.M)


def middle_size(rows: int) -> float:
    """N and M that suit this number of rows."""
    return 0.9 * rows**0.25


def sizes_to_compare(rows: int) -> list[int]:
    """N and M to compare: what suits this number of rows, less, and more (for a small table, much less)."""
    middle = middle_size(rows)
    if rows < 2000:
        return [1, max(2, round(middle / 2)), max(3, round(middle))]
    return [round(middle * share) for share in (1 / 3, 1, 1.5)]


def knot_plan(placement: str, rows: int) -> KnotPlan:
    """Knots for this number of rows. Those of trees are where they matter, so half as many are enough."""
    pieces = int(np.clip(rows // 60, 4, 32))
    return KnotPlan(placement, max(2, pieces // 2) if placement == "tree" else pieces)


def guess(plan: Plan, space: SearchSpace, rows: int) -> Plan:
    """The plan for rows that are too few to compare plans on, or that come in parts."""
    return space.with_size(plan, max(1, round(middle_size(rows)))) if space.size else plan
