"""Planes vary two columns and keep the others at their typical values."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from networks import plain

from ldnn.plotting._model_view import as_matrix, class_probabilities
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


@pytest.mark.parametrize("columns", [("kind", "a"), ("a", "kind")])
def test_categories_have_bands_with_their_labels(model_and_table, columns):
    model, table = model_and_table
    plane = Plane.through(model, as_matrix(model, table), columns, 10)
    side = columns.index("kind")
    axis = plane.axes[side]
    assert axis.labels == ["high", "low"]
    np.testing.assert_array_equal(np.unique(plane.matrix[:, 4]), [0, 1])  # no value between the categories
    probabilities = plane.as_grid(class_probabilities(model, plane.matrix).T)
    middle = {name: getattr(plane, name)[5] for name in "xy"}
    for band, label in enumerate(axis.labels):
        row = table.head(1).assign(b=table["b"].median(), c=table["c"].median(), d=table["d"].median())
        row = row.assign(kind=label, a=middle["y" if side == 0 else "x"])
        place = np.searchsorted(axis.positions, band)
        own = probabilities[:, 5, place] if side == 0 else probabilities[:, place, 5]
        np.testing.assert_allclose(own, model.predict_proba(row)[0], rtol=1e-6)
    figure, ax = plt.subplots()
    plane.label_axes(ax)
    assert [text.get_text() for text in (ax.get_xticklabels(), ax.get_yticklabels())[side]] == ["high", "low"]
    plt.close(figure)
    assert set(np.round(plane.place(as_matrix(model, table))[:, side])) == {0, 1}


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
