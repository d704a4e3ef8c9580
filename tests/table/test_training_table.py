from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from networks import plain, with_selected_columns

from ldnn._table.training_table import TrainingTable


@pytest.fixture
def table(random):
    X = random.standard_normal((300, 6))
    y = (X[:, 1] + 2 * X[:, 4] > 0).astype(np.int32)
    rows = random.permutation(300)[:200]
    return TrainingTable(X, rows, y[rows], np.arange(1.0, 201), np.zeros(6, dtype=bool), 2)


def test_a_subset_has_the_classes_and_weights_of_its_rows(table):
    which = np.array([5, 0, 199])
    part = table.subset(which)
    np.testing.assert_array_equal(part.rows, table.rows[which])
    np.testing.assert_array_equal(part.y, (part.X[part.rows] @ [0, 1, 0, 0, 2, 0] > 0).astype(int))
    np.testing.assert_array_equal(part.weights, [6, 1, 200])
    assert part.X is table.X
    assert (part.n_classes, len(table.rows)) == (2, 200)


def test_classes_that_are_left_are_numbered_anew(random):
    y = np.array([0, 3, 1, 2, 3, 1], dtype=np.int32)
    X, rows = random.standard_normal((9, 2)), np.array([8, 1, 4, 0, 2, 6])
    table = TrainingTable(X, rows, y, np.arange(1.0, 7), np.zeros(2, dtype=bool), 4, np.array([1.0, 2.0, 3.0, 4.0]))
    part = table.of_classes(np.array([1, 3]))
    assert (part.rows.tolist(), part.y.tolist(), part.weights.tolist()) == ([1, 4, 2, 6], [1, 0, 1, 0], [2, 3, 5, 6])
    assert (part.n_classes, part.class_weights.tolist()) == (2, [2, 4])


def test_best_columns_keep_their_order(table):
    assert table.best_columns(2).tolist() == [1, 4]
    assert table.best_columns(1).tolist() == [4]
    for count in (None, 6, 7):
        assert table.best_columns(count).tolist() == [0, 1, 2, 3, 4, 5]


def test_a_subset_ranks_columns_by_its_own_rows(random):
    """One column tells about the first rows, another about the last ones."""
    y = (np.arange(200) % 2).astype(np.int32)
    X = random.standard_normal((200, 3))
    X[:120, 0], X[120:, 1] = y[:120], y[120:]
    table = TrainingTable(X, np.arange(200), y, np.ones(200), np.zeros(3, dtype=bool), 2)
    assert table.best_columns(1).tolist() == [0]
    assert table.subset(np.arange(120, 200)).best_columns(1).tolist() == [1]


def test_columns_that_are_not_selected_count_nothing(random):
    frame = pd.DataFrame(random.standard_normal((200, 6)), columns=list("abcdef"))
    frame["g"] = np.where(random.random(200) < 0.5, "x", "y")
    y = (frame["b"] + frame["e"] > 0).to_numpy()
    model = with_selected_columns(plain(2, 2), 2).fit(frame, y)
    assert model.terms_ == ["b", "e"]
    assert model.weights_.shape[-1] == 2
    other = frame.copy()
    other[["a", "c", "d", "f"]] = np.nan
    other["g"] = "never seen"
    np.testing.assert_array_equal(model.predict_proba(other), model.predict_proba(frame))


def test_more_columns_than_there_are_is_all(random):
    X = random.standard_normal((50, 3))
    assert with_selected_columns(plain(2, 2), 7).fit(X, X[:, 0] > 0).weights_.shape[-1] == 3


def test_copies_of_equal_rows_are_divided():
    weights, class_weights = np.array([3.0, 0.5, 2.0]), np.array([1.0, 0.5])
    y = np.array([0, 1, 0], dtype=np.int32)
    table = TrainingTable(np.eye(3), np.array([2, 0, 1]), y, weights, np.zeros(3, bool), 2, class_weights)
    assert table.copies.tolist() == [0, 0, 0, 1, 2, 2]
    part = table.of_copies(np.array([0, 1, 0]))
    assert part.rows.tolist() == [2, 0] and part.weights.tolist() == [2.0, 0.5]
    huge = replace(table, weights=1e9 * weights)
    assert huge.copies.tolist() == [0, 1, 2]
    assert huge.of_copies(np.array([0, 2])).weights.tolist() == [3e9, 2e9]
    assert replace(table, class_weights=None).copies.tolist() == [0, 1, 2]  # weights that are no counts
    for most, expected in ((200, [0] * 200 + [1, 2]), (100_000, [0, 1, 2])):  # rows, or people of a survey
        weighted = replace(table, weights=np.array([most, 0.5, 1]), is_weighted=True)
        assert weighted.copies.tolist() == expected
