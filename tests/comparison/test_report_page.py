"""The page of a comparison is looked at in a real browser."""

from itertools import pairwise

import numpy as np
import pytest
from prepared_process import without

from ldnn.comparison import Comparison, Outcome, comparison_page, report_page


@pytest.mark.parametrize("width", [1200, 360])
def test_the_page_in_a_browser(comparison, tmp_path, visit, width):
    path = comparison_page(comparison, "people <1>", "class").write(tmp_path / "page.html")
    page = visit(path, width=width)
    assert page.title() == "LDNN beside other classifiers — people <1>: class"
    assert page.locator(".summary").inner_text() == comparison.summary()
    names = page.locator("#results tbody th")
    assert names.all_inner_texts() == [outcome.name for outcome in comparison.ranked()]
    page.get_by_role("columnheader", name="fit, s").click()
    cells = page.locator("#results tbody td:nth-child(6)")
    seconds = [float(cell.get_attribute("data-key")) for cell in cells.all()]
    assert seconds == sorted(seconds)
    for cell in page.locator("#results tbody tr > *").all():  # nothing is cut off, also on a phone
        box = cell.bounding_box()
        if box is None:  # in blocks, cells without a value are left out
            assert cell.text_content().strip() == ""
            continue
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
    shown = [box["width"] for svg in page.locator("#error-and-time svg").all() if (box := svg.bounding_box())]
    card = page.locator("#error-and-time").bounding_box()
    assert len(shown) == 1 and shown[0] > 0.9 * (card["width"] - 45)
    for outcome in comparison.outcomes:
        page.locator("#confusion").get_by_role("tab", name=outcome.name, exact=True).click()
        shown = page.locator("#confusion .panel:not([hidden])")
        counts = [int(text) for text in shown.locator("tbody td").all_inner_texts()]
        expected = np.zeros((3, 3), int)
        np.add.at(expected, (comparison.y_true, outcome.y_pred), 1)
        assert counts == expected.ravel().tolist()
    page.locator("#curves").get_by_role("tab", name="c", exact=True).click()
    assert page.get_by_text("ROC curves for class c").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert "otherwise" in page.locator("#rules").inner_text()


@pytest.mark.parametrize("longest", [0.2, 1.4, 9, 40, 900, 20_000])
def test_times_on_the_axis_stand_apart(longest):
    seconds = [[0.15, 0.16], [longest / 2, longest]]
    outcomes = [
        Outcome(str(k), np.zeros(2, int), np.zeros((2, 2)), True, [0.1, 0.2], found) for k, found in enumerate(seconds)
    ]
    figure, axes = report_page._figure(report_page._NARROW)
    report_page._draw_error_and_time(Comparison([0, 1], np.zeros(2, int), 2, 2, outcomes, {}, None), axes)
    figure.draw_without_rendering()
    left, right = axes.get_xlim()
    labels = [*axes.xaxis.get_ticklabels(), *axes.xaxis.get_ticklabels(minor=True)]
    shown = [text for text in labels if text.get_text() and left <= text.get_position()[0] <= right]
    boxes = sorted((box.x0, box.x1) for box in (text.get_window_extent() for text in shown))
    assert len(boxes) >= 2 or longest < 0.5
    assert all(end < start for (_, end), (start, _) in pairwise(boxes))


def test_only_the_page_needs_matplotlib():
    script = "from ldnn.comparison import compare; import ldnn.comparison"
    assert without("matplotlib", script) == ""
    assert without("matplotlib", f"{script}; ldnn.comparison.comparison_page").endswith('pip install "ldnn[plot]"')
