"""The plane of two columns on which models are drawn."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._table.checks import matrix_names
from .._table.dates import time_text
from ..base import DisjunctiveNetworkClassifier
from ._model_view import column_units
from ._style import Axes, ConciseDateFormatter

_MARGIN = 0.05  # of the range of the values, on either side


@dataclass
class Plane:
    """A plane in the space of the columns: two of them vary, the others stay at their medians.

    columns, names, units: the two columns, their names and what their values are; x, y: the values along the two axes;
    matrix: the points of the plane as a model reads them, of shape (len(y) * len(x), columns).
    """

    columns: tuple[int, int]
    names: tuple[str, str]
    units: tuple[str, str]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
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
        x, y = (_axis_values(rows[:, column], resolution) for column in (first, second))
        center = [_typical_value(values, unit == "category") for values, unit in zip(rows.T, units, strict=True)]
        matrix = np.tile(center, (len(x) * len(y), 1))
        matrix[:, first], matrix[:, second] = (side.ravel() for side in np.meshgrid(x, y))
        return cls((first, second), (names[first], names[second]), (units[first], units[second]), x, y, matrix)

    def as_grid(self, values: NDArray) -> NDArray:
        """Values (n, ...) of the points as an array of shape (..., len(y), len(x))."""
        return np.moveaxis(values.reshape(len(self.y), len(self.x), *values.shape[1:]), (0, 1), (-2, -1))

    def label_axes(self, ax: Axes) -> None:
        others = "\n(other columns at their medians)" if self.matrix.shape[1] > 2 else ""
        ax.set(xlabel=self.names[0] + others, ylabel=self.names[1])
        for axis, unit in zip((ax.xaxis, ax.yaxis), self.units, strict=True):
            if unit == "date":  # Matplotlib's dates are days since 1970, too
                axis.axis_date()
                axis.set_major_formatter(ConciseDateFormatter(axis.get_major_locator()))
            elif unit == "hour":
                axis.set_major_formatter(lambda hours, place: time_text(hours))


def _column_number(column: Any, names: list[str]) -> int:
    if isinstance(column, str):
        if column not in names:
            raise ValueError(f"The model has no column {column!r}; its columns are {', '.join(names)}.")
        return names.index(column)
    if not 0 <= column < len(names):
        raise ValueError(f"The model has no column {column}; it has {len(names)}, counted from 0.")
    return int(column)


def _axis_values(values: NDArray, resolution: int) -> NDArray[np.float64]:
    """Equally spaced values over the range of some values, with a margin."""
    values = values[~np.isnan(values)]
    low, high = (values.min(), values.max()) if values.size else (0.0, 1.0)
    margin = _MARGIN * (high - low) or 0.5
    return np.linspace(low - margin, high + margin, resolution)


def _typical_value(values: NDArray, is_category: bool) -> float:
    values = values[~np.isnan(values)]
    if not values.size:
        return np.nan
    if is_category:
        known, counts = np.unique(values, return_counts=True)
        return float(known[counts.argmax()])
    return float(np.median(values))
