"""Planes vary two columns; what is drawn is the mean over rows for the others."""

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


def test_points_take_the_other_columns_of_rows_in_turn(model_and_table):
    model, table = model_and_table
    rows = as_matrix(model, table)
    plane = Plane.through(model, rows, ("c", 1), 7)
    assert plane.columns == (2, 1) and plane.names == ("c", "b")
    assert len(plane.others) == 30 and (plane.others[:, None, [0, 3, 4]] == rows[:, [0, 3, 4]]).all(axis=2).any(1).all()
    mean = plane.mean(lambda points: points)
    assert mean.shape == (5, 7, 7)
    np.testing.assert_allclose(mean[0], plane.others[:, 0].mean())
    np.testing.assert_allclose(mean[2], np.tile(plane.x, (7, 1)))
    np.testing.assert_allclose(mean[1], np.tile(plane.y, (7, 1)).T)
    assert plane.x[0] < table["c"].min() < table["c"].max() < plane.x[-1]


def test_agreement_is_measured_on_rows(model_and_table):
    model, table = model_and_table
    rows = as_matrix(model, table)
    plane = Plane.through(model, rows, ("a", "b"), 5)
    share, count = plane.agreement(model, rows)
    assert count == min(300, len(rows))
    total = np.zeros((3, len(rows)))
    for other in plane.others:
        points = np.column_stack([rows[:, :2], np.tile(other[2:], (len(rows), 1))])
        total += class_probabilities(model, points)
    expected = np.mean(total.argmax(axis=0) == class_probabilities(model, rows).argmax(axis=0))
    assert share == pytest.approx(expected, abs=0.1 if len(rows) > 300 else 1e-9)


def test_chosen_categories_lie_along_the_vertical_axis(model_and_table, monkeypatch):
    """Their names have room there; columns that the user names stay in their order."""
    model, table = model_and_table
    rows = as_matrix(model, table)
    monkeypatch.setattr("ldnn.plotting.plane.most_faithful_plane", lambda model, rows: (4, 0))
    assert Plane.through(model, rows, None, 5).names == ("a", "kind")
    assert Plane.through(model, rows, ("kind", "a"), 5).names == ("kind", "a")


@pytest.mark.parametrize("columns", [("kind", "a"), ("a", "kind")])
def test_categories_have_bands_with_their_labels(model_and_table, columns):
    model, table = model_and_table
    plane = Plane.through(model, as_matrix(model, table), columns, 10)
    side = columns.index("kind")
    axis = plane.axes[side]
    assert axis.labels == ["high", "low"]
    np.testing.assert_array_equal(np.unique(axis.values), [0, 1])  # no value between the categories
    probabilities = plane.mean(lambda points: class_probabilities(model, points).T)
    middle = {name: getattr(plane, name)[5] for name in "xy"}
    for band in range(2):
        points = plane.others.copy()
        points[:, 4], points[:, 0] = band, middle["y" if side == 0 else "x"]
        place = np.searchsorted(axis.positions, band)
        own = probabilities[:, 5, place] if side == 0 else probabilities[:, place, 5]
        np.testing.assert_allclose(own, class_probabilities(model, points).mean(axis=1), rtol=1e-6)
    figure, ax = plt.subplots()
    plane.label_axes(ax)
    assert [text.get_text() for text in (ax.get_xticklabels(), ax.get_yticklabels())[side]] == ["high", "low"]
    plt.close(figure)
    assert set(np.round(plane.place(as_matrix(model, table))[:, side])) == {0, 1}


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
