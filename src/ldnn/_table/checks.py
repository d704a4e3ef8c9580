"""Reading and checking what the user passes: tables, labels and weights."""

from collections.abc import Sequence
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    assert_all_finite,
    check_array,
    check_consistent_length,
    column_or_1d,
    validate_data,
)

from .._printable import listed, printable, shortened
from .._sklearn import check_sample_weight
from .columns import Columns, arrow_matrix, named_table, needs_columns
from .distinct import chunks
from .sparse_columns import SparseColumns, check_places, dense

TableColumns = Columns | SparseColumns
_SPARSE = ["csr", "csc"]


def fit_columns(X: Any, y: Any, sample_weight: Any, categorical: Any) -> TableColumns | None:
    """How tables like X are to be read; None where they are arrays of numbers."""
    if not issparse(X):
        return Columns.fit(X, categorical) if needs_columns(X, categorical) else None
    if needs_columns(X, categorical):
        raise ValueError("categorical_features is for dense tables: pass X.toarray() if it is small enough.")
    X = check_array(X, accept_sparse=_SPARSE, dtype=[np.float64, np.float32], ensure_all_finite=False)
    check_places(X)
    y, weights = _read_labels(X, y, sample_weight, "the classifier")
    return SparseColumns.fit(X, y, weights)


def validation_set(eval_set: Any, X_val: Any, y_val: Any, weights: Any) -> tuple[Any, Any, Any] | None:
    """The rows, labels and weights that `fit` validates on, given in one of two ways; None if in neither."""
    pair = _validation_pair(eval_set, X_val, y_val)
    if pair is None and weights is not None:
        raise ValueError("sample_weight_val are weights of validation rows: pass X_val and y_val, or eval_set, too.")
    return None if pair is None else (*pair, weights)


def _validation_pair(eval_set: Any, X_val: Any, y_val: Any) -> tuple[Any, Any] | None:
    if eval_set is None:
        if (X_val is None) != (y_val is None):
            raise ValueError("X_val and y_val go together: pass both, or neither.")
        return None if X_val is None else (X_val, y_val)
    if X_val is not None or y_val is not None:
        raise ValueError("eval_set=(X_val, y_val) and X_val, y_val are the same: pass one of them.")
    pairs = [eval_set] if isinstance(eval_set, tuple) else eval_set
    if not isinstance(pairs, list) or len(pairs) != 1 or not isinstance(pairs[0], tuple) or len(pairs[0]) != 2:
        kind = type(eval_set).__name__
        found = f"a {kind} of {len(eval_set)}" if isinstance(eval_set, list | tuple) else kind
        raise ValueError(
            f"eval_set is one pair (X_val, y_val), or a list with one such pair; got {found}. Training has one set of "
            "validation rows: measure others after the fit."
        )
    return pairs[0]


def read_labelled(
    estimator: Any, X: Any, y: Any, sample_weight: Any, columns: TableColumns | None, *, reset: bool
) -> tuple[NDArray, NDArray, NDArray[np.float64]]:
    """The table as numbers (n, F), its labels (n,) and its weights (n,), checked."""
    X = read_matrix(estimator, X, columns, reset=reset)
    return X, *_read_labels(X, y, sample_weight, type(estimator).__name__)


def read_validation(
    estimator: Any, X: Any, y: Any, sample_weight: Any, columns: TableColumns | None, classes: NDArray
) -> tuple[NDArray, NDArray[np.intp], NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]:
    """Validation rows: the matrix (n, F); which rows count, (m,); their class indices, weights and weights times class
    weights, (m,) each.
    """
    try:
        X, labels, row_weights = read_labelled(estimator, X, y, sample_weight, columns, reset=False)
        indices, weights = encode_labels(labels, row_weights, classes, estimator.class_weight)
    except ValueError as error:
        raise ValueError(f"In the validation data: {error}") from None
    rows = np.flatnonzero(weights > 0)
    if rows.size == 0:
        raise ValueError("In the validation data: no row has a positive weight.")
    return X, rows, indices[rows], row_weights[rows], weights[rows]


