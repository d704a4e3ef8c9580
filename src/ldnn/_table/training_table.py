"""TrainingTable: a table as numbers, with the class indices and weights of the rows that a fit uses."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .column_tree import SortedColumns
from .distinct import take_rows
from .screening import importances

_MOST_COPIES = 2**24  # of all rows
_COPIES_OF_A_ROW = 100  # on average; weights beyond may well count people rather than rows


@dataclass(frozen=True)
class TrainingTable:
    """X (n, F) as `Columns.to_matrix` gives it, and of some of its rows the class indices and weights.

    rows: (m,) row numbers, in an order that depends on the values only. y: (m,) class indices. weights: (m,), all
    positive. is_category: (F,). class_weights: (n_classes,) the part of the weights that is due to `class_weight`; None
    if that is None. is_weighted: whether the user gave sample weights. directions: (F,) of
    monotone columns, see `monotonic.py`; None if there are none.
    """

    X: NDArray
    rows: NDArray[np.intp]
    y: NDArray[np.int32]
    weights: NDArray[np.float64]
    is_category: NDArray[np.bool_]
    n_classes: int
    class_weights: NDArray[np.float64] | None = None
    is_weighted: bool = False
    directions: NDArray[np.intp] | None = None

    def subset(self, which: NDArray[np.intp]) -> "TrainingTable":
        """The table with only these of its rows."""
        return replace(self, rows=self.rows[which], y=self.y[which], weights=self.weights[which])

    @cached_property
    def copies(self) -> NDArray[np.intp]:
        """The index of each row as often as the row occurs: its weight. Once, where weights are no such numbers, or so
        large that copies would take much memory.
        """
        counts = np.rint(self.row_weights)
        each = np.arange(len(self.rows))
        are_counts = counts.min() > 0 and np.allclose(counts, self.row_weights, atol=1e-6)
        most = min(_MOST_COPIES, _COPIES_OF_A_ROW * len(each)) if self.is_weighted else _MOST_COPIES
        return np.repeat(each, counts.astype(np.intp)) if are_counts and counts.sum() <= most else each

    def of_copies(self, which: NDArray[np.intp]) -> "TrainingTable":
        """The table with some of the copies of its rows, each given by the index of its row."""
        rows, counts = np.unique(which, return_counts=True)
        part = self.subset(rows)
        if len(self.copies) == len(self.rows):
            return part
        return replace(part, weights=part.weights / part.row_weights * counts)

    def of_classes(self, classes: NDArray[np.intp]) -> "TrainingTable":
        """The rows of some classes only, given in increasing order; these are numbered anew."""
        own = self.subset(np.flatnonzero(np.isin(self.y, classes)))
        y = np.searchsorted(classes, own.y).astype(np.int32)
        class_weights = None if self.class_weights is None else self.class_weights[classes]
        return replace(own, y=y, n_classes=len(classes), class_weights=class_weights)

    def sample(self, count: int) -> tuple[NDArray, NDArray[np.float64]]:
        """At most `count` rows (count, F), drawn at random, and their weights (count,)."""
        which = np.arange(len(self.rows))
        if len(which) > count:
            which = np.sort(np.random.default_rng(0).choice(which, count, replace=False))
        return take_rows(self.X, self.rows[which]), self.weights[which]

    @property
    def row_weights(self) -> NDArray[np.float64]:
        """(m,): the weights without class weights."""
        return self.weights if self.class_weights is None else self.weights / self.class_weights[self.y]

    @cached_property
    def importances(self) -> NDArray[np.float64]:
        """Of the columns, (F,): see `screening.py`."""
        return importances(self.X, self.y, self.rows, self.weights)

    @cached_property
    def sorted_columns(self) -> SortedColumns:
        return SortedColumns(self.X, self.rows, self.y, self.weights)

    def best_columns(self, count: int | None) -> NDArray[np.intp]:
        """The most important columns, in their order in the table; None: all columns."""
        if count is None or count >= self.X.shape[1]:
            return np.arange(self.X.shape[1])
        return np.sort(np.argsort(-self.importances, kind="stable")[:count])
