"""Colours that can be told apart, and a helpful error without Matplotlib."""

import itertools

import numpy as np
import pandas as pd
import pytest
from networks import plain
from prepared_process import without

from ldnn import plotting
from ldnn.plotting import COLORS
from ldnn.plotting._style import class_colors, short_label


def test_colours_differ_for_readers_with_colour_blindness():
    """Brettel and Viénot's matrices for the two common kinds, as distances in sRGB."""
    rgb = np.array([[int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)] for color in COLORS[:6]])
    for matrix in (
        [[0.56, 0.44, 0], [0.56, 0.44, 0], [0, 0.24, 0.76]],
        [[0.62, 0.38, 0], [0.7, 0.3, 0], [0, 0.3, 0.7]],
    ):
        seen = rgb @ np.array(matrix).T
        distances = np.linalg.norm(seen[:, None] - seen[None], axis=2)
        assert distances[~np.eye(len(seen), dtype=bool)].min() > 0.08


def test_many_classes_differ():
    assert class_colors(8) == list(COLORS)
    colors = class_colors(26)
    assert len(set(colors[:24])) == 24 and colors[24:] == colors[:2]


def test_short_labels():
    assert short_label("x" * 28) == "x" * 28
    assert short_label("two words", 5) == "two…"


@pytest.fixture(scope="module")
def long_names():
    """A model of columns, categories and twelve classes with long names, with its table and labels."""
    random = np.random.default_rng(0)
    words = "of the cell nuclei in the digitised image of a fine needle aspirate"
    kinds = np.array(["first", "second"])[random.integers(2, size=240)]
    table = pd.DataFrame(random.random((240, 3)), columns=[f"{first} {words}" for first in ("mean", "worst", "least")])
    table[f"kind {words}"] = np.char.add(kinds, f" kind {words}")
    y = np.array([f"class {k} according to the second histological report" for k in range(12)])
    y = y[np.minimum(11, table.iloc[:, 0] * 6 + 6 * (kinds == "first")).astype(int)]
    return plain(2, 2, max_epochs=3, validation_fraction=0.2).fit(table, y), table, y


def overlap(first, second):
    return first.x0 < second.x1 and second.x0 < first.x1 and first.y0 < second.y1 and second.y0 < first.y1


def drawn(model, X, y, name):
    if name == "SearchHistoryDisplay":
        labels = [f"{k} conjunctions with a long description of a plan" for k in range(6)]
        return plotting.SearchHistoryDisplay([1] * 6, labels, [[0.9, 0.2]] * 6, chosen=3).plot()
    if name == "LearningCurvesDisplay":
        return plotting.LearningCurvesDisplay.from_estimator(model)
    if name == "RuleCoverageDisplay":
        return plotting.RuleCoverageDisplay.from_estimator(model, X, y)
    rows = (X,) if name == "ConjunctionsDisplay" else (X, y)
    return getattr(plotting, name).from_estimator(model, *rows, columns=(0, 1), resolution=10)


@pytest.mark.parametrize("name", [name for name in plotting.__all__ if name.endswith("Display")])
def test_nothing_is_cut_off(long_names, name):
    """Names of axes, titles and legends are on the figure and do not hide each other, however it is saved."""
    figure = drawn(*long_names, name).figure_
    figure.draw_without_rendering()
    titles = [text for ax in figure.axes for text in (ax.title, ax.xaxis.label, ax.yaxis.label)]
    boxes = [text.get_window_extent() for text in titles if text.get_visible() and text.get_text()]
    boxes += [legend.get_window_extent() for legend in figure.legends]
    for box in boxes + [ax.get_tightbbox() for ax in figure.axes if ax.get_visible()]:
        assert box.x0 > -3 and box.y0 > -3 and box.x1 < figure.bbox.width + 3 and box.y1 < figure.bbox.height + 3
    assert not any(overlap(*pair) for pair in itertools.combinations(boxes, 2))


def test_the_missing_package_is_named():
    assert without("matplotlib", "ldnn.plotting").endswith('pip install "ldnn[plot]"')
