"""The page of results in a real browser, and its Markdown."""

import re

import pytest
from invented import EXPERIMENTS, fill

from reproduction.report import as_markdown, build
from reproduction.runner import Store


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("results"))
    fill(store, ("table1",))
    fill(store, ("table2", "table3"), data=("pima", "breast_cancer", "letter"))
    return build(EXPERIMENTS, store.read(EXPERIMENTS))


@pytest.fixture(scope="module")
def path(page, tmp_path_factory):
    return page.write(tmp_path_factory.mktemp("page") / "report.html")


def test_a_reader_sees_tables_and_figures(path, visit):
    seen = visit(path)
    titles = seen.locator("h2").all_inner_texts()
    assert titles == ["What holds", "Table I: two moons", "Table II: two classes", "Table III: many classes", "Time",
                      "How it was done"]  # fmt: skip
    assert seen.locator("nav a").all_inner_texts() == titles
    assert seen.locator("#what-holds tbody tr").count() == 4
    assert seen.locator("table").count() >= 10
    moons = seen.locator("#table-i-two-moons table").first
    assert moons.locator("tbody tr").count() == 7
    assert "Bayes error 2.8 %" in moons.locator("caption").inner_text()
    assert seen.get_by_text("webspam was not available", exact=False).count() == 1
    assert seen.get_by_text("No run has been done yet on isolet and landsat and optdigits", exact=False).count() == 1
    images = seen.locator("figure img")
    assert images.count() == 2
    assert all(images.nth(k).evaluate("image => image.complete && image.naturalWidth > 500") for k in range(2))
    drawings = seen.locator("figure svg")
    assert drawings.count() == 3  # error against time, for each set
    assert drawings.first.bounding_box()["height"] > 100  # the others are behind their tabs
    seen.locator("#table-ii-two-classes").get_by_role("tab", name="pima").click()
    assert seen.get_by_text("Pima Indians diabetes: 768 rows", exact=False).is_visible()


@pytest.mark.parametrize("width", [360, 800])
def test_no_column_is_cut_off(path, visit, width):
    seen = visit(path, width=width, height=740)
    assert seen.evaluate("document.documentElement.scrollWidth") <= width
    boxes = "[...document.querySelectorAll('.scroll')].filter(box => box.offsetParent)"
    assert seen.evaluate(f"{boxes}.length") >= 5
    assert seen.evaluate(f"{boxes}.filter(box => box.scrollWidth > box.clientWidth + 1).length") == 0


def test_the_markdown_has_the_same_tables(page):
    text = as_markdown(page)
    assert "## Table II: two classes" in text
    assert "[Table II: two classes](#table-ii-two-classes)" in text
    assert "### pima" in text
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert all(line.endswith("|") for line in lines)
    row = next(line for line in lines if line.startswith("| LDNN, paper's settings |"))
    assert "6x10, rate 0.02" in text
    assert re.search(r"\(\d+\.\d\d to \d+\.\d\d\)", row)


def test_nothing_measured_is_a_page_too(visit, tmp_path):
    seen = visit(build(EXPERIMENTS, {}).write(tmp_path / "empty.html"))
    assert "0 of the" in seen.locator(".facts").first.inner_text()
