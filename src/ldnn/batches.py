"""Predictions for frames that are read batch by batch: lazy frames of Polars, and data frames of Spark.

>>> from ldnn.batches import predict_lazy
>>> predict_lazy(model, pl.scan_parquet("new.parquet")).sink_parquet("predictions.parquet")  # doctest: +SKIP
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._model.calibration import probabilities
from ._model.forward import predicted_classes
from ._table.checks import feature_names

__all__ = ["arrow_predictor", "arrow_schema", "predict_lazy"]

PREDICTION, PROBABILITY = "prediction", "probability_"


def predict_lazy(model: Any, frame: Any) -> Any:
    """Predictions for a Polars LazyFrame, as a LazyFrame that is computed batch by batch.

    Parameters
    ----------
    model : LDNNClassifier
        Fitted to named columns.
    frame : polars.LazyFrame
        It has the columns of the fit, in any order; other columns are passed through.

    Returns
    -------
    polars.LazyFrame
        The frame with a column `prediction` and one column `probability_...` per class.

    Examples
    --------
    >>> import polars as pl
    >>> from ldnn import LDNNClassifier
    >>> from ldnn.batches import predict_lazy
    >>> frame = pl.DataFrame({"a": [0.1, 0.2, 0.8, 0.9] * 10, "y": ["low", "low", "high", "high"] * 10})
    >>> model = LDNNClassifier(1, 1, max_epochs=20, random_state=0).fit(frame.select("a"), frame["y"])
    >>> predict_lazy(model, frame.lazy()).collect().columns
    ['a', 'y', 'prediction', 'probability_high', 'probability_low']
    """
    import polars as pl

    types = dict(frame.collect_schema())
    _check_absent(model, types)
    label = pl.Series(model.classes_.tolist()).dtype
    schema = {**types, PREDICTION: label, **dict.fromkeys(_probability_names(model), pl.Float64)}

    def predict(batch: Any) -> Any:
        labels, proba = _predict(model, batch.select(feature_names(model)), len(batch))
        new = [pl.Series(PREDICTION, labels.tolist(), dtype=label)]
        new += [
            pl.Series(name, np.ascontiguousarray(column))
            for name, column in zip(_probability_names(model), proba.T, strict=True)
        ]
        return batch.with_columns(new)

    return frame.map_batches(predict, schema=schema, streamable=True)


def arrow_predictor(model: Any) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """A function for Spark's `DataFrame.mapInArrow`: it takes Arrow record batches and yields them with predictions.

    Parameters
    ----------
    model : LDNNClassifier
        Fitted to named columns.

    Returns
    -------
    function
        It takes an iterator of `pyarrow.RecordBatch` and returns an iterator of batches with the columns of
        `arrow_schema`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from ldnn import LDNNClassifier
    >>> from ldnn.batches import arrow_predictor
    >>> batch = pa.RecordBatch.from_pydict({"a": [0.1, 0.2, 0.8, 0.9] * 10})
    >>> labels = ["low", "low", "high", "high"] * 10
    >>> model = LDNNClassifier(1, 1, max_epochs=20, random_state=0).fit(batch.to_pandas(), labels)
    >>> predicted = next(arrow_predictor(model)([batch]))  # Spark: frame.mapInArrow(arrow_predictor(model), schema)
    >>> predicted.schema.names
    ['a', 'prediction', 'probability_high', 'probability_low']
    """

    def predict(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            schema = arrow_schema(model, batch.schema)
            labels, proba = _predict(model, pa.Table.from_batches([batch]).select(feature_names(model)), batch.num_rows)
            new = [pa.array(labels.tolist(), schema.field(PREDICTION).type), *(pa.array(column) for column in proba.T)]
            yield pa.RecordBatch.from_arrays([*batch.columns, *new], schema=schema)

    return predict


def arrow_schema(model: Any, schema: Any) -> Any:
    """The Arrow schema of the batches that `arrow_predictor` yields.

    Parameters
    ----------
    model : LDNNClassifier
        Fitted to named columns.
    schema : pyarrow.Schema
        The schema of the input batches.

    Returns
    -------
    pyarrow.Schema
        The same columns, `prediction`, and one column `probability_...` per class.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from ldnn import LDNNClassifier
    >>> from ldnn.batches import arrow_schema
    >>> table = pa.table({"a": [0.1, 0.2, 0.8, 0.9] * 10, "y": ["low", "low", "high", "high"] * 10})
    >>> model = LDNNClassifier(1, 1, max_epochs=20, random_state=0).fit(table.select(["a"]), table["y"].to_pylist())
    >>> arrow_schema(model, table.schema).names
    ['a', 'y', 'prediction', 'probability_high', 'probability_low']
    """
    import pyarrow as pa

    _check_absent(model, schema.names)
    label = pa.array(model.classes_.tolist()).type
    new = [pa.field(PREDICTION, label), *(pa.field(name, pa.float64()) for name in _probability_names(model))]
    return pa.schema([*schema, *new])


def _predict(model: Any, table: Any, rows: int) -> tuple[NDArray, NDArray[np.float64]]:
    """Labels (n,) and probabilities (n, n_classes) of a batch, which may be empty."""
    if not rows:
        return model.classes_[:0], np.empty((0, len(model.classes_)))
    log_odds = model._log_odds(model._matrix(table))
    return model.classes_[predicted_classes(log_odds)], probabilities(log_odds, model.inverse_temperature_)


def _probability_names(model: Any) -> list[str]:
    return [f"{PROBABILITY}{label}" for label in model.classes_.tolist()]


def _check_absent(model: Any, names: Iterable[str]) -> None:
    """Refuse a frame that has columns with the names of the new ones already."""
    clash = {PREDICTION, *_probability_names(model)} & set(names)
    if clash:
        raise ValueError(f"The frame already has a column {min(clash)!r}: rename it first.")
