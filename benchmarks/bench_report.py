"""The results of a question on the terminal, as a plot, and as Markdown."""

import re
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.table import Table as TerminalTable

from .harness import Question, Results, ResultTable, figures_table

COLORS = {"yes": "[green]yes[/]", "no": "[red]no[/]"}


def tables(question: Question, results: Results) -> list[ResultTable]:
    """The table of figures, if there are any, and the question's own tables."""
    figures = figures_table(results)
    return [*([figures] if figures else []), *(question.tables(results) if question.tables else [])]


def show(question: Question, results: Results, folder: Path, console: Console) -> None:
    """Print the results, and draw them as <question>.svg."""
    if not results:
        return
    for table in tables(question, results):
        if table.title:
            console.print(f"\n{table.title}", style="bold")
        console.print(_for_terminal(table))
        for note in table.notes:
            console.print(note, style="dim")
    drawing = question.plot(results) if question.plot else None
    if drawing is not None:
        drawing.savefig(_plot_path(question, folder), metadata={"Date": None})
        console.print(f"Plotted in {_plot_path(question, folder)}", style="dim")


def markdown(question: Question, results: Results) -> list[str]:
    """A section of the report, in lines; it names the machines."""
    if not results:
        return []
    lines = [f"## {question.title}", "", f"`python -m benchmarks.bench --only {question.name}`, on:", ""]
    lines += [f"- {machine}" for machine in _machines(results)] + [""]
    for table in tables(question, results):
        lines += _as_markdown(table)
    if question.plot and question.plot(results) is not None:
        lines += [f"![{question.title}]({question.name}.svg)", ""]
    return lines


def _plot_path(question: Question, folder: Path) -> Path:
    return folder / f"{question.name}.svg"


def _machines(results: Results) -> Iterable[str]:
    """The different machines of the results, each in one line."""
    described = (", ".join(f"{name} {value}" for name, value in r["machine"].items()) for r in results.values())
    return dict.fromkeys(described)


def _as_markdown(table: ResultTable) -> list[str]:
    title = [f"**{table.title}**", ""] if table.title else []
    lines = ["| " + " | ".join(cells) + " |" for cells in (table.columns, *table.rows)]
    return [*title, lines[0], "|---" * len(table.columns) + "|", *lines[1:], "", *table.notes, ""]


def _for_terminal(table: ResultTable) -> TerminalTable:
    """The best values, which are bold in Markdown, are bold here, too."""
    shown = TerminalTable()
    for number, column in enumerate(table.columns):
        shown.add_column(column, justify="left" if number == 0 else "right")
    for row in table.rows:
        shown.add_row(*(COLORS.get(cell, re.sub(r"\*\*(.+)\*\*", r"[bold]\1[/]", cell)) for cell in row))
    return shown
