from io import StringIO

from matplotlib.figure import Figure
from rich.console import Console

from benchmarks.bench_report import markdown, show
from benchmarks.harness import Question, ResultTable, figure

RESULTS = {
    "one": {"figures": [figure("speed", 2.0, "s", at_most=1)], "machine": {"processor": "A", "cores": "2"}},
    "two": {"machine": {"processor": "B"}},
    "three": {"machine": {"processor": "A", "cores": "2"}},
}
TABLE = ResultTable("Title", ["name", "error"], [["x", "**1.5**"]], ("A note.",))
QUESTION = Question("q", "Why?", lambda quick: {}, lambda results: [TABLE], lambda results: Figure())


def test_the_markdown_names_machines_and_has_all_tables():
    lines = markdown(QUESTION, RESULTS)
    assert lines[0] == "## Why?"
    assert [line for line in lines if line.startswith("- ")] == ["- processor A, cores 2", "- processor B"]
    assert "| speed | 2 s | at most 1 | no |" in lines
    assert lines[lines.index("**Title**") + 2 :][:5] == [
        "| name | error |",
        "|---|---|",
        "| x | **1.5** |",
        "",
        "A note.",
    ]
    assert "![Why?](q.svg)" in lines
    assert markdown(QUESTION, {}) == []


def test_the_terminal_and_the_plot(tmp_path):
    out = StringIO()
    show(QUESTION, RESULTS, tmp_path, Console(file=out, width=100))
    assert "speed" in out.getvalue() and "A note." in out.getvalue()
    assert "1.5" in out.getvalue() and "**" not in out.getvalue()
    assert (tmp_path / "q.svg").stat().st_size > 100
