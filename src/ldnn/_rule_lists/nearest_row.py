"""The row of a region that is nearest to the given one: a linear program where there are ranges of sums."""

import math
from itertools import count

import numpy as np
from numpy.typing import NDArray

from .column_sums import ColumnSum
from .linear_program import cheapest
from .row_region import Region, RowSpace, column

_MARGIN = 1e-8  # of the largest term of a sum, in standard deviations
_ROUNDING_ERROR = 1e-14  # of a sum, relative
_SAME = 1e-12  # relative difference of a number from an integer


def nearest_row(space: RowSpace, region: Region, with_margin: bool = False) -> NDArray[np.float64] | None:
    """(F,), of whose columns of integers some may be between two of them; None if the region is empty. with_margin:
    whether sums keep a small distance from the ends of their ranges, so that rounding errors do not matter.
    """
    row = space.row.copy()
    for k, codes in region.categories.items():
        code = row[k] if row[k] >= 0 else -1
        if code not in codes:
            row[k] = min(codes)
    for k in space.numbers:
        if math.isnan(row[k]) and k not in region.given:
            continue
        low, high = region.ranges.get(column(k), (-math.inf, math.inf))
        if math.isnan(row[k]):
            row[k] = low if math.isfinite(low) else high if math.isfinite(high) else 0.0
        row[k] = min(max(row[k], low), high)
    sums = [
        (terms, _narrower(space, terms, ends, row) if with_margin else ends)
        for terms, ends in region.ranges.items()
        if len(terms.columns) > 1 and not np.isnan(row[[*terms.columns]]).any()
    ]
    if all(low <= float(terms.values(row[None])[0]) <= high for terms, (low, high) in sums):
        return row
    return _moved(space, region, row, sums)


def between_integers(space: RowSpace, region: Region, row: NDArray[np.float64]) -> list[Region] | None:
    """Both parts of a region if a column of integers is between two of them in a row; None if no column is."""
    for k in sorted(space.whole):
        if not math.isnan(row[k]) and not row[k].is_integer():
            low, high = float(math.floor(row[k])), float(math.ceil(row[k]))
            parts = region.within(column(k), -math.inf, low), region.within(column(k), high, math.inf)
            return [part for part in parts if part is not None]
    return None


def _narrower(
    space: RowSpace, terms: ColumnSum, ends: tuple[float, float], row: NDArray[np.float64]
) -> tuple[float, float]:
    """A range without its outermost parts, if it is wide."""
    if space.is_whole(terms):
        return ends
    largest = max(abs(weight) * space.scales[k] for k, weight in zip(terms.columns, terms.weights, strict=True))
    size = sum(abs(weight * row[k]) for k, weight in zip(terms.columns, terms.weights, strict=True))
    margin = _MARGIN * largest + _ROUNDING_ERROR * (
        size + max((abs(end) for end in ends if math.isfinite(end)), default=0.0)
    )
    low, high = ends
    return (low + margin, high - margin) if high - low > 4 * margin else ends


def _moved(
    space: RowSpace, region: Region, row: NDArray[np.float64], sums: list[tuple[ColumnSum, tuple[float, float]]]
) -> NDArray[np.float64] | None:
    """A row with all sums in their ranges. row: each of its columns is as near as its own range allows."""
    columns = sorted({k for terms, _ in sums for k in terms.columns})
    signs, rooms = [], []  # of the steps of a column: up, down
    for k in columns:
        low, high = region.ranges.get(column(k), (-math.inf, math.inf))
        own = space.row[k]
        signs += [(k, 1.0), (k, -1.0)]
        rooms += [0.0 if own > high else high - row[k], 0.0 if own < low else row[k] - low]
    places = dict(zip(signs, count(), strict=False))
    scales = np.array([space.scales[k] for k, _ in signs])
    costs = np.array([0.0 if math.isnan(space.row[k]) else 1.0 for k, _ in signs])
    rows, least = [], []
    for terms, ends in sums:
        own = np.zeros(len(signs))
        for k, weight in zip(terms.columns, terms.weights, strict=True):
            own[places[k, 1.0]], own[places[k, -1.0]] = weight * space.scales[k], -weight * space.scales[k]
        value, largest = float(terms.values(row[None])[0]), np.abs(own).max()
        for end, sign in zip(ends, (1.0, -1.0), strict=True):
            if math.isfinite(end):
                rows.append(sign * own / largest)
                least.append(sign * (end - value) / largest)
    for j, room in enumerate(rooms):
        if math.isfinite(room):
            rows.append(-(np.arange(len(signs)) == j).astype(float))
            least.append(-room / scales[j])
    steps = cheapest(costs, np.array(rows), np.array(least))
    if steps is None:
        return None
    moved = row.copy()
    for (k, sign), step in zip(signs, steps * scales, strict=True):
        moved[k] += sign * step
    for k in columns:
        low, high = region.ranges.get(column(k), (-math.inf, math.inf))
        moved[k] = min(max(moved[k], low), high)
        if k in space.whole and abs(moved[k] - round(moved[k])) <= _SAME * max(1.0, abs(moved[k])):
            moved[k] = float(round(moved[k]))
    return moved