def _read_labels(X: Any, y: Any, sample_weight: Any, name: str) -> tuple[NDArray, NDArray[np.float64]]:
    """The labels (n,) and the weights (n,) of the rows of X, checked. name: of the estimator."""
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    _check_not_masked(y, "y")
    y = _plain(column_or_1d(y, warn=True))
    check_consistent_length(X, y)
    check_labels(y, "y")
    _check_not_masked(sample_weight, "sample_weight")
    return y, check_sample_weight(_rescaled(sample_weight), X, dtype=np.float64, ensure_non_negative=True)


def _check_not_masked(values: Any, name: str) -> None:
    if np.ma.is_masked(values):
        raise TypeError(f"{name} is a masked array: drop the rows where it is masked.")


def _plain(labels: NDArray) -> NDArray:
    """Objects that are all integers, or all booleans, as an array of their own type; NumPy's text as objects."""
    if labels.dtype.kind == "T":
        return labels.astype(object)
    kinds = {type(label) for label in labels} if labels.dtype == object else set()
    are_integers = all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds)
    numbers = are_integers or (len(kinds) == 1 and kinds <= {bool, np.bool_})
    plain = np.array(labels.tolist()) if kinds and numbers else labels
    return plain if plain.dtype.kind in "iub" else labels


def _rescaled(weights: Any) -> Any:
    """Weights whose sums or products would overflow or be lost to rounding, divided by the largest."""
    if weights is None or not hasattr(weights, "__len__"):
        return weights
    if np.asarray(weights).dtype.kind in "mM":
        raise TypeError("sample_weight holds dates or times: pass numbers.")
    try:
        values = np.asarray(weights, dtype=np.float64)
    except OverflowError:
        raise ValueError("sample_weight holds a number that is too large for float64.") from None
    except (TypeError, ValueError):
        return weights  # refused by scikit-learn's check
    largest = np.abs(values).max(initial=0)
    return values / largest if np.isfinite(largest) and largest > 0 and not 1e-100 < largest < 1e100 else weights


def read_matrix(estimator: Any, X: Any, columns: TableColumns | None, *, reset: bool = False) -> NDArray:
    """X as float32 or float64 without infinity: NaN where a value is missing, categories as codes (see columns.py)."""
    if columns is None and not reset and _is_as_expected(estimator, X):
        _check_finite(X, None)
        return X
    X = named_table(X)
    shape = tuple(getattr(X, "shape", ()))
    if shape[1:] == (0,):
        raise ValueError(f"Found array with 0 feature(s) ({shape=}) while a minimum of 1 is required.")
    if columns is None and not reset and needs_columns(X, None):
        columns = Columns.of_numbers(X)  # text and dates will be refused
    if issparse(X) and isinstance(columns, Columns):
        raise TypeError("X is sparse, but the model was fitted to a table with categories or dates: pass such a table.")
    matrix = arrow_matrix(X) if columns is None else None
    if columns is not None or matrix is not None:
        if len(shape) != 2 and not isinstance(X, list | tuple):
            kind = type(X).__name__
            raise ValueError(f"Expected a table with rows and columns, got {kind} of shape {shape} instead.")
        _validated(estimator, X, reset=reset, skip_check_array=True)
        matrix = matrix if columns is None else columns.to_matrix(X)
        X = check_array(matrix, dtype=[np.float64, np.float32], ensure_all_finite=False, estimator=estimator)
    else:
        given = {"dtype": [np.float64, np.float32], "ensure_all_finite": False, "accept_sparse": _SPARSE}
        X = _validated(estimator, X, reset=reset, **given)
        X = dense(X) if issparse(X) else X
    names = getattr(estimator, "feature_names_in_", None)
    _check_finite(X, names if names is None or columns is None else columns.matrix_names(list(names)))
    return X


def _validated(estimator: Any, X: Any, **given: Any) -> Any:
    """Scikit-learn's `validate_data`, whose messages hold names of columns as they are."""
    try:
        return validate_data(estimator, X, **given)
    except ValueError as error:
        text = printable("\n".join(shortened(line) for line in str(error).splitlines()))
        if text == str(error).removesuffix("\n"):
            raise
        raise ValueError(text) from None


