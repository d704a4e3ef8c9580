"""The rows of a page: a sample of a table, and what is known of its columns."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .packing import PackedArrays


def describe_columns(columns: list[dict[str, Any]], matrix: NDArray, used: set[int]) -> list[dict[str, Any]]:
    """The columns with the ranges of their values in a matrix (n, F), for sliders and for standardised units."""
    return [{**column, **_described(column, matrix, used)} for column in columns]


def _described(column: dict[str, Any], matrix: NDArray, used: set[int]) -> dict[str, Any]:
    values = matrix[:, column["place"]].astype(np.float64)
    known = values[~np.isnan(values)]
    parts = range(column["place"], column["place"] + len(column.get("parts", [0])))
    found: dict[str, Any] = {"missing": bool(len(known) < len(values)), "used": not used.isdisjoint(parts)}
    if column["kind"] == "category":
        return found
    if not len(known):
        return {**found, "low": 0.0, "high": 1.0, "deviation": 1.0, "whole": False}
    return {
        **found,
        "low": float(known.min()),
        "high": float(known.max()),
        "deviation": float(known.std()) or 1.0,
        "whole": bool((known == np.round(known)).all()),
    }


def row_data(
    matrix: NDArray, labels: NDArray | None, numbers: NDArray[np.intp], arrays: PackedArrays
) -> dict[str, Any]:
    """Rows (n, F) as JSON holds them, column by column.

    labels: (n,) class indices; numbers: (n,) those of the rows in the table, counted from 1.
    """
    return {
        "count": len(matrix),
        "columns": [arrays.add(column) for column in matrix.T],
        "labels": None if labels is None else arrays.add(labels),
        "numbers": arrays.add(numbers),
    }
