"""The plane of two columns on which models are drawn."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._table.checks import matrix_names
from ..base import DisjunctiveNetworkClassifier
from ._model_view import column_units, known_categories
from ._style import Axes
from .plane_axis import PlaneAxis


@dataclass
class Plane:
    """A plane in the space of the columns: two of them vary, the others stay at their medians.

    columns, names: the two columns and their names; axes: what lies along them; matrix: the points of the plane as a
    model reads them, of shape (len(y) * len(x), columns).
    """

    columns: tuple[int, int]
    names: tuple[str, str]
    axes: tuple[PlaneAxis, PlaneAxis]
    matrix: NDArray[np.float64]

    @classmethod
    def through(cls, model: DisjunctiveNetworkClassifier, rows: NDArray, columns: Any, resolution: int) -> "Plane":
        """The plane of two columns (numbers or names; None for the first two) through the median of some rows.

        rows: (n, columns), as the model reads them. The other columns of the plane have the median of the rows, or
        the most frequent value where a column is a category.
        """
        if rows.shape[1] < 2:
            raise ValueError("A plane needs two columns; this model has one.")
        names, units = matrix_names(model), column_units(model)
        first, second = (_column_number(column, names) for column in (columns or (0, 1)))
        known = known_categories(model)
        across, along = (
            PlaneAxis.of_numbers(rows[:, column], units[column], resolution)
            if (categories := known[column]) is None
            else PlaneAxis.of_categories(rows[:, column], categories, resolution)
            for column in (first, second)
        )
        center = [_typical_value(values, unit == "category") for values, unit in zip(rows.T, units, strict=True)]
        matrix = np.tile(center, (len(across.values) * len(along.values), 1))
        matrix[:, first], matrix[:, second] = (side.ravel() for side in np.meshgrid(across.values, along.values))
        return cls((first, second), (names[first], names[second]), (across, along), matrix)

    @property
    def x(self) -> NDArray[np.float64]:
        """Where the points lie along the first axis: the values of a column of numbers."""
        return self.axes[0].positions

    @property
    def y(self) -> NDArray[np.float64]:
        """The same along the second axis."""
        return self.axes[1].positions

    def place(self, rows: NDArray) -> NDArray[np.float64]:
        """Where rows (n, columns) are drawn: (n, 2)."""
        generator = np.random.default_rng(0)
        sides = zip(self.axes, self.columns, strict=True)
        return np.column_stack([axis.place(rows[:, column], generator) for axis, column in sides])

    def as_grid(self, values: NDArray) -> NDArray:
        """Values (n, ...) of the points as an array of shape (..., len(y), len(x))."""
        return np.moveaxis(values.reshape(len(self.y), len(self.x), *values.shape[1:]), (0, 1), (-2, -1))

    def label_axes(self, ax: Axes) -> None:
        others = "\n(other columns at their medians)" if self.matrix.shape[1] > 2 else ""
        ax.set(xlabel=self.names[0] + others, ylabel=self.names[1])
        for side, axis in zip((ax.xaxis, ax.yaxis), self.axes, strict=True):
            axis.set_ticks(side)


def _column_number(column: Any, names: list[str]) -> int:
    if isinstance(column, str):
        if column not in names:
            raise ValueError(f"The model has no column {column!r}; its columns are {', '.join(names)}.")
        return names.index(column)
    if not 0 <= column < len(names):
        raise ValueError(f"The model has no column {column}; it has {len(names)}, counted from 0.")
    return int(column)


def _typical_value(values: NDArray, is_category: bool) -> float:
    values = values[~np.isnan(values)]
    if not values.size:
        return np.nan
    if is_category:
        known, counts = np.unique(values, return_counts=True)
        return float(known[counts.argmax()])
    return float(np.median(values))
