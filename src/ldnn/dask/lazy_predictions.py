"""Predictions for Dask collections, lazily and partition by partition, with types that are known beforehand."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .partitions import in_whole_rows


def lazily(X: Any, model: Any, method: str) -> Any:
    """The method of a model for each partition of X: a Dask Series or DataFrame for a DataFrame, else an Array.

    The columns of a DataFrame of probabilities are named after the classes. X may have columns that the model does not
    know, such as the labels.
    """
    if hasattr(X, "divisions"):
        X = _columns_of_fit(X, list(getattr(model, "feature_names_in_", [])))
        return X.map_partitions(_of_frame, model, method, meta=_of_frame(X._meta_nonempty.iloc[:0], model, method))
    X = in_whole_rows(X)
    empty = _empty(model, method)
    if empty.ndim == 1:
        return X.map_blocks(_of_array, model, method, dtype=empty.dtype, drop_axis=1, meta=empty)
    chunks = X.chunks[0], (empty.shape[1],)
    return X.map_blocks(_of_array, model, method, dtype=empty.dtype, chunks=chunks, meta=empty)


def _columns_of_fit(X: Any, names: list[str]) -> Any:
    """A frame without the columns that the model does not know; refused at once if one is lacking."""
    lacking = [name for name in names if name not in X.columns]
    if lacking:
        raise ValueError(f"X has no column {lacking[0]!r}, which the model was fitted to.")
    return X[names] if names and names != list(X.columns) else X


def _of_array(X: NDArray, model: Any, method: str) -> NDArray:
    return getattr(model, method)(X) if len(X) else _empty(model, method)


def _of_frame(X: Any, model: Any, method: str) -> Any:
    """For a pandas DataFrame; its index stays."""
    import pandas as pd

    values = _of_array(X, model, method)
    if method == "predict":
        kind = pd.Series(model.classes_).dtype  # pandas would not find it in no values
        return pd.Series(values, index=X.index, name="prediction", dtype=kind)
    if values.ndim == 1:
        return pd.Series(values, index=X.index, name=method)
    return pd.DataFrame(values, index=X.index, columns=[str(label) for label in model.classes_])


def _empty(model: Any, method: str) -> NDArray:
    """What a method returns for no rows."""
    n_classes = len(model.classes_)
    if method == "predict":
        return np.empty(0, dtype=model.classes_.dtype)
    return np.empty(0) if method == "decision_function" and n_classes == 2 else np.empty((0, n_classes))
