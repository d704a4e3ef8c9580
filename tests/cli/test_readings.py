"""Columns are read in other files as in the training file."""

import datetime as dt

import pyarrow as pa
import pytest

from ldnn.cli.readings import OddValueError, Reading, trimmed


def texts(*values):
    return pa.chunked_array([list(values)], pa.string())


@pytest.mark.parametrize(
    ("reading", "values", "expected"),
    [
        (Reading("number"), ["1.5", None], [1.5, None]),
        (Reading("number"), [" 1.5 ", " NA "], [1.5, None]),
        (Reading("number", ",", "."), ["1.234,5", "7"], [1234.5, 7.0]),
        (Reading("number", missing=("-",)), ["1", "-"], [1.0, None]),
        (Reading("truth"), ["TRUE", " false", "1"], [True, False, True]),
        (Reading("text"), [" x ", "", "y"], ["x", None, "y"]),
        (Reading("text", spellings={"yes": "Yes"}), ["YES", "yes ", "No"], ["Yes", "Yes", "No"]),
        (Reading("date", order="dmy"), ["05.03.2021"], [dt.datetime(2021, 3, 5)]),
        (Reading("time"), ["10:30"], [dt.time(10, 30)]),
    ],
)
def test_reading(reading, values, expected):
    assert reading.read(texts(*values), ["", "NA"]).to_pylist() == expected
    assert Reading.from_dict(reading.to_dict()) == reading


@pytest.mark.parametrize("kind", ["number", "truth", "date", "time"])
def test_odd_values(kind):
    with pytest.raises(OddValueError, match="odd") as found:
        Reading(kind).read(texts(None, "odd "), [])
    assert found.value.row == 1


def test_signs_and_separators_as_in_training():
    """In another file, 0.12 may stand for 12 %, and 03/05/2021 for the third of May."""
    assert Reading("number", ".", ",", "$").read(texts("5", "$7"), []).to_pylist() == [5, 7]
    for reading, text in (
        (Reading("number", ".", ",", "%"), "0.12"),
        (Reading("number", ".", ",", "kg"), "5"),
        (Reading("date", order="dmy", separator="."), "03/05/2021"),
    ):
        with pytest.raises(OddValueError):
            reading.read(texts(text), [])
    asked = Reading("date", order="dmy", separator=".").with_options(None, "mdy")
    assert asked.read(texts("03/05/2021"), []).to_pylist() == [dt.datetime(2021, 3, 5)]


def test_what_cannot_be_seen_makes_no_difference():
    assert trimmed(texts("yes\u200b", "\ufeffyes", "o\u0308l"), []).to_pylist() == ["yes", "yes", "öl"]


def test_columns_of_other_types():
    assert Reading("number").cast(pa.chunked_array([[True, False]]), []).to_pylist() == [1.0, 0.0]
    assert Reading("text").cast(pa.chunked_array([[1, 2]]), []).to_pylist() == ["1", "2"]
    halves = pa.chunked_array([pa.array([1.5], pa.float32())])
    assert Reading("number").cast(halves, []).type == pa.float32()
    dates = pa.chunked_array([[dt.date(2021, 3, 5)]])
    assert Reading("date").cast(dates, []) == dates
    for reading, column in ((Reading("number"), dates), (Reading("date"), halves)):
        with pytest.raises(pa.ArrowInvalid):
            reading.cast(column, [])


def test_kinds_of_types():
    kinds = {pa.int64(): "number", pa.bool_(): "truth", pa.date32(): "date", pa.time32("s"): "time"}
    assert {kind: Reading.of_type(kind).kind for kind in kinds} == kinds
    assert Reading.of_type(pa.timestamp("s", "UTC")).has_zone


def test_options_of_another_file():
    assert Reading("number").with_options(",", None) == Reading("number", ",", ".")
    assert Reading("number", ",", ".").with_options(",", None) == Reading("number", ",", ".")
    assert Reading("date").with_options(None, "mdy") == Reading("date", order="mdy")


def test_trimmed():
    assert trimmed(texts(" a ", " ? ", None), ["?"]).to_pylist() == ["a", None, None]
