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
