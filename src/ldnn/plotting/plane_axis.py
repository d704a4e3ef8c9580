"""One axis of a plane: the values of a column of numbers, or one band for each category of a column."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._table.dates import time_text
from ._style import ConciseDateFormatter, MaxNLocator, short_label

_MARGIN = 0.05  # of the range of the values, on either side
_EDGE = 1e-6  # of the width of a band: where colours change from one band to the next
_MAX_BANDS = 12  # the most frequent categories
_LONGEST = 20  # characters of the label of a band
_LETTERS = 45  # of labels side by side; more would overlap
_TICKS = 5  # at most, of numbers, whose texts may be long
_SCATTER = 0.35  # rows of a category are drawn up to this far from the middle of its band


@dataclass
class PlaneAxis:
    """What lies along an axis.

    unit: "number", "category", "date" or "hour". positions: (n,) where points are drawn, increasing; values: (n,) the
    column there, as a model reads it. bands: the values of the bands, which lie at 0, 1, ... and are one wide, and
    their labels; None where the column is no category.
    """

    unit: str
    positions: NDArray[np.float64]
    values: NDArray[np.float64]
    bands: NDArray[np.float64] | None = None
    labels: list[str] | None = None

    @classmethod
    def of_numbers(cls, values: NDArray, unit: str, resolution: int) -> "PlaneAxis":
        """Equally spaced over the range of some values, with a margin."""
        values = values[~np.isnan(values)]
        low, high = (values.min(), values.max()) if values.size else (0.0, 1.0)
        margin = _MARGIN * (high - low) or 0.5
        positions = np.linspace(low - margin, high + margin, resolution)
        return cls(unit, positions, positions)

    @classmethod
    def of_categories(cls, codes: NDArray, known: NDArray, resolution: int) -> "PlaneAxis":
        """One band for each of the codes of some rows, in the order of the known categories."""
        bands, counts = np.unique(codes, return_counts=True)  # missing values (NaN) are the last
        bands = bands[np.sort(np.argsort(-counts, kind="stable")[:_MAX_BANDS])]
        within = np.linspace(_EDGE - 0.5, 0.5 - _EDGE, max(2, resolution // len(bands)))
        positions = (np.arange(len(bands))[:, None] + within).ravel()
        labels = [
            "missing" if np.isnan(code) else "other" if code < 0 else short_label(str(known[int(code)]), _LONGEST)
            for code in bands
        ]
        return cls("category", positions, np.repeat(bands, len(within)), bands, labels)

    def place(self, values: NDArray, generator: np.random.Generator) -> NDArray[np.float64]:
        """Where rows with these values are drawn; NaN if nowhere. Rows of a band are scattered."""
        if self.bands is None:
            return values
        is_own = (values[:, None] == self.bands) | (np.isnan(values)[:, None] & np.isnan(self.bands))
        scattered = is_own.argmax(axis=1) + generator.uniform(-_SCATTER, _SCATTER, len(values))
        return np.where(is_own.any(axis=1), scattered, np.nan)

    def set_ticks(self, axis: Any) -> None:
        """Give an axis of Matplotlib the ticks that suit the unit."""
        if self.labels is not None:
            is_crowded = axis.axis_name == "x" and max(map(len, self.labels)) * len(self.labels) > _LETTERS
            slanted: Any = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if is_crowded else {}
            axis.set_ticks(range(len(self.labels)), labels=self.labels, **slanted)
        elif self.unit == "date":  # Matplotlib's dates are days since 1970, too
            axis.axis_date()
            axis.set_major_formatter(ConciseDateFormatter(axis.get_major_locator()))
        elif self.unit == "number":
            axis.set_major_locator(MaxNLocator(_TICKS, steps=[1, 2, 5, 10]))
        elif self.unit == "hour":
            axis.set_major_formatter(lambda hours, place: time_text(hours))
