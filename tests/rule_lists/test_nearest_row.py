import numpy as np
from rule_cells import rule_model

from ldnn._rule_lists.column_conditions import RangeCondition, SumCondition
from ldnn._rule_lists.column_sums import ColumnSum
from ldnn._rule_lists.nearest_row import between_integers, nearest_row
from ldnn._rule_lists.row_region import RowSpace, column
from ldnn._rule_lists.rule_model import ColumnRule

TERMS = ColumnSum((0, 1, 2), (1.0, 2.0, 10.0))


def space_of(row, is_whole=(False, False, False), units=("number", "number", "flag"), scales=(1, 1, 0.5)):
    rules = [ColumnRule(1, (SumCondition(TERMS, 20.0, np.inf, False), RangeCondition(1, -np.inf, 5.0, False)))]
    return RowSpace(rule_model(rules, 0, scales, is_whole, [0, 0, 0], list(units)), np.array(row), set())


def region_of(space):
    """In which all conditions hold."""
    regions = [space.all]
    for condition in (SumCondition(TERMS, 20.0, np.inf, False), RangeCondition(1, -np.inf, 5.0, False)):
        regions = [part for own in regions for part in space.parts(own, condition, True)]
    return regions[0]


def test_columns_move_in_the_order_of_what_they_bring():
    """A flag by its only step, then the column of the larger weight to its end, then the other one."""
    space = space_of([0.0, 0.0, 0.0])
    np.testing.assert_allclose(nearest_row(space, space.all.within(TERMS, 8, np.inf)), [0, 0, 0.8])
    np.testing.assert_allclose(nearest_row(space, space.all.within(TERMS, 14, np.inf)), [0, 2, 1])
    np.testing.assert_allclose(nearest_row(space, region_of(space)), [0, 5, 1])
    wider = region_of(space).within(TERMS, 23, np.inf)
    np.testing.assert_allclose(nearest_row(space, wider), [3, 5, 1])
    inner = nearest_row(space, wider, with_margin=True)
    assert 0 < inner[0] - 3 < 1e-5 and TERMS.values(inner[None])[0] > 23


def test_no_row():
    space = space_of([0.0, 0.0, 0.0])
    region = region_of(space).within(column(0), -np.inf, -1)
    assert nearest_row(space, region) is None and region.within(column(1), 6, np.inf) is None


def test_values_that_were_missing_are_free():
    space = space_of([np.nan, 0.0, 0.0])
    region = region_of(space)
    found = nearest_row(space, region)
    assert found[1:].tolist() == [0, 0] and found[0] == 20 and space.size(found) == 1


def test_integers_are_divided():
    space = space_of([0.0, 0.0, 0.0], is_whole=(True, True, True))
    region = space.all.within(TERMS, 7, np.inf)
    row = nearest_row(space, region)
    assert 0 < row[2] < 1
    low, high = between_integers(space, region, row)
    assert low.ranges[column(2)] == (0, 0) and high.ranges[column(2)] == (1, 1)
    assert between_integers(space, high, nearest_row(space, high)) is None
