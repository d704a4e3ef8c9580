"""The page of results is looked at in a real browser."""

import re

import numpy as np
import pytest

from ldnn import datasets
from ldnn.page import Column, Spread, Table
from reproduction import figures, findings, paper, tables
from reproduction.machine import describe_machine
from reproduction.moons import bayes_error
from reproduction.recipes import multi_class, two_class, two_moons, two_spirals
from reproduction.report import as_markdown, build
from reproduction.runner import Run, Store
from reproduction.summary import Summary, describe, summarise

EXPERIMENTS = [two_moons(), two_spirals(), two_class(), multi_class()]


def fill(store, names, repeats=2, data=()):
    """Records as runs would write them, with made-up errors: those of a task are 10 and 20 apart from its place."""
    for experiment in EXPERIMENTS:
        if experiment.name not in names:
            continue
        for place, task in enumerate(experiment.tasks):
            if data and task.data not in data:
                continue
            for repeat in range(min(task.repeats, repeats)):
                record = {
                    "test_error": 10.0 * (repeat + 1) + place / 100, "train_error": 1.0, "fit_cpu_seconds": 2.0 + place,
                    "train_rows": 100, "machine": describe_machine(), "chosen": {"size": [2, 3], "step_size": 0.5},
                    "selection_seconds": 3.0,
                }  # fmt: skip
                store.add(Run(experiment, task, repeat), record)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("results"))
    fill(store, ("table1",))
    fill(store, ("table2", "table3"), data=("pima", "breast_cancer", "letter"))
    return build(EXPERIMENTS, store.read(EXPERIMENTS))


def test_a_reader_sees_tables_and_figures(page, tmp_path, visit):
    seen = visit(page.write(tmp_path / "report.html"))
    titles = seen.locator("h2").all_inner_texts()
    assert titles == ["How it was done", "Does it hold?", "Table I: two moons", "Table II: two classes",
                      "Table III: many classes", "Error against time"]  # fmt: skip
    assert seen.locator("table").count() >= 10
    moons = seen.locator("#table-i-two-moons table").first
    assert moons.locator("tbody tr").count() == 7
    assert "Bayes error 2.8 %" in moons.locator("caption").inner_text()
    assert seen.get_by_text("webspam was not available", exact=False).count() == 1
    assert seen.get_by_text("No run is done yet on isolet and landsat and optdigits", exact=False).count() == 1
    images = seen.locator("figure img")
    assert images.count() == 2
    assert all(images.nth(k).evaluate("image => image.complete && image.naturalWidth > 500") for k in range(2))
    drawings = seen.locator("figure svg")
    assert drawings.count() == 3  # error against time, for each set
    assert all(drawings.nth(k).bounding_box()["height"] > 100 for k in range(3))
    seen.get_by_role("tab", name="pima").click()
    assert seen.get_by_text("Pima Indians diabetes: 768 rows", exact=False).is_visible()


def test_the_page_fits_a_telephone(page, tmp_path, visit):
    seen = visit(page.write(tmp_path / "report.html"), width=360, height=740)
    assert seen.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_markdown_has_the_same_tables(page):
    text = as_markdown(page)
    assert "## Table II: two classes" in text
    assert "### pima" in text
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert all(line.endswith("|") for line in lines)
    row = next(line for line in lines if line.startswith("| LDNN, paper's settings |"))
    assert "6x10, step 0.02" in text
    assert re.search(r"\(\d+\.\d\d to \d+\.\d\d\)", row)


def test_nothing_measured_is_a_page_too(visit, tmp_path):
    seen = visit(build(EXPERIMENTS, {}).write(tmp_path / "empty.html"))
    assert "0 of the" in seen.locator(".facts").first.inner_text()


def test_summaries_are_of_the_records(tmp_path):
    store = Store(tmp_path)
    fill(store, ("table2",), repeats=3, data=("pima",))
    experiment = EXPERIMENTS[2]
    summary = summarise(experiment, store.read(EXPERIMENTS))["pima", "LDNN, chosen"]
    place = [(task.data, task.classifier) for task in experiment.tasks].index(("pima", "LDNN, chosen")) / 100
    assert summary.errors == pytest.approx((10 + place, 20 + place, 30 + place))
    assert summary.mean == pytest.approx(20 + place)
    assert summary.deviation == pytest.approx(10)
    assert (summary.repeats, summary.settings) == (3, "2x3, step 0.5")


def test_only_repeats_of_all_are_compared_where_splits_differ():
    experiment = EXPERIMENTS[2]
    record = {"train_error": 0.0, "fit_cpu_seconds": 1.0, "train_rows": 1, "split": {"kind": "random third", "seed": 0}}
    results = {("table2", "pima", "SVM", repeat): {**record, "test_error": float(repeat)} for repeat in range(4)}
    results |= {("table2", "pima", "MLP", repeat): {**record, "test_error": 9.0} for repeat in (1, 3, 7)}
    summary = summarise(experiment, results)["pima", "SVM"]
    assert (summary.errors, summary.every_error) == ((1.0, 3.0), (0.0, 1.0, 2.0, 3.0))
    official = {key: {**record, "split": {"kind": "official"}} for key, record in results.items()}
    assert summarise(experiment, official)["pima", "SVM"].repeats == 4


def summary_of(*errors, seconds=1.0, rows=100):
    return Summary(errors, errors, 0.0, seconds, 0.0, "", rows)


