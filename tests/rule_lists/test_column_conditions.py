import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_lists import all_masks

from ldnn._rule_lists.bins import Bins
from ldnn._rule_lists.column_conditions import (
    CategoryCondition,
    RangeCondition,
    SumCondition,
    degree,
    readable_condition,
    width,
)
from ldnn._rule_lists.column_sums import ColumnSum
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


def test_limits_are_round_and_midway_and_of_integers_integers():
    X = np.array([[0.137, 1, 417], [0.1521, 2, 983], [0.9, 4, 1017], [1.1, 8, 4017]])
    bins = Bins.fit(X, np.array([False] * 3), [0] * 3, 8)
    schema = Schema(["x", "count", "gain"], [None] * 3, ["number"] * 3, np.array([False] * 3))

    def text(column, *inside):
        mask = np.isin(np.arange(5), inside)
        return readable_condition(column, mask, bins, schema).text(schema)

    assert text(0, 2, 3) == "x >= 0.7" and text(0, 0, 1) == "x <= 0.7" and text(0, 0) == "x <= 0.15"
    assert text(1, 2, 3) == "count >= 4" and text(1, 0, 1) == "count <= 3" and text(1, 1, 2) == "2 <= count <= 6"
    assert text(2, 2, 3) == "gain >= 1000" and text(2, 0, 1) == "gain <= 1000" and text(2, 0) == "gain <= 800"


@pytest.mark.parametrize("is_low", [True, False])
def test_integers_of_many_digits_are_rounded_within_few_rows(is_low):
    X = np.random.default_rng(0).normal(50_000, 9_000, size=(2000, 1)).round()
    bins = Bins.fit(X, np.array([False]), [0], 16)
    schema = Schema(["income"], [None], ["number"], np.array([False]))
    mask = np.append(np.arange(16) >= 5, False) if is_low else np.append(np.arange(16) < 5, False)
    condition = readable_condition(0, mask, bins, schema)
    limit = condition.low if is_low else condition.high
    assert limit.is_integer() and limit % 100 == 0
    assert np.mean(condition.holds(X) != mask[bins.codes(X)[:, 0]]) <= 0.005


def test_the_limits_of_sums():
    terms = ColumnSum((0, 2), (2.0, -1.0))
    matrix = np.array([[5.0, 0, 1], [1.0, 0, 1], [np.nan, 0, 1]])
    condition = SumCondition(terms, 3.0, math.inf, True)
    assert condition.holds(matrix).tolist() == [True, False, True] and condition.columns == (0, 2)
    assert condition.text(SCHEMA) == "2 x age - member >= 3 or missing"
    assert SumCondition(terms, -math.inf, 1e4, False).text(SCHEMA) == "2 x age - member <= 10,000"
    assert SumCondition(terms, 1, 2, False).text(SCHEMA) == "1 <= 2 x age - member <= 2"
    assert SumCondition(terms, math.inf, -math.inf, True).text(SCHEMA) == "2 x age - member is missing"


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


def test_degrees_say_how_far_conditions_hold():
    matrix = np.column_stack([np.append(np.linspace(0, 100, 201), np.nan), np.zeros(202), np.zeros(202), np.zeros(202)])
    above, between = RangeCondition(0, 40, math.inf, True), RangeCondition(0, 40, 60, False)
    own = width(above, matrix)
    assert 0 < own < 15
    found = degree(above, matrix, own)
    assert found[80] == 0.5 and (np.diff(found[:-1]) > 0).all()  # from 0 to 1
    assert found[-1] == 1 and degree(between, matrix, own)[-1] == 0  # missing
    assert degree(between, matrix, own).argmax() == 100
    np.testing.assert_array_equal(degree(above, matrix, 0.0), above.holds(matrix))


@pytest.mark.parametrize(
    "condition",
    [
        RangeCondition(0, math.inf, -math.inf, True),
        RangeCondition(0, -math.inf, math.inf, False),
        CategoryCondition(1, np.array([True, False, False]), False),
    ],
)
def test_conditions_without_limits_hold_or_do_not(condition):
    matrix = np.array([[1.0, 0.0], [np.nan, 1.0], [3.0, -1.0]])
    assert width(condition, matrix) == 0
    np.testing.assert_array_equal(degree(condition, matrix, 0.0), condition.holds(matrix))


def test_degrees_of_the_largest_numbers():
    matrix = np.array([[1e308], [-1e308], [0.0], [np.nan]])
    condition = RangeCondition(0, 1.0, math.inf, False)
    found = degree(condition, matrix, width(condition, matrix))
    assert ((found >= 0) & (found <= 1)).all()
