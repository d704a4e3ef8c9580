"""Planes vary two columns and keep the others at their typical values."""

import numpy as np
import pandas as pd
import pytest
from networks import plain

from ldnn.plotting._model_view import as_matrix
from ldnn.plotting.plane import Plane


@pytest.fixture(scope="module")
def model_and_table(blobs):
    X, y = blobs
    table = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(kind=np.where(X[:, 3] > -7, "high", "low"))
    table.loc[::9, "c"] = np.nan
    return plain(2, 2, max_epochs=2).fit(table, y), table


def test_other_columns_stay_at_their_medians_or_most_frequent_categories(model_and_table):
    model, table = model_and_table
    plane = Plane.through(model, as_matrix(model, table), ("c", 1), 7)
    assert plane.columns == (2, 1) and plane.names == ("c", "b")
    assert plane.matrix.shape == (49, 5)
    typical = as_matrix(model, table.head(1).assign(a=table["a"].median(), kind=table["kind"].mode()[0]))[0]
    np.testing.assert_array_equal(plane.matrix[:, [0, 4]], np.tile(typical[[0, 4]], (49, 1)))
    assert plane.x[0] < table["c"].min() < table["c"].max() < plane.x[-1]


def test_values_of_points_become_a_grid(model_and_table):
    model, table = model_and_table
    plane = Plane.through(model, as_matrix(model, table), ("a", "b"), 5)
    grid = plane.as_grid(plane.matrix[:, :2])
    np.testing.assert_array_equal(grid[0], np.tile(plane.x, (5, 1)))
    np.testing.assert_array_equal(grid[1], np.tile(plane.y, (5, 1)).T)


def test_columns_that_do_not_exist(model_and_table):
    model, table = model_and_table
    rows = as_matrix(model, table)
    with pytest.raises(ValueError, match="no column 'e'; its columns are a, b, c, d, kind"):
        Plane.through(model, rows, ("a", "e"), 5)
    with pytest.raises(ValueError, match="no column 7"):
        Plane.through(model, rows, (0, 7), 5)


def test_a_single_column_is_no_plane(moons):
    X, y = moons
    model = plain(2, 2, max_epochs=2).fit(X[:, :1], y)
    with pytest.raises(ValueError, match="A plane needs two columns"):
        Plane.through(model, as_matrix(model, X[:, :1]), None, 5)
