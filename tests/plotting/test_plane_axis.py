"""Axes of numbers and of categories."""

import numpy as np

from ldnn.plotting.plane_axis import PlaneAxis

GENERATOR = np.random.default_rng(0)


def test_numbers_are_equally_spaced_with_a_margin():
    axis = PlaneAxis.of_numbers(np.array([2.0, np.nan, 4.0]), "number", 12)
    np.testing.assert_allclose(axis.positions, np.linspace(1.9, 4.1, 12))
    assert axis.values is axis.positions and axis.labels is None
    np.testing.assert_array_equal(axis.place(np.array([3.0, 9.0]), GENERATOR), [3.0, 9.0])
    assert len(PlaneAxis.of_numbers(np.array([np.nan]), "number", 5).positions) == 5


def test_categories_are_bands():
    known = np.array(["Bern", "Oslo", "Rome"], dtype=object)
    codes = np.array([2.0, 0.0, 0.0, np.nan, -1.0])
    axis = PlaneAxis.of_categories(codes, known, 40)
    assert axis.labels == ["other", "Bern", "Rome", "missing"]
    assert (np.diff(axis.positions) > 0).all() and len(axis.positions) == 40
    np.testing.assert_array_equal(axis.values, axis.bands[np.round(axis.positions).astype(int)])
    places = axis.place(np.append(codes, 1.0), GENERATOR)
    np.testing.assert_array_equal(np.round(places), [2, 1, 1, 3, 0, np.nan])


def test_of_many_categories_the_most_frequent_have_bands():
    codes = np.repeat(np.arange(40.0), np.arange(1, 41))
    axis = PlaneAxis.of_categories(codes, np.arange(40).astype(object), 250)
    assert axis.labels == [str(code) for code in range(28, 40)]
