"""The parameter `monotonic_cst`: in which direction rules may use a column."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._table.checks import TableColumns, feature_names
from .._table.sparse_columns import SparseColumns


def read_directions(
    given: Any, estimator: Any, columns: TableColumns | None, n_classes: int, width: int
) -> NDArray[np.intp]:
    """For each of `width` columns of the matrix 1, -1 or 0: where the probability of the second class may only
    increase, may only decrease, or is free.
    """
    directions = np.zeros(width, dtype=np.intp)
    if given is None:
        return directions
    if n_classes != 2:
        raise ValueError(f"monotonic_cst needs two classes; y has {n_classes}.")
    names = feature_names(estimator)
    wanted = _from_dict(given, names) if isinstance(given, dict) else np.asarray(given)
    if wanted.shape != (len(names),):
        raise ValueError(f"monotonic_cst has shape {wanted.shape}, but X has {len(names)} features.")
    if not np.isin(wanted, (-1, 0, 1)).all():
        raise ValueError("monotonic_cst takes the values -1, 0 and 1 only.")
    if isinstance(columns, SparseColumns):
        raise ValueError("monotonic_cst is for dense tables: pass X.toarray() if it is small enough.")
    places = [slice(k, k + 1) for k in range(width)] if columns is None else columns.places
    for k in np.flatnonzero(wanted):
        place = places[k]
        if columns is not None and columns.is_category[place.start]:
            raise ValueError(f"monotonic_cst names {names[k]!r}, which is categorical: categories have no order.")
        directions[place.start] = wanted[k]  # of a date, its days
    return directions


def _from_dict(given: dict, names: list[str]) -> NDArray:
    unknown = [name for name in given if name not in names]
    if unknown:
        raise ValueError(f"monotonic_cst names {unknown[0]!r}, which is not a column of X.")
    return np.array([given.get(name, 0) for name in names])
