"""Sparse matrices: the columns with the largest univariate gain, at a cost that grows with what is not zero."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array

from .columns import Columns, needs_columns

_MOST_COLUMNS = 2000  # that are kept
_MOST_NUMBERS = 2**27  # of the dense matrix of the kept columns
_FEWEST_COLUMNS = 50


@dataclass(frozen=True)
class SparseColumns:
    """How a model that was fitted to a sparse matrix reads tables: as a dense matrix of some of their columns.

    kept: (K,) increasing numbers of these columns. n_columns: how many the table has.
    """

    kept: NDArray[np.int64]
    n_columns: int

    @classmethod
    def fit(cls, X: Any, y: NDArray, weights: NDArray[np.float64]) -> "SparseColumns":
        """Keep all columns of a sparse matrix X (n, F) or, of very many, those with the largest gain about y (n,)."""
        rows, columns = X.shape
        count = int(np.clip(_MOST_NUMBERS // max(rows, 1), _FEWEST_COLUMNS, _MOST_COLUMNS))
        if columns <= count:
            return cls(np.arange(columns), columns)
        order = np.argsort(-sparse_gains(X, y, weights), kind="stable")
        return cls(np.sort(order[:count]), columns)

    # --- the same as of `Columns` -------------------------------------------------------------------------------------

    @property
    def categories(self) -> list[NDArray | None]:
        return [None] * len(self.kept)

    @property
    def is_category(self) -> NDArray[np.bool_]:
        return np.zeros(len(self.kept), dtype=bool)

    @property
    def units(self) -> list[str]:
        return ["number"] * len(self.kept)

    def matrix_names(self, names: list[str]) -> list[str]:
        return [names[k] for k in self.kept]

    def table_sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        sums = np.zeros(self.n_columns)
        sums[self.kept] = values
        return sums

    def to_matrix(self, X: Any) -> NDArray:
        """The kept columns of a sparse or dense table, (n, K)."""
        if not sparse.issparse(X) and needs_columns(X, None):
            X = Columns.of_numbers(X).to_matrix(X)
        X = check_array(X, accept_sparse=["csr", "csc"], dtype=[np.float64, np.float32], ensure_all_finite=False)
        if X.shape[1] != self.n_columns:
            raise ValueError(f"X has {X.shape[1]} columns, the model was fitted to {self.n_columns}.")
        if sparse.issparse(X):
            check_places(X)
            if np.isinf(X.data).any():  # perhaps in a column that is not kept
                raise ValueError("Input X contains infinity: replace such values first, or drop those rows.")
        return dense(X[:, self.kept])

    def claims(self) -> Iterator[tuple[bool, str]]:
        """What must hold of columns from a file, each with a clause for what is wrong otherwise."""
        yield len(self.kept) > 0 and self.kept[-1] < self.n_columns, "a column is kept that the table does not have"
        yield bool((np.diff(self.kept) > 0).all()), "the kept columns are not in order"


def check_places(X: Any) -> None:
    """Refuse a sparse matrix with values outside of its shape, from and to which SciPy's compiled code would go."""
    try:
        X.check_format(full_check=True)
    except ValueError as error:
        raise ValueError(f"X is a damaged sparse matrix: {error}.") from None


def dense(X: Any) -> NDArray:
    """A sparse or dense matrix as an array, in C order."""
    if not sparse.issparse(X):
        return np.ascontiguousarray(X)
    check_places(X)
    return X.toarray(order="C")


def sparse_gains(X: Any, y: NDArray, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The decrease of the weighted Gini impurity of y (n,) when the rows of a sparse X (n, F) are grouped by a column.

    The groups are zeros, smaller and larger values; the decrease that chance would give is subtracted. Shape (F,).
    """
    X = sparse.csr_array(X, copy=True)
    X.sum_duplicates()
    X.data = np.nan_to_num(X.data, copy=False, nan=-np.inf)  # a group with the smaller values
    classes, labels = np.unique(y, return_inverse=True)
    rows, columns = X.shape
    of_class = sparse.csr_array((weights / weights.mean(), (labels, np.arange(rows))), shape=(len(classes), rows))

    def counted(is_member: NDArray[np.bool_]) -> Any:
        """The weight of the rows of each class with such a value in each column: sparse, (classes, F)."""
        return of_class @ sparse.csr_array((is_member.astype(np.float64), X.indices, X.indptr), X.shape)

    finite = np.isfinite(X.data) & (X.data != 0)
    sums, counts = (
        np.bincount(X.indices[finite], weights=values, minlength=columns) for values in (X.data[finite], None)
    )
    means = np.divide(sums, counts, out=np.zeros(columns), where=counts > 0)
    other, large = counted(X.data != 0), counted((X.data != 0) & (X.data > means[X.indices]))
    totals = np.asarray(of_class.sum(axis=1)).ravel()
    zero = (totals**2).sum() - 2 * (totals @ other) + _squares(other)
    groups = [(rows - other.sum(axis=0), zero)]
    groups += [(group.sum(axis=0), _squares(group)) for group in (other - large, large)]
    impurity = rows - (totals**2).sum() / rows
    within = sum(
        total - np.divide(square, total, out=np.zeros(columns), where=total > 1e-9) for total, square in groups
    )
    n_groups = sum((total > 1e-9).astype(int) for total, _ in groups)
    return impurity - within - (n_groups - 1) * impurity / rows


def _squares(group: Any) -> NDArray[np.float64]:
    """The sum of the squares of each column of a sparse matrix."""
    return np.asarray(group.multiply(group).sum(axis=0)).ravel()
