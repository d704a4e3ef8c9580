"""Rows outside of the ranges of training are counted."""

import datetime as dt

import pyarrow as pa

from ldnn.cli.value_ranges import rows_outside, value_ranges, widened


def test_ranges():
    table = pa.table(
        {"n": [1, 5, None], "d": [dt.date(1970, 1, 2)] * 3, "s": ["x"] * 3, "e": pa.array([None] * 3, pa.float64())}
    )
    ranges = value_ranges(table)
    assert ranges == {"n": (1.0, 5.0), "d": (1.0, 1.0)}
    other = pa.table({"n": [0, 3, 6], "d": [dt.date(1970, 1, 2), None, dt.date(1970, 1, 3)], "s": ["y"] * 3})
    assert rows_outside(other, ranges) == {"n": 2, "d": 1}
    assert widened(ranges, value_ranges(other)) == {"n": (0.0, 6.0), "d": (1.0, 2.0)}


def test_rounded_values_are_not_outside():
    ranges = value_ranges(pa.table({"n": [-12.13, 111.32]}))
    in_decimals = pa.array(["-12.13", "111.32"]).cast(pa.decimal128(6, 2)).cast(pa.float64())  # 111.32000000000001
    for rounded in (pa.array([-12.13, 111.32], pa.float32()), in_decimals):
        assert rows_outside(pa.table({"n": rounded}), ranges) == {"n": 0}
    assert rows_outside(pa.table({"n": [-12.14, 111.33]}), ranges) == {"n": 2}
