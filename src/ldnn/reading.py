"""Reading and checking what the user gives: tables, labels, weights. The part of the classifiers that knows how."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    assert_all_finite,
    check_array,
    check_consistent_length,
    column_or_1d,
    validate_data,
)

from .encode import Encoder
from .plan import Labelled
from .rows import Rows, chunks
from .state import Beginning
from .table import Columns, needs_columns


class ReadsTables:
    """A classifier's ways from the user's table to numbers; it has the parameters `normalize` and `class_weight`."""

    normalize: Any
    class_weight: Any
    n_features_in_: int

    def _read(
        self, X, y, sample_weight, columns: Columns | None, *, reset: bool
    ) -> tuple[NDArray, NDArray, NDArray[np.float64]]:
        """The table, its labels and its weights, checked."""
        X = self._read_table(X, columns, reset=reset)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        check_labels(y, "y")
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        return X, y, weights

    def _read_table(self, X, columns: Columns | None, *, reset: bool = False) -> NDArray:
        """X as float32 or float64, without infinity; missing values are NaN, categories are codes (see table.py)."""
        if columns is None and not reset and self._is_as_expected(X):
            self._check_finite(X)
            return X
        if columns is None and not reset and needs_columns(X, None):
            columns = Columns.learn(X, None)  # text will be refused
        if columns is not None:
            validate_data(self, X, reset=reset, skip_check_array=True)
            matrix = columns.read(X)
            X = check_array(matrix, dtype=np.float64, ensure_all_finite=False, estimator=self)
        else:
            X = validate_data(self, X, reset=reset, dtype=[np.float64, np.float32], ensure_all_finite=False)
        self._check_finite(X)
        return X

    def _is_as_expected(self, X) -> bool:
        """Whether scikit-learn's checks would give X back as it is: for one row, they take longer than all the rest."""
        return (
            type(X) is np.ndarray
            and X.dtype in (np.float32, np.float64)
            and X.ndim == 2
            and len(X) > 0
            and X.shape[1] == self.n_features_in_
            and not hasattr(self, "feature_names_in_")
        )

    def _check_finite(self, X: NDArray) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(X.sum()):  # a sum costs little, and infinity would show in it
                return
        for part in chunks(*X.shape):
            bad = np.flatnonzero(np.isinf(X[part]).any(axis=0))
            if bad.size:
                column = int(bad[0])
                names = getattr(self, "feature_names_in_", None)
                name = f"column {column}" if names is None else f"column {names[column]!r}"
                raise ValueError(
                    f"Input X contains infinity in {name}: replace such values first, by NaN if they are unknown, or "
                    "leave those rows out."
                )

    def _check_range(self, table: Labelled, encoder: Encoder) -> None:
        if self.normalize is not None or encoder.numbers.size == 0:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a column without any value
            largest = np.nanmax(np.abs(table.X[table.rows][:, encoder.numbers]))
        if largest > 1e6:
            warnings.warn(
                f"X holds values up to {largest:.3g} and normalize=None: half-spaces start with weights of length 1 "
                "and hardly move at such a scale. Use normalize='standard'."
            )

    def _encode_labels(
        self, labels: NDArray, weights: NDArray[np.float64], classes: NDArray
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Labels as class numbers, and the weights times the class weights. Rows of weight 0 may have any label."""
        codes = np.searchsorted(classes, labels).clip(max=len(classes) - 1).astype(np.int32)
        unknown = (classes[codes] != labels) & (weights > 0)
        if unknown.any():
            raise ValueError(
                f"The label {shown(labels[unknown][0])} is not among the classes {classes.tolist()}: only these can be "
                "learned."
            )
        if self.class_weight is not None:
            used = weights > 0
            per_class = compute_class_weight(
                self.class_weight, classes=classes, y=classes[codes[used]], sample_weight=weights[used]
            )
            if (per_class < 0).any():
                raise ValueError("class_weight must not be negative.")
            weights = weights * per_class[codes]
        return codes, weights

    def _read_validation(self, X, y, sample_weight, beginning: Beginning, encoder: Encoder) -> Rows:
        try:
            X, labels, weights = self._read(X, y, sample_weight, beginning.columns, reset=False)
            codes, weights = self._encode_labels(labels, weights, beginning.classes)
        except ValueError as error:
            raise ValueError(f"In the validation data: {error}") from None
        rows = np.flatnonzero(weights > 0)
        if rows.size == 0:
            raise ValueError("In the validation data: no row has a positive weight.")
        return Rows(*encoder.apply(X, rows, to_learn=True), codes[rows], weights[rows])


def check_labels(labels: NDArray, name: str) -> None:
    """Whether labels (n,) can be classes: text or whole numbers, none of them missing."""
    objects = labels if labels.dtype == object else ()
    kinds = {"str" if isinstance(label, str) else type(label).__name__ for label in objects}
    if len(kinds) > 1:  # they have no order
        raise ValueError(
            f"{name} holds labels of several kinds ({', '.join(sorted(kinds))}): give text only or numbers only, and "
            "leave out rows without a label."
        )
    assert_all_finite(labels, input_name=name)
    check_classification_targets(labels)


def shown(label: Any) -> str:
    """A label as the user wrote it: 'few', not np.str_('few')."""
    return repr(label.item() if isinstance(label, np.generic) else label)
