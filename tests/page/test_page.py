"""Pages are looked at as a reader does: in a real browser, with clicks."""

import math
import re

import pytest
from matplotlib.figure import Figure

from ldnn.page import Column, Grid, Markup, Page, Picture, Spread, Table, Tabs, Text

TABLE = Table(
    [Column("classifier"), Column("error, %", digits=2, best="low"), Column("seconds", digits=1, best="low")],
    [
        ["LDNN", Spread(3.504, 2, 5), 1.0],
        ["forest", Spread(3.496, 3, 4), 10.0],
        ["MLP", Spread(12.0, 9, 15), None],
        ["<b>odd</b>", math.nan, 2.0],
    ],
    caption="Of five folds",
)


def drawn():
    figure = Figure(figsize=(4, 3))
    axes = figure.subplots()
    axes.plot([0, 1], [1, 0], label="a line")
    axes.set_title("Falling")
    axes.legend()
    return figure


def made():
    page = Page("A <title>", summary="LDNN & others.", facts=["5 folds"])
    page.add("First table", TABLE, Text("A paragraph."))
    page.add("Figures", Grid([Picture(drawn(), "One"), Picture(drawn(), "Two", keep_colors=True)]))
    page.add("To choose", Tabs({"left": Text("on the left"), "right": Markup("<em>on the right</em>")}))
    return page


@pytest.fixture
def path(tmp_path):
    return made().write(tmp_path / "page.html")


def test_the_same_again_is_the_same_page():
    assert made().html() == made().html()


def test_best_is_marked_as_it_is_shown():
    assert [TABLE.is_best(row, 1) for row in range(4)] == [True, True, False, False]
    assert [TABLE.is_best(row, 2) for row in range(4)] == [True, False, False, False]
    assert not any(TABLE.is_best(row, 0) for row in range(4))
    across = Table([Column("set"), Column("A", 1), Column("B", 1)], [["x", 1.0, 2.0], ["y", None, 2.0]], "", "high")
    assert [[across.is_best(row, column) for column in range(3)] for row in range(2)] == [
        [False, False, True],
        [False, False, False],  # alone, nothing is best
    ]


def test_one_file_and_nothing_else(path):
    html = path.read_text()
    assert not re.search(r'(src|href)="(?!data:|#)', html)
    assert "@import" not in html
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert html.startswith("<!doctype html>")
    assert [file.name for file in path.parent.iterdir()] == ["page.html"]


def test_a_reader_clicks_through(path, visit):
    page = visit(path)
    assert page.title() == "A <title>"
    names = page.locator("tbody th")
    assert names.all_inner_texts() == ["LDNN", "forest", "MLP", "<b>odd</b>"]
    head = page.get_by_role("columnheader", name="error, %")
    head.click()
    assert names.all_inner_texts() == ["forest", "LDNN", "MLP", "<b>odd</b>"]
    head.press("Enter")
    assert names.all_inner_texts() == ["MLP", "LDNN", "forest", "<b>odd</b>"]  # what is missing stays last
    assert page.get_by_text("on the left").is_visible()
    assert not page.get_by_text("on the right").is_visible()
    page.get_by_role("tab", name="right").click()
    assert page.get_by_text("on the right").is_visible()
    assert not page.get_by_text("on the left").is_visible()
    page.get_by_role("link", name="To choose").click()
    assert page.url.endswith("#to-choose")


def brightness(page, selector, what="background-color"):
    color = page.locator(selector).first.evaluate(f"node => getComputedStyle(node).getPropertyValue('{what}')")
    return sum(map(float, re.findall(r"[\d.]+", color)[:3])) / 765


@pytest.mark.parametrize("colors", ["light", "dark"])
def test_light_and_dark(path, visit, colors):
    page = visit(path, colors=colors)
    is_dark = colors == "dark"
    for _ in range(2):
        assert (brightness(page, "body") < 0.5) == is_dark
        assert (brightness(page, "body", "color") < 0.5) != is_dark
        assert (brightness(page, "figure svg", "fill") < 0.5) != is_dark  # text of figures
        assert brightness(page, ".as-it-is svg") == 1
        assert brightness(page, ".as-it-is svg", "fill") == 0
        page.get_by_role("button", name="Switch to").click()
        is_dark = not is_dark


def test_a_choice_of_colours_is_kept(path, visit):
    page = visit(path)
    page.get_by_role("button", name="dark").click()
    for _ in range(20):  # a loaded browser may keep it a moment later
        page.reload()
        if brightness(page, "body") < 0.5:
            return
        page.wait_for_timeout(100)
    pytest.fail("the page is light again")


def test_nothing_is_cut_off_on_a_telephone(path, visit):
    page = visit(path, width=360, height=740)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.locator("figure svg").first.bounding_box()["width"] <= 340
