"""Benchmarks: measure what is missing, store each result at once, and show all results.

    python -m benchmarks.bench [--only limit,growth] [--parts TEXT] [--quick] [--again] [--show]

Each question has a file results/<question>.jsonl, with one line per part; a second start measures what is missing.
results/bench.md has the tables of all questions, and there is a plot for each question that has one. Without --only,
the questions about speed are measured.
"""

import argparse
import sys
import time
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path

from rich.console import Console
from threadpoolctl import threadpool_limits

from experiments.folder_lock import locked

from .bench_report import markdown, show
from .harness import AbsentError, Question, ResultFile, say

FOLDER = Path(__file__).parent / "results"
SPEED = (
    "time_to_error", "limit", "prediction_speed", "growth", "larger_than_memory", "start", "kmeans_starts",
    "head_cost", "cluster", "images",
)  # fmt: skip
ERRORS = ("accuracy", "defaults", "peers", "ablation", "wide_tables", "component_shares", "torch_tables", "rules")
QUESTIONS = (*SPEED, *ERRORS)


def load_question(name: str) -> Question:
    """The question of a module, which is imported only now: some need PyTorch or pyarrow."""
    return import_module(f".{name}", __package__).QUESTION


def measure(question: Question, folder: Path, quick: bool, again: bool, containing: str = "") -> list[str]:
    """Measure the parts of a question that are missing. Returns what went wrong, in sentences."""
    troubles = []
    file = ResultFile(folder, question)
    parts = {name: part for name, part in question.parts(quick).items() if containing in name}
    file.check_machine(quick, replaced=parts if again else ())
    if again:
        file.remove(parts)
    stored = file.read(quick)
    for number, (name, part) in enumerate(parts.items(), 1):
        if name in stored:
            continue
        say(f"{question.name}, part {number} of {len(parts)}: {name}")
        begin = time.perf_counter()
        try:
            with threadpool_limits(question.threads):
                result = part()
        except AbsentError as reason:
            troubles.append(f"{question.name}: {name} was skipped. {reason}")
            continue
        except Exception as error:  # the other parts are still worth measuring
            troubles.append(f"{question.name}: {name} failed. {type(error).__name__}: {error}")
            continue
        file.add(name, result, time.perf_counter() - begin)
    return troubles


def write_report(folder: Path, quick: bool) -> Path:
    """One Markdown file with the tables of all questions that have results."""
    lines = ["# Benchmarks", ""]
    for name in QUESTIONS:
        if (folder / f"{name}.jsonl").exists():
            question = load_question(name)
            lines += markdown(question, ResultFile(folder, question).read(quick))
    path = folder / "bench.md"
    path.write_text("\n".join(lines))
    return path


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", default=",".join(SPEED), help=f"questions, separated by commas: {', '.join(QUESTIONS)}"
    )
    parser.add_argument("--parts", default="", help="only parts whose name contains this text, such as a data set")
    parser.add_argument("--quick", action="store_true", help="small sizes: shows that it works, not how fast it is")
    parser.add_argument("--again", action="store_true", help="measure again what is stored already")
    parser.add_argument("--show", action="store_true", help="only show what is stored")
    parser.add_argument("--results", type=Path, help="folder of results (benchmarks/results)")
    return parser


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    chosen = options.only.split(",")
    unknown = [name for name in chosen if name not in QUESTIONS]
    if unknown:
        parser().error(f"there is no question {unknown[0]!r}: choose from {', '.join(QUESTIONS)}")
    folder = options.results or (FOLDER / "quick" if options.quick else FOLDER)
    with nullcontext() if options.show else locked(folder):
        return _answer(chosen, folder, options)


def _answer(chosen: list[str], folder: Path, options: argparse.Namespace) -> int:
    """Measure the chosen questions, or only show what is stored; returns the exit code."""
    console = Console(width=None if sys.stdout.isatty() else 160)
    troubles: list[str] = []
    try:
        for name in chosen:
            question = load_question(name)
            console.rule(question.title, align="left")
            if not options.show:
                troubles += measure(question, folder, options.quick, options.again, options.parts)
            show(question, ResultFile(folder, question).read(options.quick), folder, console)
    except KeyboardInterrupt:
        console.print(f"\nStopped; what was measured is stored in {folder}. Start again to continue.")
        return 130
    for trouble in troubles:
        console.print(trouble, markup=False)
    console.print(f"All tables are in {write_report(folder, options.quick)}", style="dim")
    return int(any(" failed. " in trouble for trouble in troubles))


if __name__ == "__main__":
    sys.exit(main())
