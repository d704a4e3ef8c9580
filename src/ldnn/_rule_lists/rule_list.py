"""RuleList: rules over binned columns, as arrays that the kernels read and change."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .bins import Bins

Condition = tuple[int, NDArray[np.bool_]]  # a column, and the bins in which the condition holds


@dataclass(frozen=True)
class RuleList:
    """See _kernels/rule_kernels.py: labels and sizes (R,), columns (R, S), masks (R, S, B). Only the first
    n_rules rules and the first sizes[r] conditions of rule r count.
    """

    n_rules: int
    labels: NDArray[np.intp]
    sizes: NDArray[np.intp]
    columns: NDArray[np.intp]
    masks: NDArray[np.bool_]

    @classmethod
    def empty(cls, most: int, bins: Bins) -> "RuleList":
        """An empty list with space for at most `most` conditions."""
        width = int(bins.n_bins.max()) + 1
        zeros = np.zeros(most, dtype=np.intp)
        return cls(0, zeros, zeros.copy(), np.zeros((most, most), dtype=np.intp),
                   np.zeros((most, most, width), dtype=bool))  # fmt: skip

    @property
    def arrays(self) -> tuple:
        """As the kernels take it."""
        return self.labels, self.sizes, self.columns, self.masks, self.n_rules

    @property
    def used_columns(self) -> NDArray[np.intp]:
        """The columns of all conditions."""
        return np.concatenate([np.empty(0, np.intp), *(self.columns[r, : self.sizes[r]] for r in range(self.n_rules))])

    def conditions(self, r: int) -> list[Condition]:
        """The conditions of rule r."""
        return [(int(self.columns[r, j]), self.masks[r, j]) for j in range(self.sizes[r])]

    def copy(self) -> "RuleList":
        return RuleList(self.n_rules, *(array.copy() for array in self.arrays[:-1]))

    def with_condition(self, r: int, condition: Condition) -> "RuleList":
        """One more condition of rule r."""
        new = self.copy()
        place = new.sizes[r]
        new.columns[r, place], new.masks[r, place] = condition
        new.sizes[r] += 1
        return new

    def with_rule(self, position: int, label: int, conditions: list[Condition]) -> "RuleList":
        """One more rule."""
        new = self.copy()
        for array in new.arrays[:-1]:
            array[position + 1 :] = array[position:-1].copy()
        new.labels[position] = label
        new.sizes[position] = len(conditions)
        for j, (column, mask) in enumerate(conditions):
            new.columns[position, j], new.masks[position, j] = column, mask
        return RuleList(self.n_rules + 1, *new.arrays[:-1])

    def without_rule(self, r: int) -> "RuleList":
        new = self.copy()
        for array in new.arrays[:-1]:
            array[r:-1] = array[r + 1 :].copy()
        return RuleList(self.n_rules - 1, *new.arrays[:-1])

    def without_condition(self, r: int, j: int) -> "RuleList":
        """Without condition j of rule r; without the rule if none is left."""
        if self.sizes[r] == 1:
            return self.without_rule(r)
        new = self.copy()
        new.columns[r, j:-1] = self.columns[r, j + 1 :]
        new.masks[r, j:-1] = self.masks[r, j + 1 :]
        new.sizes[r] -= 1
        return new
