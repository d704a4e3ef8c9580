"""Dates and times of every kind of table become numbers, and are shown as dates again."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from configurations import plain

import ldnn
from ldnn._table.columns import Columns
from ldnn._table.dates import DateColumn, date_text, round_date, time_text
from ldnn.comparison.peer_classifiers import peers
from ldnn.plotting import BoundaryDisplay
from ldnn.rules import explain, importance, rules

ROWS = 240
START = dt.datetime(2020, 1, 1, 6, 30)


@pytest.fixture(scope="module")
def signed():
    """Times that are 3.25 days apart, one of them missing."""
    return [None if k == 5 else START + dt.timedelta(days=3.25 * k) for k in range(ROWS)]


@pytest.fixture(scope="module")
def frames(signed):
    """The same table in all kinds of data frames."""
    amount = np.random.default_rng(0).normal(size=ROWS)
    as_pandas = pd.DataFrame({"signed": pd.to_datetime(signed), "amount": amount})
    as_arrow = pa.table({"signed": pa.array(signed, pa.timestamp("ms")), "amount": amount})
    return {
        "pandas": as_pandas,
        "polars": pl.DataFrame({"signed": signed, "amount": amount}),
        "arrow": as_arrow,
        "pandas of arrow": as_arrow.to_pandas(types_mapper=pd.ArrowDtype),
        "objects": pd.DataFrame({"signed": pd.Series(signed, dtype=object), "amount": amount}),
    }


@pytest.fixture(scope="module")
def y(frames):
    """Later than a date, or on a weekend."""
    signed = frames["pandas"]["signed"]
    return np.where((signed >= "2021-03-05") | (signed.dt.day_of_week >= 5), "yes", "no")


@pytest.fixture(scope="module")
def model(frames, y):
    return ldnn.LDNNClassifier(effort=0.1, random_state=0).fit(frames["pandas"], y)


def test_a_column_of_dates_becomes_several(frames):
    columns = Columns.fit(frames["pandas"], "from_dtype")
    assert columns.matrix_names(["signed", "amount"]) == [
        "signed", "signed: month", "signed: weekday", "signed: hour", "amount"
    ]  # fmt: skip
    assert columns.units == ["date", "number", "category", "hour", "number"]
    row = columns.to_matrix(frames["pandas"])[1]
    assert row[:4].tolist() == [18265.520833333332, 1.0, 5.0, 12.5]  # Saturday, 4 January 2020, 12:30
    assert np.isnan(columns.to_matrix(frames["pandas"])[5, :4]).all()


@pytest.mark.parametrize("kind", ["polars", "arrow", "pandas of arrow", "objects"])
def test_all_kinds_of_tables_are_read_alike(frames, model, kind):
    columns = Columns.fit(frames["pandas"], "from_dtype")
    assert Columns.fit(frames[kind], "from_dtype").dates == columns.dates
    np.testing.assert_array_equal(columns.to_matrix(frames[kind]), columns.to_matrix(frames["pandas"]))
    np.testing.assert_array_equal(model.predict_proba(frames[kind]), model.predict_proba(frames["pandas"]))


def test_only_parts_that_vary_are_used():
    def parts(*values):
        return DateColumn.fit(np.array(values, dtype="M8[m]")).parts

    assert parts("2020-01-01", "2020-01-05") == ("date",)
    assert parts("2020-01-01", "2020-03-05") == ("date", "weekday")
    assert parts("2020-01-01", "2022-03-05") == ("date", "month", "weekday")
    assert parts("2020-01-01T10:00", "2020-01-02T11:00") == ("date", "hour")
    assert parts("NaT", "NaT") == ("date",)


def test_times_of_day_and_durations():
    table = pl.DataFrame({"start": [dt.time(7, 30), None], "length": [dt.timedelta(hours=6), None]})
    columns = Columns.fit(table, "from_dtype")
    assert columns.matrix_names(["start", "length"]) == ["start", "length"] and columns.units == ["hour", "number"]
    np.testing.assert_array_equal(columns.to_matrix(table), [[7.5, 0.25], [np.nan, np.nan]])


def test_time_zones(signed):
    naive = pl.DataFrame({"signed": signed})
    berlin = naive.with_columns(pl.col("signed").dt.replace_time_zone("Europe/Berlin"))
    columns = Columns.fit(berlin, "from_dtype")
    in_utc = berlin.with_columns(pl.col("signed").dt.convert_time_zone("UTC"))
    np.testing.assert_array_equal(columns.to_matrix(in_utc), columns.to_matrix(berlin))
    np.testing.assert_array_equal(columns.to_matrix(berlin), Columns.fit(naive, "from_dtype").to_matrix(naive))
    with pytest.raises(ValueError, match="'signed' .*times lack the zone 'Europe/Berlin'"):
        columns.to_matrix(naive)
    with pytest.raises(ValueError, match="'signed' .*times have a zone, which they did not have in the fit"):
        Columns.fit(naive, "from_dtype").to_matrix(berlin)


def test_other_types_at_prediction(frames, model):
    texts = frames["pandas"].assign(signed=frames["pandas"]["signed"].dt.strftime("%Y-%m-%dT%H:%M:%S"))
    np.testing.assert_array_equal(model.predict_proba(texts), model.predict_proba(frames["pandas"]))
    with pytest.raises(ValueError, match="'signed' does not hold the dates that were expected: .*31.01.2022"):
        model.predict(texts.assign(signed="31.01.2022"))
    with pytest.raises(ValueError, match="'signed' holds .*, where dates were expected"):
        model.predict(texts.assign(signed=3.0))
    with pytest.raises(ValueError, match="'amount' holds dates or times, where numbers were expected"):
        model.predict(frames["pandas"].assign(amount=frames["pandas"]["signed"]))
    with pytest.raises(ValueError, match="'signed' holds dates: turn them into text first"):
        ldnn.LDNNClassifier(categorical_features=["signed"]).fit(frames["pandas"], [0, 1] * (ROWS // 2))


def test_the_model_knows_the_columns_of_the_user(frames, y, model, tmp_path):
    assert list(model.feature_names_in_) == ["signed", "amount"] and model.n_features_in_ == 2
    assert model.score(frames["pandas"], y) > 0.9
    ldnn.save(model, tmp_path / "m.ldnn")
    loaded = ldnn.load(tmp_path / "m.ldnn")
    np.testing.assert_array_equal(loaded.predict_proba(frames["polars"]), model.predict_proba(frames["polars"]))
    with pytest.raises(ValueError, match="Column 'signed' holds dates, for which ONNX has no type"):
        ldnn.to_onnx(model, tmp_path / "m.onnx")
    assert len(model.terms_) == model.weights_.shape[-1]


def test_fit_in_parts_is_consistent(frames, y):
    model = plain(2, 2, max_epochs=2)
    for rows in (slice(0, 200), slice(200, None)):
        model.partial_fit(frames["pandas"][rows], y[rows], classes=["no", "yes"])
    assert model.predict(frames["pandas"]).shape == (ROWS,)


def test_rules_explanations_and_plots_show_dates(frames, y, model):
    table = frames["pandas"]
    assert set(importance(model, table)) == {"signed", "signed: month", "signed: weekday", "signed: hour", "amount"}
    text = str(rules(model, table, y))
    assert "2021-03" in text or "signed: weekday" in text
    explanation = explain(model, table.iloc[[100]], table)
    assert explanation.columns["signed"][0] == "2020-11-21 06:30"
    assert explain(model, table.iloc[100].to_dict()).columns["signed: weekday"][0] == "Sat"
    display = BoundaryDisplay.from_estimator(model, table, y, columns=("signed", "amount"), resolution=20)
    display.figure_.canvas.draw()
    ticks = [tick.get_text() for tick in display.ax_.get_xticklabels()]
    assert "2021" in ticks or any("2021" in tick or tick in ("Jan", "Jul") for tick in ticks)


def test_other_classifiers_take_dates(frames, y):
    labels = (y == "yes").astype(int)
    makers = peers(frames["pandas"])
    for name in ("HistGradientBoosting", "random forest"):
        fitted = makers[name]().fit(frames["pandas"][:200], labels[:200])
        assert fitted.predict(frames["pandas"]).shape == (ROWS,)


def test_dates_as_texts():
    assert date_text(0.0) == "1970-01-01" and date_text(-1.0) == "1969-12-31"
    assert date_text(18691.5) == "2021-03-05 12:00" and date_text(18691 + 1 / 86400) == "2021-03-05 00:00:01"
    assert time_text(17.5) == "17:30" and time_text(0.0) == "00:00" and time_text(1 / 3600) == "00:00:01"


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        ("2020-11-20", "2021-03-05", "2021-01-01"),
        ("2021-02-20", "2021-03-05", "2021-03-01"),
        ("2021-03-04", "2021-03-05T12:00", "2021-03-05"),
        ("2021-03-05T10:10", "2021-03-05T12:10", "2021-03-05 12:00"),
    ],
)
def test_round_dates(low, high, expected):
    low, high = ((np.datetime64(time, "m") - np.datetime64(0, "D")) / np.timedelta64(1, "D") for time in (low, high))
    assert low < round_date(low, high) <= high
    assert date_text(round_date(low, high)) == expected


def test_a_column_of_missing_numbers_has_no_dates():
    column = DateColumn.fit(np.array(["2020-01-01", "2020-03-01"], dtype="M8[D]"))
    assert np.isnan(column.expand(np.full(3, np.nan), "Column 'd'")).all()
    with pytest.raises(ValueError, match="Column 'd' holds 3.5, where dates were expected"):
        column.expand(np.array([np.nan, 3.5]), "Column 'd'")


@pytest.mark.parametrize(
    "values", [[dt.time(9, 30)], [None, dt.time(9, 30)], ["09:30:00"], [dt.date(2020, 1, 1), dt.time(9)]]
)
def test_times_of_day_are_no_dates(values):
    dates = DateColumn.fit(np.array(["2020-01-01", "2020-03-01"], dtype="M8[D]"))
    column = np.array(values, dtype=object)
    with pytest.raises(ValueError, match="Column 'd' does not hold the dates that were expected: .* is a time of day"):
        dates.expand(column, "Column 'd'")


@pytest.mark.parametrize("values", [["2020-01-01"], [dt.date(2020, 1, 1)], np.array(["2020-01-01"], dtype="M8[D]")])
def test_dates_are_no_times_of_day(values):
    times = DateColumn.fit(np.array([dt.time(9, 30), None], dtype=object))
    column = values if isinstance(values, np.ndarray) else np.array(values, dtype=object)
    with pytest.raises(ValueError, match="these are dates, not times of day"):
        times.expand(column, "Column 'd'")
    assert np.isnan(times.expand(np.array(["NaT"], dtype="M8[D]"), "Column 'd'")).all()