def test_the_verdict_is_the_mean_against_the_papers_plus_a_deviation():
    def verdict(*errors):
        table = findings.errors({("letter", "LDNN, chosen"): summary_of(*errors)}, paper.TABLE_3)
        assert [row[0] for row in table.rows] == ["letter"]
        return table.rows[0][5]

    assert paper.TABLE_3["letter"]["LDNN"].test == 2.32
    assert verdict(2.3) == "as good"
    assert verdict(2.5) == "0.18 short"
    assert verdict(2.324) == "less than 0.01 short"
    assert verdict(2.2, 2.6) == "as good"  # a mean of 2.4, a deviation of 0.28
    assert findings.shortfalls({("letter", "LDNN, chosen"): summary_of(2.2, 2.6)}, paper.TABLE_3) == []
    (sentence,) = findings.shortfalls({("letter", "LDNN, chosen"): summary_of(3.32)}, paper.TABLE_3)
    assert "1.00 more" in sentence


def test_times_and_rivals():
    own = summary_of(1.2, seconds=2.0, rows=49_990)
    rivals = {
        ("ijcnn1", "MLP"): summary_of(1.5, seconds=8.0, rows=49_990),
        ("ijcnn1", "SVM"): summary_of(1.0, seconds=9),
    }
    summaries = {("ijcnn1", "LDNN, chosen"): own, **rivals}
    default = {("ijcnn1", "LDNN, by default"): summary_of(1.48, seconds=4.0)}
    assert findings.times({**summaries, **default}, paper.TABLE_2).rows == [
        ["ijcnn1", "LDNN, chosen", 2.0, 8.2, pytest.approx(4.1), "no worse"],
        ["ijcnn1", "LDNN, by default", 4.0, 8.2, pytest.approx(2.05), "0.20 worse"],
    ]
    rows = findings.rivals(summaries, paper.TABLE_2).rows
    assert [(row[1], row[-1]) for row in rows] == [("MLP", "faster")]
    assert findings.wins(summaries, paper.TABLE_2) == "0 of 0"  # not all rivals were run
    for seconds, verdict in ((2.5, "faster"), (1.0, "faster for as many rows"), (0.1, "slower")):
        part = {("ijcnn1", "LDNN, chosen"): own, ("ijcnn1", "SVM"): summary_of(1.5, seconds=seconds, rows=5_000)}
        (row,) = findings.rivals(part, paper.TABLE_2).rows
        assert row[-1] == f"{verdict} (SVM on 5,000 rows only)"
    for error, seconds, used in (
        (1.4, 1.0, "LDNN, by default"),
        (1.6, 1.0, "LDNN, chosen"),
        (1.4, 3.0, "LDNN, chosen"),
    ):
        default = {("ijcnn1", "LDNN, by default"): summary_of(error, seconds=seconds)}
        (row,) = findings.rivals({**summaries, **default}, paper.TABLE_2).rows
        assert row[2] == used
    every = {("ijcnn1", kind): summary_of(1.5) for kind in findings.ALL_RIVALS}
    assert findings.wins({**every, ("ijcnn1", "LDNN, chosen"): own}, paper.TABLE_2) == "1 of 1"
    assert findings.wins({**every, **summaries}, paper.TABLE_2) == "0 of 1"  # SVM has fewer errors


def test_lucky_splits_are_counted():
    summaries = {("breast_cancer", "logistic regression"): summary_of(0.5, 2.0, 3.5)}
    table, words = findings.lucky_splits(summaries, paper.TABLE_2)
    assert table.rows[0][-1] == "1 of 3"
    assert "2.0 % over 3 random splits, from 0.50 to 3.50, and 0.80 % or less on 1 of them" in words[1]


def test_settings_in_a_few_words():
    assert describe({"size": [10, 8], "step_size": 0.25, "normalize": "whiten", "max_epochs": 30}) == (
        "10x8, step 0.25, whiten, epochs 30"
    )


def test_markdown_marks_the_best():
    table = Table([Column("set"), Column("A", 1), Column("B", 1)], [["x", 1.0, Spread(2.0, 1, 3)]], "", "low")
    assert tables.markdown(table).splitlines()[-1] == "| x | **1.0** | 2.0 (1.0 to 3.0) |"


@pytest.mark.parametrize("width", [0.7, 0.6])
def test_the_bayes_error_is_that_of_a_large_sample(width):
    """A histogram of many points, judged by half of them and tested on the other half, comes near to it from above."""
    X, y = datasets.make_two_moons(2_000_000, width=width, random_state=0)
    cells = np.floor((X + 2) / 0.02).astype(int)
    place = cells[:, 0] * 1000 + cells[:, 1]
    votes = np.bincount(place[::2], 2.0 * y[::2] - 1, minlength=place.max() + 1)
    error = 100 * np.mean((votes[place[1::2]] > 0) != y[1::2])
    assert bayes_error(width) - 0.05 <= error <= bayes_error(width) + 0.25


def test_the_figures_of_the_spirals_say_their_errors():
    figure = figures.spirals()
    titles = [ax.get_title() for ax in figure.axes]
    assert len(titles) == 6
    assert titles[3:] == [f"LDNN, {clusters} clusters: 0 % training error" for clusters in (18, 21, 27)]
    errors = [float(re.search(r"([\d.]+) %", title)[1]) for title in titles[:3]]
    assert errors[0] > errors[1] > errors[2]
