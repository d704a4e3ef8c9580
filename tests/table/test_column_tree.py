"""The tree on one column; test_knots.py compares it with that of scikit-learn."""

import numpy as np

from ldnn._table.column_tree import split_positions


def split(values, y, leaves, weights=None):
    weights = np.ones(len(values)) if weights is None else weights
    return split_positions(np.asarray(values, float), np.asarray(y, np.int32), weights, leaves).tolist()


def test_leaves_begin_where_the_classes_change():
    y = np.repeat([0, 1, 2, 0], [20, 30, 25, 25])
    assert sorted(split(np.arange(100), y, 4)) == [20, 50, 75]


def test_the_best_split_comes_first_and_no_more_leaves_than_asked_for():
    y = np.repeat([0, 1, 0, 1], [10, 10, 40, 40])
    assert split(np.arange(100), y, 2) == [60]
    assert split(np.arange(100), y, 1) == []
    assert len(split(np.arange(100), y, 3)) == 2


def test_equal_values_stay_together():
    values = np.repeat([1.0, 2.0, 3.0], 20)
    y = np.repeat([0, 1, 1], 20)
    y[15:20] = 1  # a cut before row 15 would be purer
    assert split(values, y, 8)[0] == 20


def test_nothing_to_split():
    assert split([], [], 4) == []
    assert split(np.ones(50), np.arange(50) % 2, 4) == []
    assert split(np.arange(50), np.zeros(50), 4) == []
    assert split([1.0], [0], 4) == []


def test_leaves_have_five_rows_or_a_thousandth_of_the_weight():
    y = np.zeros(1000)
    y[:4] = 1
    assert 4 not in split(np.arange(1000), y, 8)
    y[4] = 1
    assert split(np.arange(1000), y, 2) == [5]
    weights = np.ones(1000)
    weights[0] = 100  # a heavy row may be a leaf
    y = np.zeros(1000)
    y[0] = 1
    assert split(np.arange(1000), y, 2, weights) == [1]