def _is_as_expected(estimator: Any, X: Any) -> bool:
    """Whether scikit-learn's checks would return X unchanged: for one row, they take longer than the prediction."""
    return (
        type(X) is np.ndarray
        and X.dtype in (np.float32, np.float64)
        and X.ndim == 2
        and len(X) > 0
        and X.shape[1] == estimator.n_features_in_
        and not hasattr(estimator, "feature_names_in_")
    )


def _check_finite(X: NDArray, names: Sequence[str] | None) -> None:
    """names: of the columns, if they have any."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(X.sum()):  # cheap, and infinity would show in the sum
            return
    for part in chunks(*X.shape):
        bad = np.flatnonzero(np.isinf(X[part]).any(axis=0))
        if bad.size:
            column = int(bad[0])
            name = f"column {column}" if names is None else f"column {names[column]!r}"
            raise ValueError(
                f"Input X contains infinity in {name}: replace such values first, by NaN if they are unknown, or drop "
                "those rows."
            )


def encode_labels(
    labels: NDArray, weights: NDArray[np.float64], classes: NDArray, class_weight: Any
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Labels as class indices, and the weights times the class weights. Rows of weight 0 may have any label."""
    try:
        y = np.searchsorted(classes, labels).clip(max=len(classes) - 1).astype(np.int32)
        unknown = (classes[y] != labels) & (weights > 0)
    except TypeError:  # text cannot be compared with numbers
        unknown = weights > 0
    if unknown.any():
        raise ValueError(
            f"y contains the label {quoted(labels[unknown][0])}, which is not one of the classes "
            f"{listed([quoted(label) for label in classes])}."
        )
    if class_weight is not None:
        used = weights > 0
        per_class = compute_class_weight(class_weight, classes=classes, y=classes[y[used]], sample_weight=weights[used])
        if not ((per_class >= 0) & np.isfinite(per_class)).all():
            raise ValueError("class_weight must not be negative, missing or infinite.")
        weights = _rescaled(weights * _rescaled(per_class)[y])
    return y, weights


def check_labels(labels: NDArray, name: str) -> None:
    """Refuse labels (n,) that cannot be classes: missing ones, several types at once, continuous numbers."""
    objects = labels if labels.dtype == object else ()
    kinds = {"str" if isinstance(label, str) else type(label).__name__ for label in objects}
    if len(kinds) > 1:  # they have no order
        raise ValueError(
            f"{name} contains labels of several types ({', '.join(sorted(kinds))}): use text only or numbers only, and "
            "drop rows without a label."
        )
    if labels.dtype.kind not in "OUbiuf" or kinds & {"bytes", "date", "datetime", "Timestamp"}:
        raise ValueError(f"{name} contains labels of the type {labels.dtype}: use text, integers or booleans.")
    assert_all_finite(labels, input_name=name)
    with np.errstate(invalid="ignore"):  # it compares floats with integers, which may be too small for them
        check_classification_targets(labels)


def are_classes(labels: NDArray) -> bool:
    """Whether labels, which may come from a file, can be `classes_`: at least two, of one type, in order."""
    values = labels.tolist()
    kinds = {type(value) for value in values}
    if len(values) < 2 or len(kinds) > 1 or not kinds <= {str, int, float, bool}:
        return False
    return all(first < second for first, second in pairwise(values))


def check_positive_integers(**values: Any) -> None:
    """Raise ValueError for the first of the named values that is not an integer of at least 1."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
            raise ValueError(f"{name}={value!r} is not allowed: give an integer of at least 1.")


def feature_names(estimator: Any) -> list[str]:
    """The names of the columns that an estimator was fitted to; x0, x1, ... where they had none."""
    return [str(name) for name in getattr(estimator, "feature_names_in_", default_names(estimator.n_features_in_))]


def matrix_names(estimator: Any) -> list[str]:
    """The names of the columns of the matrix that a fitted estimator reads tables as: dates become several."""
    columns, names = estimator._state.columns, feature_names(estimator)
    return names if columns is None else columns.matrix_names(names)


def default_names(n_features: int) -> list[str]:
    return [f"x{k}" for k in range(n_features)]


def quoted(label: Any) -> str:
    """A label as the user wrote it: 'few', not np.str_('few')."""
    return repr(label.item() if isinstance(label, np.generic) else label)
