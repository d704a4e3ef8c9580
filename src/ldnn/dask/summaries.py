"""One pass over all partitions: exact counts, ranges and categories, and the rows that may become the sample."""

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from .._table.checks import check_labels
from .._table.columns import Columns, needs_columns
from .._table.distinct import chunks
from .partitions import MemoryPart, Part, in_partition
from .sizes import sized

SAMPLE_ROWS_PER_CLASS = 100  # at least


@sized
@dataclass(frozen=True)
class Offer:
    """Rows that a partition offers for the sample.

    drawn: `quota` random rows, and at least `SAMPLE_ROWS_PER_CLASS` of each class; keys: (n,) of these, random: the
    rows with the smallest ones are taken first. witnesses: a row with each category, one with a missing value and those
    with the smallest and the largest number, for each column.
    """

    drawn: MemoryPart
    keys: NDArray[np.float64]
    quota: int
    witnesses: MemoryPart


@sized
@dataclass(frozen=True)
class ColumnValues:
    """Of the columns of a matrix (n, F), without missing values: low, high: (F,) ranges, NaN where all are missing;
    sums, squares: (F,) sums of values and of their squares; missing: (F,) counts. Those of categories are of no use.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    sums: NDArray[np.float64]
    squares: NDArray[np.float64]
    missing: NDArray[np.int64]


@sized
@dataclass(frozen=True)
class PartitionSummary:
    """What there is to know about a partition.

    rows: with a positive weight. class_counts, class_weights: of these, by label; is_weighted:
    whether there are sample weights. names: of the columns, None if they
    have none; matrix_names: of those of the matrix, into which dates are expanded. columns: what they are; None where
    all are numbers. category_counts: of each column of the matrix, None for numbers. values: see `ColumnValues`.
    """

    number: int
    rows: int
    class_counts: dict[Any, int]
    class_weights: dict[Any, float]
    is_weighted: bool
    names: list[str] | None
    matrix_names: list[str] | None
    columns: Columns | None
    category_counts: list[NDArray | None]
    values: ColumnValues
    offer: Offer


def summarize(part: Part, number: int, quota: int, categorical: Any, seed: int) -> PartitionSummary | None:
    """The summary of a partition, None if it has no rows.

    quota: how many rows to offer for the sample; categorical: the parameter `categorical_features`.
    """
    with in_partition(number):
        X, y, weights = part.read()
        y, used = _used_rows(X, np.asarray(y), weights)
        if not used.size:
            return None
        check_labels(y[used], "y")
        columns = Columns.fit_part(X, categorical) if needs_columns(X, categorical) else None
        matrix = as_matrix(X, columns)
    if len(used) < len(y):
        matrix = matrix[used]
    labels, classes = np.unique(y[used], return_inverse=True)
    own_weights = np.ones(len(used)) if weights is None else np.asarray(weights, dtype=np.float64)[used]
    names = _names(X)
    keys = np.random.default_rng([seed, number]).random(len(used))
    table = MemoryPart(X, y, own_weights) if len(used) == len(y) else MemoryPart(take(X, used), y[used], own_weights)
    drawn = _drawn_rows(keys, quota, classes)
    values, rows = _column_values(matrix)
    return PartitionSummary(
        number=number,
        rows=len(used),
        class_counts=dict(zip(labels.tolist(), np.bincount(classes).tolist(), strict=True)),
        class_weights=dict(zip(labels.tolist(), np.bincount(classes, own_weights).tolist(), strict=True)),
        is_weighted=weights is not None,
        names=names,
        matrix_names=names if columns is None or names is None else columns.matrix_names(names),
        columns=columns,
        category_counts=_category_counts(matrix, columns),
        values=values,
        offer=Offer(
            subset(table, drawn), keys[drawn], min(quota, len(used)), subset(table, _witnesses(matrix, columns, rows))
        ),
    )


def _column_values(matrix: NDArray) -> tuple[ColumnValues, NDArray[np.intp]]:
    """The values of the columns, and rows (3, F) that have the smallest, the largest and no value, -1 if there is none.

    The matrix is read in pieces: copies of the whole would take much memory, and its columns are far apart there.
    """
    features = matrix.shape[1]
    low, high = np.full(features, np.nan), np.full(features, np.nan)
    sums, squares, missing = np.zeros(features), np.zeros(features), np.zeros(features, dtype=np.int64)
    found = np.full((3, features), -1, dtype=np.intp)
    for piece in chunks(*matrix.shape):
        chunk = matrix[piece].astype(np.float64)
        is_missing = np.isnan(chunk)
        smallest, largest = np.fmin.reduce(chunk), np.fmax.reduce(chunk)
        news = (~(smallest >= low), smallest), (~(largest <= high), largest), (missing == 0, np.nan)
        for place, (is_new, value) in enumerate(news):  # also where there was no value before
            which = np.flatnonzero(is_new)
            hits = is_missing[:, which] if place == 2 else chunk[:, which] == value[which]
            has_hit = hits.any(axis=0)
            found[place, which[has_hit]] = piece.start + hits[:, has_hit].argmax(axis=0)
        low, high = np.fmin(low, smallest), np.fmax(high, largest)
        missing += is_missing.sum(axis=0)
        chunk[is_missing] = 0
        with np.errstate(invalid="ignore", over="ignore"):  # infinity is refused later on
            sums += chunk.sum(axis=0)
            squares += np.einsum("nf,nf->f", chunk, chunk)
    return ColumnValues(low, high, sums, squares, missing), found


def subset(part: MemoryPart, rows: NDArray[np.intp]) -> MemoryPart:
    return MemoryPart(take(part.X, rows), part.y[rows], part.weights[rows])


def as_matrix(X: Any, columns: Columns | None) -> NDArray:
    """A table as floats (n, F); categories as codes of `columns`, which is None where all columns are numbers."""
    if columns is not None:
        return columns.to_matrix(X)
    matrix = X if isinstance(X, np.ndarray) else nw.from_native(X, eager_only=True).to_numpy()
    if matrix.ndim != 2:
        raise ValueError(f"expected a table with rows and columns, got an array of shape {matrix.shape} instead.")
    return matrix if matrix.dtype in (np.float32, np.float64) else matrix.astype(np.float64)


def take(X: Any, rows: NDArray[np.intp]) -> Any:
    """Some rows of an array or of a data frame."""
    return X[rows] if isinstance(X, np.ndarray) else nw.from_native(X, eager_only=True)[rows.tolist()].to_native()


def _used_rows(X: Any, y: NDArray, weights: Any) -> tuple[NDArray, NDArray[np.intp]]:
    """Labels, and the numbers of the rows with a positive weight."""
    lengths = {"X": len(X), "y": len(y)} | ({} if weights is None else {"sample_weight": len(weights)})
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} {count:,}" for name, count in lengths.items())
        raise ValueError(f"the numbers of rows differ ({listed}): make X, y and sample_weight of the same table.")
    if weights is None:
        return y, np.arange(len(y))
    values = np.asarray(weights, dtype=np.float64)
    if not np.isfinite(values).all() or (values < 0).any():
        raise ValueError("sample_weight has negative values, or values that are not numbers.")
    return y, np.flatnonzero(values > 0)


def _names(X: Any) -> list[str] | None:
    return None if isinstance(X, np.ndarray) else [str(name) for name in nw.from_native(X, eager_only=True).columns]


def _category_counts(matrix: NDArray, columns: Columns | None) -> list[NDArray | None]:
    if columns is None:
        return [None] * matrix.shape[1]
    return [
        None if known is None else np.bincount(codes[codes >= 0].astype(np.intp), minlength=len(known))
        for codes, known in zip(matrix.T, columns.categories, strict=True)
    ]


def _drawn_rows(keys: NDArray[np.float64], quota: int, classes: NDArray[np.intp]) -> NDArray[np.intp]:
    """The rows with the smallest keys, of all classes together and of each class."""
    order = np.argsort(keys, kind="stable")
    of_classes = [order[classes[order] == c][:SAMPLE_ROWS_PER_CLASS] for c in range(int(classes.max()) + 1)]
    return np.unique(np.concatenate([order[:quota], *of_classes]))


def _witnesses(matrix: NDArray, columns: Columns | None, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """See `Offer`. rows: see `_column_values`."""
    is_category = np.zeros(matrix.shape[1], dtype=bool) if columns is None else columns.is_category
    found = [np.unique(column, return_index=True)[1] for column in matrix.T[is_category]]
    found += [rows[:2, ~is_category].ravel(), rows[2]]
    every = np.concatenate(found)
    return np.unique(every[every >= 0])
