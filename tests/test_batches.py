"""Predictions batch by batch are those in memory, bit for bit, with the types that the schema promises."""

import numpy as np
import pytest

from ldnn import LDNNClassifier
from ldnn.batches import arrow_predictor, arrow_schema, predict_lazy

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(0)
    numbers = random.normal(size=(300, 2))
    colours = random.choice(["red", "blue"], 300)
    frame = pl.DataFrame({"a": numbers[:, 0], "b": numbers[:, 1], "colour": colours, "id": np.arange(300)})
    return frame.with_columns(pl.when(pl.col("id") % 7 == 0).then(None).otherwise(pl.col("b")).alias("b"))


@pytest.fixture(scope="module")
def model(frame):
    y = np.where((frame["a"] > 0).to_numpy() ^ (frame["colour"] == "red").to_numpy(), "yes", "no")
    parameters = {"discriminant": "linear", "max_epochs": 5, "learning_rate": 0.2, "loss": "squared", "n_estimators": 1}
    return LDNNClassifier(2, 2, random_state=0, **parameters).fit(frame.drop("id"), y)


def test_lazy_frames(model, frame):
    lazy = predict_lazy(model, frame.lazy().select("colour", "id", "b", "a"))  # columns in another order
    found = lazy.collect(engine="streaming")
    assert isinstance(lazy, pl.LazyFrame)
    assert found.schema == lazy.collect_schema()
    X = frame.drop("id")
    assert found["prediction"].to_list() == model.predict(X).tolist()
    assert np.array_equal(found.select("probability_no", "probability_yes").to_numpy(), model.predict_proba(X))
    with pytest.raises(ValueError, match="already has a column 'prediction'"):
        predict_lazy(model, lazy)


def test_an_empty_lazy_frame(model, frame):
    found = predict_lazy(model, frame.lazy().filter(pl.col("a") > 100)).collect()
    assert found.shape == (0, 7)


def test_arrow_batches(model, frame):
    table = frame.to_arrow()
    batches = [*table.to_batches(max_chunksize=64), pa.RecordBatch.from_pylist([], schema=table.schema)]
    found = pa.Table.from_batches(list(arrow_predictor(model)(iter(batches))))
    assert found.schema == arrow_schema(model, table.schema)
    X = frame.drop("id")
    assert found["prediction"].to_pylist() == model.predict(X).tolist()
    proba = np.column_stack([found["probability_no"], found["probability_yes"]])
    assert np.array_equal(proba, model.predict_proba(X))
    with pytest.raises(ValueError, match="already has a column 'prediction'"):
        next(arrow_predictor(model)(found.to_batches()))
