"""Bases: the features of one column beside its normalised value, each with a weight of its own.

A piecewise-linear basis has a hat function at each knot, a one-hot basis an indicator of each category, and the missing
indicator one weight. A row touches at most two weights of a basis on each level, whatever its number of weights.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .._kernels import encoding_kernels

MAX_LEVELS = 2  # of a piecewise-linear basis: all knots, and every other one of them
_FEW_KNOTS = 4  # have one level only


def level_sizes(n_knots: int, levels: int) -> list[int]:
    """The number of knots on each level; each level has every other knot of the one before."""
    sizes = []
    for _ in range(levels):
        sizes.append(n_knots)
        n_knots = n_knots // 2 + 1
    return sizes


@dataclass(frozen=True)
class Basis(ABC):
    """The basis of one column of the table.

    column: its number. knots: increasing values of the column.
    """

    column: int
    knots: NDArray[np.float64]
    kind: ClassVar[int]
    min_knots: ClassVar[int] = 1
    is_linear: ClassVar[bool] = True  # whether linear networks read it, too
    is_categorical: ClassVar[bool] = False

    @property
    def levels(self) -> int:
        return 1

    @property
    def n_weights(self) -> int:
        """The number of weights, on all levels."""
        return sum(level_sizes(len(self.knots), self.levels))

    @abstractmethod
    def names(self, column: str, categories: NDArray | None) -> list[str]:
        """A name for each weight, given the name of the column and its known categories."""

    def usual_shares(self) -> list[NDArray[np.float64]]:
        """The features of a row in the middle of the column, level by level."""
        return [np.full(size, 1 / size) for size in level_sizes(len(self.knots), self.levels)]

    def other_values(self) -> list[float]:
        """Values of the column that a row's own value can be compared with."""
        return self.knots.tolist()

    def is_valid(self, categories: NDArray | None) -> bool:
        """Whether the knots, which may come from a file, can be those of a column with these categories.

        None: a column of numbers.
        """
        if len(self.knots) < self.min_knots:
            return False
        is_increasing = (np.diff(self.knots) > 0).all() and np.isfinite(self.knots[-1] - self.knots[0])
        return bool(is_increasing) and self._suits(categories)

    def _suits(self, categories: NDArray | None) -> bool:
        return categories is None


@dataclass(frozen=True)
class PiecewiseLinear(Basis):
    """Hat functions at increasing knots; a second level has every other knot, so that neighbours learn together."""

    kind = encoding_kernels.PIECEWISE
    min_knots = 2
    is_linear = False

    @property
    def levels(self) -> int:
        return MAX_LEVELS if len(self.knots) > _FEW_KNOTS else 1

    def names(self, column: str, categories: NDArray | None) -> list[str]:
        names = []
        for level, size in enumerate(level_sizes(len(self.knots), self.levels)):
            knots = [self.knots[min(k << level, len(self.knots) - 1)] for k in range(size)]
            names += [f"{column} at {knot:g}" + " (coarse)" * level for knot in knots]
        return names


@dataclass(frozen=True)
class OneHot(Basis):
    """An indicator for each of the category codes that occur; of a column of two numbers, for the rare one."""

    kind = encoding_kernels.ONE_HOT
    is_categorical = True

    def names(self, column: str, categories: NDArray | None) -> list[str]:
        if categories is None:
            return [f"{column} = {value:g}" for value in self.knots]
        return [f"{column} = {categories[int(code)]}" for code in self.knots]

    def _suits(self, categories: NDArray | None) -> bool:
        """A column of numbers has one rare value; the knots of a category are codes."""
        if categories is None:
            return len(self.knots) == 1
        return self.knots[0] >= 0 and self.knots[-1] < len(categories) and bool((self.knots % 1 == 0).all())

    def other_values(self) -> list[float]:
        return [self.knots[0] + 1] if len(self.knots) == 1 else self.knots.tolist()  # of a rare value: any other


@dataclass(frozen=True)
class Missing(Basis):
    """An indicator of missing values. Its one knot is NaN."""

    kind = encoding_kernels.MISSING

    def names(self, column: str, categories: NDArray | None) -> list[str]:
        return [f"{column} is missing"]

    def usual_shares(self) -> list[NDArray[np.float64]]:
        return [np.zeros(1)]

    def other_values(self) -> list[float]:
        return []

    def is_valid(self, categories: NDArray | None) -> bool:
        return self.knots.shape == (1,) and bool(np.isnan(self.knots[0]))


def bases_of_column(
    column: int, categories: NDArray[np.float64] | None, knots: NDArray[np.float64] | None, has_missing: bool
) -> Iterator[Basis]:
    """The bases of a column, given its category codes or its knots, if it has any."""
    if categories is not None:
        if len(categories):
            yield OneHot(column, categories)
    elif knots is not None:
        yield OneHot(column, knots) if len(knots) == 1 else PiecewiseLinear(column, knots)
    if has_missing:
        yield Missing(column, np.array([np.nan]))
