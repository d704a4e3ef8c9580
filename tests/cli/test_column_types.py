"""Columns of numbers, truth values, dates and text; others are refused."""

import datetime as dt
import math

import numpy as np
import pyarrow as pa
import pytest

from ldnn.cli.column_types import as_floats, missing_as_nan, to_readable_type
from ldnn.cli.messages import UserError


def test_missing_numbers_and_truth_values_become_nan():
    table = pa.table({"n": [1, None], "t": [True, None], "s": ["x", None], "whole": [1, 2]})
    filled = missing_as_nan(table)
    assert filled["n"][0].as_py() == filled["t"][0].as_py() == 1.0
    assert math.isnan(filled["n"][1].as_py()) and math.isnan(filled["t"][1].as_py())
    assert filled["s"].to_pylist() == ["x", None]
    assert filled["whole"].type == pa.int64()


def test_types_of_parquet_files():
    durations = pa.chunked_array([[dt.timedelta(hours=6), None]])
    assert to_readable_type(durations, "d", False).to_pylist() == [0.25, None]
    codes = pa.chunked_array([pa.array(["x", "y"]).dictionary_encode()])
    assert to_readable_type(codes, "c", False).type == pa.string()
    assert to_readable_type(pa.chunked_array([[1, 2]]), "n", True).to_pylist() == ["1", "2"]
    with pytest.raises(UserError, match="Column 'l' holds values of type list.*--ignore l"):
        to_readable_type(pa.chunked_array([[[1], [2]]]), "l", False)


def test_numbers_and_days():
    np.testing.assert_array_equal(as_floats(pa.chunked_array([[1, None]])), [1.0, np.nan])
    np.testing.assert_array_equal(as_floats(pa.chunked_array([[dt.date(1970, 1, 2), None]])), [1.0, np.nan])
    np.testing.assert_array_equal(as_floats(pa.chunked_array([[dt.datetime(1970, 1, 2, 12)]])), [1.5])
    assert as_floats(pa.chunked_array([["x"]])) is None


def test_values_that_no_float_holds_are_rounded():
    far = pa.chunked_array([[dt.datetime(9999, 12, 31, 12)]])
    assert as_floats(far)[0] == pytest.approx((dt.date(9999, 12, 31) - dt.date(1970, 1, 1)).days + 0.5)
    assert as_floats(pa.chunked_array([[2**60 + 1]]))[0] == 2.0**60
    assert missing_as_nan(pa.table({"n": [2**60 + 1, None]}))["n"][0].as_py() == 2.0**60
    long = pa.chunked_array([pa.array([2**62], pa.duration("us"))])
    assert to_readable_type(long, "d", False)[0].as_py() == pytest.approx(2**62 / 86_400e6)
    for kind in (pa.timestamp("ns"), pa.timestamp("ns", "UTC")):
        assert as_floats(pa.chunked_array([pa.array([86_400 * 10**9 + 789], kind)]))[0] == pytest.approx(1.0)
    assert to_readable_type(pa.chunked_array([pa.array([7], pa.duration("ns"))]), "d", False)[0].as_py() == 0.0


def test_views_of_text_are_text():
    assert to_readable_type(pa.chunked_array([pa.array(["x", None], pa.string_view())]), "v", False).type == pa.string()
