import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldnn._table.dates import date_text, time_text
from ldnn._table.schema import as_shown, rounded_up, roundest

finite = st.floats(-1e12, 1e12, allow_nan=False, allow_subnormal=False)


def n_digits(value):
    return len(f"{abs(value):.15g}".split("e")[0].replace(".", "").strip("0"))


@given(finite, finite)
def test_the_smallest_of_the_roundest_numbers(a, b):
    low, high = sorted((a, b))
    found, largest = rounded_up(low, high), roundest(low, high)
    assert low < found <= largest <= high or low == high == found
    assert n_digits(found) <= n_digits(largest)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(1.75, 1.84, 1.8), (1.75, 2.05, 2), (-1.84, -1.75, -1.8), (-0.1, 0.1, 0), (0, 0.07, 0.01), (7.1, 9.9, 8),
     (9e307, 1.7e308, 1e308), (2e-320, 4e-320, 4e-320)],
)  # fmt: skip
def test_round_numbers_above(low, high, expected):
    assert rounded_up(low, high) == expected


def test_dates_and_times():
    day = 18690 + 5 / 24 + 17.4 / 1440
    assert [date_text(rounded_up(day, day + room, "date")) for room in (1, 0.1, 0.01)] == [
        "2021-03-05",
        "2021-03-04 06:00",
        "2021-03-04 05:18",
    ]
    assert time_text(rounded_up(17.26, 17.4, "hour")) == "17:16"
    assert math.isclose(as_shown(day, "date"), 18690 + 5 / 24 + 1044 / 86400) and as_shown(1 / 3, "number") == 0.333333
