import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_lists import all_masks

from ldnn._rule_lists.bins import Bins
from ldnn._rule_lists.column_conditions import CategoryCondition, RangeCondition, readable_condition
from ldnn._table.schema import Schema

SCHEMA = Schema(
    ["age", "colour", "member", "signed"],
    [None, np.array(["blue", "green", "red"], dtype=object), None, None],
    ["number", "category", "flag", "date"],
    np.array([True, False, False, False]),
)


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (RangeCondition(0, 18, math.inf, False), "age >= 18"),
        (RangeCondition(0, -math.inf, 117, True), "age <= 117 or missing"),
        (RangeCondition(0, 18.5, 65, False), "18.5 <= age <= 65"),
        (RangeCondition(0, 3, 3, False), "age = 3"),
        (RangeCondition(0, math.inf, -math.inf, True), "age is missing"),
        (RangeCondition(0, -math.inf, math.inf, False), "age is not missing"),
        (RangeCondition(2, 1, math.inf, False), "member"),
        (RangeCondition(2, -math.inf, 0, False), "not member"),
        (RangeCondition(3, 19000, math.inf, False), "signed >= 2022-01-08"),
        (CategoryCondition(1, np.array([True, False, False]), False), "colour is blue"),
        (CategoryCondition(1, np.array([True, False, True]), False), "colour in {blue, red}"),
        (CategoryCondition(1, np.array([True, False, True]), True), "colour is not green"),
        (CategoryCondition(1, np.array([False, False, False]), True), "colour is missing or unknown"),
    ],
)
def test_texts(condition, text):
    assert condition.text(SCHEMA) == text


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6) | st.just(np.nan), min_size=3, max_size=60), st.integers(0, 2**16))
def test_readable_conditions_hold_for_the_same_rows(values, number):
    X = np.array(values)[:, None]
    bins = Bins.fit(X, np.array([False]), [0], 8)
    schema = Schema(["x"], [None], ["number"], np.array([True]))
    masks = list(all_masks(bins, 0))
    mask = masks[number % len(masks)]
    condition = readable_condition(0, mask, bins, schema)
    np.testing.assert_array_equal(condition.holds(X), mask[bins.codes(X)[:, 0]])


def test_numbers_are_round_and_midway_but_integers_are_those_of_the_table():
    X = np.array([[0.137, 1], [0.1521, 2], [0.9, 4], [1.1, 8]])
    bins = Bins.fit(X, np.array([False, False]), [0, 0], 8)
    schema = Schema(["x", "count"], [None, None], ["number", "number"], np.array([False, False]))

    def text(column, *inside):
        mask = np.isin(np.arange(5), inside)
        return readable_condition(column, mask, bins, schema).text(schema)

    assert text(0, 2, 3) == "x >= 0.7" and text(0, 0, 1) == "x <= 0.7" and text(0, 0) == "x <= 0.15"
    assert text(1, 2, 3) == "count >= 4" and text(1, 0, 1) == "count <= 2" and text(1, 1, 2) == "2 <= count <= 4"


def test_limits_of_many_digits_move_by_few_rows():
    X = np.random.default_rng(0).normal(1000, 100, size=(2000, 1)).round(2)
    bins = Bins.fit(X, np.array([False]), [0], 16)
    schema = Schema(["area"], [None], ["number"], np.array([False]))
    mask = np.arange(17) >= 5
    condition = readable_condition(0, mask, bins, schema)
    assert len(condition.text(schema)) <= len("area >= 950")
    assert np.mean(condition.holds(X) != mask[bins.codes(X)[:, 0]]) <= 0.005


def test_unknown_categories_are_like_missing_ones():
    condition = CategoryCondition(1, np.array([True, False, False]), True)
    matrix = np.array([[0, 0.0], [0, 1.0], [0, -1.0], [0, np.nan]])
    assert condition.holds(matrix).tolist() == [True, False, True, True]
