"""The plane of two columns on which models are drawn."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._printable import listed
from .._table.checks import matrix_names
from ..base import DisjunctiveNetworkClassifier
from ._model_view import class_probabilities, column_units, known_categories
from ._style import Axes
from .plane_axis import PlaneAxis
from .plane_choice import most_faithful_plane, some_rows

_FINE, _COARSE = 250, 80  # points along each axis; coarse where there is a mean over rows
_MEASURED = 300  # rows on which the agreement with the model is measured


@dataclass
class Plane:
    """A plane in the space of the columns: two of them vary; what is drawn is the mean over some rows for the others,
    as in a plot of partial dependence.

    columns, names: the two columns and their names; axes: what lies along them; others: (m, columns) the rows that the
    other columns are of; a single one if there are no other columns.
    """

    columns: tuple[int, int]
    names: tuple[str, str]
    axes: tuple[PlaneAxis, PlaneAxis]
    others: NDArray[np.float64]

    @classmethod
    def through(
        cls, model: DisjunctiveNetworkClassifier, rows: NDArray, columns: Any, resolution: int | None
    ) -> "Plane":
        """The plane of two columns (numbers or names; None for the two that show the model best) over some rows.

        rows: (n, columns), as the model reads them; resolution: points along each axis of numbers.
        """
        if rows.shape[1] < 2:
            raise ValueError("A plane needs two columns; this model has one.")
        names, units = matrix_names(model), column_units(model)
        known = known_categories(model)
        chosen = columns
        if columns is None:  # names of categories have more room beside the vertical axis
            chosen = sorted(most_faithful_plane(model, rows), key=lambda column: known[column] is not None)
        first, second = (_column_number(column, names) for column in chosen)
        others = some_rows(rows) if rows.shape[1] > 2 else rows[:1]
        resolution = resolution or (_COARSE if len(others) > 1 else _FINE)
        across, along = (
            PlaneAxis.of_numbers(rows[:, column], units[column], resolution)
            if (categories := known[column]) is None
            else PlaneAxis.of_categories(rows[:, column], categories, resolution)
            for column in (first, second)
        )
        return cls((first, second), (names[first], names[second]), (across, along), others.astype(np.float64))

    @property
    def x(self) -> NDArray[np.float64]:
        """Where the points lie along the first axis: the values of a column of numbers."""
        return self.axes[0].positions

    @property
    def y(self) -> NDArray[np.float64]:
        """The same along the second axis."""
        return self.axes[1].positions

    def mean(self, evaluate: Callable[[NDArray], NDArray]) -> NDArray[np.float64]:
        """The mean over the other columns of what a function gives for points (n, columns), as an array of shape
        (..., len(y), len(x)). evaluate: gives an array of shape (n, ...).
        """
        (across, at_x), (along, at_y) = (np.unique(axis.values, return_inverse=True) for axis in self.axes)
        total: Any = 0.0
        for row in self.others:
            points = np.tile(row, (len(across) * len(along), 1))
            points[:, self.columns[0]], points[:, self.columns[1]] = (
                side.ravel() for side in np.meshgrid(across, along)
            )
            total = total + evaluate(points)
        grid = (total / len(self.others)).reshape(len(along), len(across), *total.shape[1:])
        return np.moveaxis(grid[at_y][:, at_x], (0, 1), (-2, -1))

    def agreement(self, model: DisjunctiveNetworkClassifier, rows: NDArray) -> tuple[float, int]:
        """For which share of some rows the class with the largest mean probability on the plane is the one that the
        model predicts, and of how many.
        """
        rows = some_rows(rows, _MEASURED)
        total: Any = 0.0
        for row in self.others:
            points = np.tile(row, (len(rows), 1))
            points[:, self.columns] = rows[:, self.columns]
            total = total + class_probabilities(model, points)
        agrees = total.argmax(axis=0) == class_probabilities(model, rows).argmax(axis=0)
        return float(agrees.mean()), len(rows)

    def place(self, rows: NDArray) -> NDArray[np.float64]:
        """Where rows (n, columns) are drawn: (n, 2)."""
        generator = np.random.default_rng(0)
        sides = zip(self.axes, self.columns, strict=True)
        return np.column_stack([axis.place(rows[:, column], generator) for axis, column in sides])

    def label_axes(self, ax: Axes, is_mean_named: bool = True) -> None:
        """Names and ticks of both axes. is_mean_named: whether to say here what is drawn of the other columns."""
        is_mean = is_mean_named and len(self.others) > 1
        others = f"\n(mean over {len(self.others)} rows\nfor the other columns)" if is_mean else ""
        ax.set(xlabel=self.names[0] + others, ylabel=self.names[1])
        for side, axis in zip((ax.xaxis, ax.yaxis), self.axes, strict=True):
            axis.set_ticks(side)


def _column_number(column: Any, names: list[str]) -> int:
    if isinstance(column, str):
        if column not in names:
            raise ValueError(f"The model has no column {column!r}; its columns are {listed(names, 20)}.")
        return names.index(column)
    if not 0 <= column < len(names):
        raise ValueError(f"The model has no column {column}; it has {len(names)}, counted from 0.")
    return int(column)
