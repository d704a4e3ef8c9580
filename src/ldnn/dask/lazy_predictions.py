"""Predictions for Dask collections, lazily and partition by partition, with types that are known beforehand."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .partitions import in_whole_rows


def lazily(X: Any, model: Any, method: str) -> Any:
    """The method of a model for each partition of X: a Dask Series or DataFrame for a DataFrame, else an Array.

    The columns of a DataFrame of probabilities are named after the classes.
    """
    if hasattr(X, "divisions"):
        return X.map_partitions(_of_frame, model, method, meta=_of_frame(X._meta_nonempty.iloc[:0], model, method))
    X = in_whole_rows(X)
    empty = _empty(model, method)
    if empty.ndim == 1:
        return X.map_blocks(_of_array, model, method, dtype=empty.dtype, drop_axis=1, meta=empty)
    chunks = X.chunks[0], (empty.shape[1],)
    return X.map_blocks(_of_array, model, method, dtype=empty.dtype, chunks=chunks, meta=empty)


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
