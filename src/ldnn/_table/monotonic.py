"""The parameter `monotonic_cst`: along which columns the probability may only increase or only decrease."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .checks import TableColumns, default_names, feature_names
from .columns import Columns
from .sparse_columns import SparseColumns


def monotone_columns(columns: TableColumns | None, given: Any) -> TableColumns | None:
    """The columns with dates that are to be monotone read as days only: months and weekdays come again."""
    if given is None or not isinstance(columns, Columns) or not any(columns.dates):
        return columns
    names = columns.names or default_names(len(columns.dates))
    return columns.with_single_parts(_by_column(given, names) != 0)


def read_directions(
    given: Any, estimator: Any, columns: TableColumns | None, n_classes: int, width: int
) -> NDArray[np.intp]:
    """For each of `width` columns of the matrix 1, -1 or 0: where the probability of the second class may only
    increase, may only decrease, or is free.

    columns: as `monotone_columns` returns them.
    """
    directions = np.zeros(width, dtype=np.intp)
    if given is None:
        return directions
    if n_classes != 2:
        raise ValueError(f"monotonic_cst needs two classes; y has {n_classes}.")
    names = feature_names(estimator)
    wanted = _by_column(given, names)
    if isinstance(columns, SparseColumns):
        raise ValueError("monotonic_cst is for dense tables: pass X.toarray() if it is small enough.")
    places = [slice(k, k + 1) for k in range(width)] if columns is None else columns.places
    for k in np.flatnonzero(wanted):
        place = places[k]
        if columns is not None and columns.is_category[place.start]:
            raise ValueError(f"monotonic_cst names {names[k]!r}, which is categorical: categories have no order.")
        directions[place.start] = wanted[k]
    return directions


def _by_column(given: Any, names: list[str]) -> NDArray:
    """The direction of each column of the table, (n_features,)."""
    wanted = _from_dict(given, names) if isinstance(given, dict) else np.asarray(given)
    if wanted.shape != (len(names),):
        raise ValueError(f"monotonic_cst has shape {wanted.shape}, but X has {len(names)} features.")
    if not np.isin(wanted, (-1, 0, 1)).all():
        raise ValueError("monotonic_cst takes the values -1, 0 and 1 only.")
    return wanted


def _from_dict(given: dict, names: list[str]) -> NDArray:
    unknown = [name for name in given if name not in names]
    if unknown:
        raise ValueError(f"monotonic_cst names {unknown[0]!r}, which is not a column of X.")
    return np.array([given.get(name, 0) for name in names])
