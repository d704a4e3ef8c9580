import numpy as np
import pytest
from rule_cells import random_case, rule_model

from ldnn._rule_lists.column_conditions import CategoryCondition, RangeCondition, SumCondition
from ldnn._rule_lists.column_sums import ColumnSum
from ldnn._rule_lists.nearest_row import nearest_row
from ldnn._rule_lists.row_region import RowSpace, column
from ldnn._rule_lists.rule_model import ColumnRule

AGE = RangeCondition(0, 20.5, 40.0, False)
COLOUR = CategoryCondition(1, np.array([True, False, False]), True)
SUM = SumCondition(ColumnSum((0, 2), (1.0, -2.0)), 3.0, np.inf, True)


@pytest.fixture
def space():
    """Of a row without the last value: age (integers), colour, size (numbers)."""
    rules = [ColumnRule(1, (AGE, COLOUR, SUM))]
    model = rule_model(rules, 0, [10, 0, 2], [True, False, False], [0, 3, 0], ["number", "category", "number"])
    return RowSpace(model, np.array([30.0, -1.0, np.nan]), set())


def test_ranges_of_integers_end_at_integers(space):
    (inside,) = space.parts(space.all, AGE, True)
    assert inside.ranges == {column(0): (21, 40)}
    assert [part.ranges[column(0)] for part in space.parts(space.all, AGE, False)] == [(-np.inf, 20), (41, np.inf)]
    assert space.parts(inside, AGE, True) == [inside] and space.parts(inside, AGE, False) == []


def test_categories_that_were_not_seen_count_as_missing(space):
    (inside,), (outside,) = space.parts(space.all, COLOUR, True), space.parts(space.all, COLOUR, False)
    assert inside.categories == {1: {-1, 0}} and outside.categories == {1: {1, 2}}


def test_a_missing_value_stays_or_becomes_known(space):
    stays, known = space.parts(space.all, SUM, True)
    assert stays.missing == {2} and not stays.ranges
    assert known.given == {2} and known.ranges == {SUM.terms: (3.0, np.inf)}
    assert space.parts(stays, SUM, True) == [stays] and space.parts(stays, SUM, False) == []
    (below,) = space.parts(space.all, SUM, False)
    assert below.given == {2} and 2.99 < below.ranges[SUM.terms][1] < 3


def test_what_is_fixed_stays():
    rules = [ColumnRule(1, (AGE, COLOUR, SUM))]
    model = rule_model(rules, 0, [10, 0, 2], [True, False, False], [0, 3, 0], ["number", "category", "flag"])
    region = RowSpace(model, np.array([30.0, 2.0, np.nan]), {0, 1, 2}).all
    assert region.ranges[column(0)] == (30, 30) and region.categories == {1: {2}} and region.missing == {2}
    assert RowSpace(model, np.array([30.0, 2.0, 1.0]), set()).all.ranges == {column(2): (0, 1)}


@pytest.mark.parametrize("seed", range(40))
def test_conditions_hold_in_their_parts(seed):
    model, row, fixed = random_case(seed)
    space = RowSpace(model, row, fixed)
    for condition in (own for rule in model.rules for own in rule.conditions):
        for holds in (True, False):
            for part in space.parts(space.all, condition, holds):
                nearest = nearest_row(space, part, with_margin=True)
                if nearest is not None:  # integers that a sum needs may be between two of them
                    assert bool(condition.holds(nearest[None])[0]) == holds
        if bool(condition.holds(row[None])[0]):
            assert any(space.size(nearest_row(space, part)) == 0 for part in space.parts(space.all, condition, True))


def test_sizes_are_standard_deviations_and_steps(space):
    assert space.size(np.array([35.0, 2.0, 7.0])) == 0.5 + 1 + 1
    assert space.changed(np.array([35.0, -1.0, np.nan])) == [0] and space.size(space.row) == 0
