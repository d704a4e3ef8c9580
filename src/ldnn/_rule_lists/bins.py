"""Columns in bins: the values that a condition can tell apart."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .column_sums import ColumnSum, with_sums

_MARGIN = 0.005  # of the rows, which a limit may pass when it moves to a round number


@dataclass(frozen=True)
class Bins:
    """Where the bins of each column end.

    limits: for each column (n_bins - 1, 2): the largest value of a bin and the smallest one of the next, in the rows
    that the bins were fitted to; None for a column of categories, whose bins are its codes. margins: likewise, values a
    few rows below and above each limit, between which a round number may be chosen. n_bins: (F,). is_category: (F,).
    sums: of columns of the table; they are the last of these columns.
    """

    limits: list[NDArray[np.float64] | None]
    margins: list[NDArray[np.float64] | None]
    n_bins: NDArray[np.intp]
    is_category: NDArray[np.bool_]
    sums: tuple[ColumnSum, ...] = ()

    @classmethod
    def fit(
        cls,
        X: NDArray,
        is_category: NDArray[np.bool_],
        n_categories: list[int],
        most: int,
        sums: tuple[ColumnSum, ...] = (),
    ) -> "Bins":
        """Bins of about equal numbers of rows, at most `most` in a column of numbers."""
        X = with_sums(X, sums)
        is_category = np.append(is_category, np.zeros(len(sums), dtype=bool))
        limits = [None if is_category[f] else _limits(X[:, f], most) for f in range(X.shape[1])]
        margins = [None if own is None else limit_margins(X[:, f], own) for f, own in enumerate(limits)]
        n_bins = [n_categories[f] if own is None else len(own) + 1 for f, own in enumerate(limits)]
        return cls(limits, margins, np.array(n_bins, dtype=np.intp), is_category, sums)

    def codes(self, X: NDArray) -> NDArray[np.uint8]:
        """The bin of each value (n, F): n_bins[f] for a missing value and an unknown category of column f. X is the
        table without sums.
        """
        X = with_sums(X, self.sums)
        codes = np.empty(X.shape, dtype=np.uint8)
        for f, limits in enumerate(self.limits):
            values = X[:, f]
            is_missing = np.isnan(values) | ((values < 0) if limits is None else False)
            bins = np.where(is_missing, 0, values).astype(np.intp) if limits is None else _bin_numbers(values, limits)
            codes[:, f] = np.where(is_missing, self.n_bins[f], bins)
        return codes


def _limits(values: NDArray, most: int) -> NDArray[np.float64]:
    known, counts = np.unique(values[~np.isnan(values)].astype(np.float64), return_counts=True)
    ends = np.arange(len(known) - 1)
    if len(known) > most:  # the value at which each further share of the rows is reached
        shares = np.cumsum(counts) / counts.sum()
        ends = np.unique(np.searchsorted(shares, np.arange(1, most) / most))
        ends = ends[ends < len(known) - 1]
    return np.column_stack([known[ends], known[ends + 1]]) if len(known) else np.empty((0, 2))


def limit_margins(values: NDArray, limits: NDArray[np.float64]) -> NDArray[np.float64]:
    """The `margins` of a column of numbers: values (n,), limits (k, 2)."""
    known = np.sort(values[~np.isnan(values)].astype(np.float64))
    place = np.searchsorted(known, limits[:, 0], side="right")  # of the first value above
    rows = int(_MARGIN * len(known))
    below = known[(place - 1 - rows).clip(min=0)] if len(known) else limits[:, 0]
    above = known[(place + rows).clip(max=len(known) - 1)] if len(known) else limits[:, 1]
    return np.column_stack([below, above])


def _bin_numbers(values: NDArray, limits: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.searchsorted(limits[:, 0], values, side="left")
