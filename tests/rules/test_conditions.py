"""Conditions: what they say is what they ask for."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldnn._table.schema import Schema, number, roundest
from ldnn.rules.conditions import Condition, Levels, Slope, Steps

finite = st.floats(-1e12, 1e12, allow_nan=False, allow_subnormal=False)


@given(finite, finite)
def test_round_numbers_lie_between(a, b):
    low, high = sorted((a, b))
    found = roundest(low, high)
    assert low < found <= high or low == high == found
    shorter = float(f"{found:.{max(1, len(re.sub('[^0-9]', '', number(found)).strip('0'))) - 1}e}")
    assert math.isclose(shorter, found, rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(35, 36, 36), (35.2, 36.9, 36), (0.141, 0.1623, 0.15), (-3, 4, 0), (-7.3, -6.8, -7), (4.98, 5.02, 5),
     (119.3, 120.7, 120), (5059, 5178, 5100), (2, 2, 2), (9e307, 1.7e308, 1e308), (2e-320, 4e-320, 4e-320),
     (-1.7e308, -1.2e308, -1.5e308)],
)  # fmt: skip
def test_round_numbers(low, high, expected):
    found = roundest(low, high)
    assert low < found <= high or low == high
    assert found == expected or len(number(found)) <= len(number(expected))


SCHEMA = Schema(
    ["age", "city", "bmi", "signed", "start"],
    [None, np.array(["Lima", "Oslo", "Rome"], object), None, None, None],
    ["number", "category", "number", "date", "hour"],
    np.array([True, True, False, False, False]),
)


@pytest.mark.parametrize(
    ("effects", "threshold", "text"),
    [
        ([Slope(0, 1.0, 0.0)], 36.0, "age >= 36"),
        ([Slope(0, -1.0, 0.0)], -36.5, "age <= 36.5 or missing"),
        ([Slope(2, 1.0, 99.0)], 0.25, "bmi >= 0.25"),
        ([Slope(3, 1.0, 0.0)], 18691.0, "signed >= 2021-03-05"),
        ([Slope(3, 1.0, 0.0), Slope(2, 2.0, 0.0)], 18691.0, "days(signed) + 2 × bmi >= 18,691"),  # noqa: RUF001
        ([Steps(3, np.array([18628, 18691.5]), np.eye(3)[1], 0.0)], 1.0, "signed 2021-01-01 to 2021-03-05 12:00"),
        ([Steps(4, np.array([17.5]), np.array([0.0, 1]), 0.0)], 1.0, "start from 17:30"),
        ([Slope(2, 1.0, 0.0), Slope(0, -0.35, 0.0)], 21.0, "bmi - 0.35 × age >= 21"),  # noqa: RUF001
        ([Slope(2, -1.0, 0.0), Slope(0, 2.0, 0.0)], -3.5, "2 × age - bmi >= -3.5"),  # noqa: RUF001
        ([Slope(2, -1.0, 0.0), Slope(0, -2.0, 0.0)], -3.5, "bmi + 2 × age <= 3.5"),  # noqa: RUF001
        ([Steps(0, np.array([35.0, 60.0]), np.array([0.0, 2.0, 1.0]), 0.0)], 2.0, "age 35 to 60"),
        ([Steps(0, np.array([35.0, 60.0]), np.array([2.0, 0.0, 1.0]), 5.0)], 1.0, "age below 35 or from 60 or missing"),
        ([Steps(0, np.array([5.0, 12000.0]), np.array([0.0, 1.0, 2.0]), 0.0)], 1.0, "age from 5"),
        ([Levels(1, np.array([1.0, 0.0, 1.0]), 0.0)], 1.0, "city is not Oslo and not missing"),
        ([Levels(1, np.array([0.0, 0.0, 1.0]), 0.0)], 1.0, "city is Rome"),
        ([Levels(1, np.array([0.0, 0.0, 1.0]), 1.0)], 1.0, "city is Rome or missing"),
        (
            [Levels(1, np.array([0.0, 0.0, 4.0]), 0.0), Steps(2, np.array([25.0]), np.array([0.0, 7.0]), 0.0)],
            7.0,
            "at least 7 points (city: Rome 4, Lima, Oslo 0, missing 0; bmi: below 25 0, from 25 7)",
        ),
    ],
)  # fmt: skip
def test_conditions_in_words(effects, threshold, text):
    assert Condition(tuple(effects), threshold).text(SCHEMA) == text


def test_conditions_hold_as_they_say():
    matrix = np.array([[40, 2, 30], [20, 2, 20], [np.nan, -1, 26], [60, np.nan, 26]], float)
    age = Steps(0, np.array([35.0, 60.0]), np.array([0.0, 2.0, 1.0]), 5.0)
    city = Levels(1, np.array([0.0, 0.0, 4.0]), 1.0)
    bmi = Slope(2, 1.0, 0.0)
    np.testing.assert_array_equal(age.points(matrix[:, 0]), [2, 0, 5, 1])
    np.testing.assert_array_equal(city.points(matrix[:, 1]), [4, 4, 1, 1])
    np.testing.assert_array_equal(Condition((age, city, bmi), 33.0).holds(matrix), [True, False, False, False])
    np.testing.assert_array_equal(Condition((bmi,), 26.0).holds(matrix), [True, False, True, True])
