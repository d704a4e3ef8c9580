from dataclasses import fields

import numpy as np
import pytest

from ldnn import LDNNClassifier
from ldnn._plan import KnotPlan
from ldnn._search.space import ENOUGH_ROWS, WIDE, SearchSpace, guess, knot_plan, middle_size, sizes_to_compare
from ldnn._table.training_table import TrainingTable


def space(*names):
    return SearchSpace(**{field.name: field.name in names for field in fields(SearchSpace)})


def table(rows=500, columns=4):
    return TrainingTable(
        np.zeros((rows, columns)), np.arange(rows), np.zeros(rows, np.int32), np.ones(rows), np.zeros(columns, bool), 2
    )


@pytest.mark.parametrize("name", [field.name for field in fields(SearchSpace)])
def test_what_plans_are_compared_for(name):
    """The others follow from the amount of work, or are compared beside these only."""
    assert space(name).needs_comparison == (name in {"N", "M", "knots", "conics", "rate", "loss"})
    assert space(name).size == (name in {"N", "M"})


def test_components_and_scales_are_compared_in_wide_tables_only():
    everything = LDNNClassifier()._search_space()
    assert all(getattr(everything, field.name) for field in fields(SearchSpace))
    assert everything.for_table(table(ENOUGH_ROWS, WIDE)) == everything
    narrow = everything.for_table(table(ENOUGH_ROWS, WIDE - 1))
    closed = {field.name for field in fields(SearchSpace) if not getattr(narrow, field.name)}
    assert closed == {"components", "normalize"}
    categories = table(columns=WIDE)
    categories.is_category[0] = True
    assert not everything.for_table(categories).components


def test_importance_needs_rows_and_several_numbers():
    everything = LDNNClassifier()._search_space()
    assert everything.for_table(table(ENOUGH_ROWS, 2)).importance
    assert not everything.for_table(table(ENOUGH_ROWS - 1, 2)).importance
    assert not everything.for_table(table(ENOUGH_ROWS, 1)).importance


@pytest.mark.parametrize(("names", "size"), [("NM", (7, 7)), ("N", (7, 3)), ("M", (2, 7)), ("", (2, 3))])
def test_sizes_change_as_far_as_they_are_open(names, size):
    plan = LDNNClassifier(2, 3)._plan(table())
    start = space(*names).with_size(plan, 7).start
    assert size == (start.N, start.M)
    guessed = guess(plan, space(*names), 10_000).start
    assert tuple(9 if number == 7 else number for number in size) == (guessed.N, guessed.M)


def test_sizes_grow_with_the_rows():
    assert middle_size(10_000) == pytest.approx(9)
    assert sizes_to_compare(100) == [1, 2, 3]
    assert sizes_to_compare(10_000) == [3, 9, 14]
    for rows in (50, 500, 5000, 50_000, 500_000):
        small, middle, large = sizes_to_compare(rows)
        assert 1 <= small < middle <= large


@pytest.mark.parametrize(("rows", "pieces"), [(10, 4), (240, 4), (600, 10), (1920, 32), (10**6, 32)])
def test_knots_grow_with_the_rows(rows, pieces):
    assert knot_plan("mixed", rows) == KnotPlan("mixed", pieces)
    assert knot_plan("quantile", rows) == KnotPlan("quantile", pieces)
    assert knot_plan("tree", rows) == KnotPlan("tree", pieces // 2)
