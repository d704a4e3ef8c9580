"""Side by side: how fast LDNN is, beside what a person would pick instead, and how its cost grows.

    python -m benchmarks.bench [--only limit,growth] [--quick] [--again]

Prints a table for each question and writes results/bench.json, with a description of the machine, bench.md with all
tables, and a plot for each question that has one. Every part is kept as soon as it is measured; a second start does
what is missing.
"""

import argparse
import os
import sys
import time
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"  # before NumPy is imported

from rich.console import Console
from rich.table import Table as Printed

from . import clusters, growth, head, larger_than_memory, limit, prediction, start, training
from .harness import AbsentError, Kept, Question, Table, figures_table, say

FOLDER = Path(__file__).parent / "results"
QUESTIONS: dict[str, Question] = {
    module.QUESTION.name: module.QUESTION
    for module in (training, limit, prediction, growth, larger_than_memory, start, clusters, head)
}
COLORS = {"yes": "[green]yes[/]", "no": "[red]no[/]"}


def measure(question: Question, kept: Kept, quick: bool, again: bool) -> list[str]:
    """Measure the parts of a question that are missing; what went wrong, in sentences."""
    troubles = []
    parts = question.parts(quick)
    there = {} if again else kept.of(question, quick)
    for number, (name, part) in enumerate(parts.items(), 1):
        if name in there:
            continue
        say(f"{question.name}, part {number} of {len(parts)}: {name}")
        begin = time.perf_counter()
        try:
            result = part()
        except AbsentError as reason:
            troubles.append(f"{question.name}: {name} is left out. {reason}")
            continue
        except Exception as error:  # the other parts are still worth measuring
            troubles.append(f"{question.name}: {name} failed. {type(error).__name__}: {error}")
            continue
        kept.keep(question, name, result, time.perf_counter() - begin)
    return troubles


def show(question: Question, kept: Kept, quick: bool, console: Console) -> list[str]:
    """Print and draw what was measured; the same as Markdown."""
    results = kept.of(question, quick)
    if not results:
        return []
    figures = figures_table(results)
    tables = [figures] if figures else []
    tables += question.tables(results) if question.tables else []
    report = [f"## {question.title}", ""]
    for table in tables:
        report += _markdown(table)
        if table.title:
            console.print(f"\n{table.title}", style="bold")
        console.print(_printed(table))
        for note in table.notes:
            console.print(note, style="dim")
    if question.plot:
        path = kept.path.with_name(f"{kept.path.stem}-{question.name}.svg")
        drawing = question.plot(results)
        if drawing is not None:
            drawing.savefig(path)
            console.print(f"Drawn in {path}", style="dim")
            report += [f"![{question.title}]({path.name})", ""]
    return report


def _markdown(table: Table) -> list[str]:
    title = [f"**{table.title}**", ""] if table.title else []
    lines = ["| " + " | ".join(cells) + " |" for cells in (table.columns, *table.rows)]
    return [*title, lines[0], "|---" * len(table.columns) + "|", *lines[1:], "", *table.notes, ""]


def _printed(table: Table) -> Printed:
    printed = Printed()
    for number, column in enumerate(table.columns):
        printed.add_column(column, justify="left" if number == 0 else "right")
    for row in table.rows:
        printed.add_row(*(COLORS.get(cell, cell) for cell in row))
    return printed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default=",".join(QUESTIONS), help="names of questions, separated by commas")
    parser.add_argument("--quick", action="store_true", help="small sizes: shows that it works, not how fast it is")
    parser.add_argument("--again", action="store_true", help="measure anew what is in the file of results already")
    parser.add_argument("--show", action="store_true", help="print and draw what is in the file, measure nothing")
    parser.add_argument("--results", type=Path, help="the file of results (bench.json, or quick.json with --quick)")
    options = parser.parse_args()
    chosen = options.only.split(",")
    unknown = [name for name in chosen if name not in QUESTIONS]
    if unknown:
        parser.error(f"there is no question {unknown[0]!r}: choose from {', '.join(QUESTIONS)}")
    path = options.results or FOLDER / ("quick.json" if options.quick else "bench.json")
    kept = Kept(path, start_again=options.again and set(chosen) == set(QUESTIONS))
    console = Console(width=None if sys.stdout.isatty() else 120)
    troubles: list[str] = []
    machine = ", ".join(f"{name} {value}" for name, value in kept.machine.items())
    report = ["# How fast, and how cost grows", "", f"By `make bench`, on: {machine}.", ""]
    try:
        for name in chosen:
            question = QUESTIONS[name]
            console.rule(question.title, align="left")
            if not options.show:
                troubles += measure(question, kept, options.quick, options.again)
            report += show(question, kept, options.quick, console)
    except KeyboardInterrupt:
        console.print(f"\nStopped; what was measured is kept in {path}. Start again to go on.")
        return 130
    for trouble in troubles:
        console.print(trouble, markup=False)
    if set(chosen) == set(QUESTIONS):  # a report of all, or none
        path.with_suffix(".md").write_text("\n".join(report))
    console.print(f"Kept in {path}", style="dim")
    return int(any(" failed. " in trouble for trouble in troubles))


if __name__ == "__main__":
    sys.exit(main())
