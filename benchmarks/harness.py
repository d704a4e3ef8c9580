"""What all questions of `bench.py` share: the parts of a question, its file of results, figures with their bounds.

A question is a module with a `QUESTION`. It has parts; the result of each part is stored as soon as it is measured.
"""

import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from experiments import records
from experiments.machine import describe_machine

Result = dict[str, Any]  # of one part, in JSON's types; "figures" is a list of what `figure` returns
Results = dict[str, Result]  # of the parts of a question, by name
Parts = dict[str, Callable[[], Result]]

_FIELDS = {"part": str, "machine": dict}  # of every stored result


class AbsentError(Exception):
    """A part cannot be measured here; one sentence says why."""


@contextmanager
def needs_data() -> Iterator[None]:
    """Turn a missing data set into an `AbsentError`."""
    try:
        yield
    except FileNotFoundError as error:
        raise AbsentError(str(error)) from None


@dataclass(frozen=True)
class ResultTable:
    """Rows of text below a title; the first column names the row. notes: sentences below the table."""

    title: str
    columns: list[str]
    rows: list[list[str]]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """A question, the parts that answer it, and how the answers are shown.

    parts: functions by name, in the order in which they are measured; parts(True) has sizes that take moments.
    tables: in addition to the table of figures. plot: a matplotlib figure. retired: parts that can no longer be
    measured, whose stored results are still shown. threads: the limit for BLAS and OpenMP; None for no limit.
    one_machine: whether all parts have to be measured on the same machine, since times are compared.
    """

    name: str
    title: str
    parts: Callable[[bool], Parts]
    tables: Callable[[Results], list[ResultTable]] | None = None
    plot: Callable[[Results], Any] | None = None
    retired: tuple[str, ...] = ()
    threads: int | None = 1
    one_machine: bool = True


class ResultFile:
    """The stored results of a question: a file with one line of JSON per part, of which the last one counts."""

    def __init__(self, folder: Path, question: Question):
        self.path = folder / f"{question.name}.jsonl"
        self._question = question

    def read(self, quick: bool) -> Results:
        """The results that are stored, in the order of the question's parts."""
        stored = {record["part"]: record for record in records.read(self.path, **_FIELDS)}
        names = [*self._question.parts(quick), *self._question.retired]
        return {name: stored[name] for name in names if name in stored}

    def add(self, part: str, result: Result, seconds: float) -> None:
        measured = datetime.now().astimezone().isoformat(timespec="minutes")
        line = {"part": part, "measured": measured, "seconds": round(seconds, 1), **result}
        records.append(self.path, {**line, "machine": describe_machine()})

    def remove(self, parts: Collection[str]) -> None:
        """Delete the results of these parts."""
        records.remove(self.path, lambda record: record["part"] in parts, **_FIELDS)

    def check_machine(self, quick: bool, replaced: Collection[str] = ()) -> None:
        """Stop if results of another machine are stored and must not be mixed with those of this one.

        replaced: parts whose results do not matter, since they will be measured again. Retired ones cannot be.
        """
        machine = describe_machine()
        ignored = {*replaced, *self._question.retired}
        kept = [record for name, record in self.read(quick).items() if name not in ignored]
        if self._question.one_machine and any(record["machine"] != machine for record in kept):
            raise SystemExit(
                f"{self.path} was measured on another machine or with other versions: measure everything again with "
                "--again, or give another folder with --results."
            )


def say(text: str) -> None:
    """Report progress on standard error."""
    print(f"    {text}", file=sys.stderr, flush=True)


def figure(
    name: str, value: float, unit: str = "", at_most: float | None = None, at_least: float | None = None
) -> dict[str, Any]:
    """One measured number, and its bound if it has one."""
    entry: dict[str, Any] = {"name": name, "value": float(f"{value:.4g}"), "unit": unit}
    if at_most is not None:
        entry |= {"bound": f"at most {at_most:g}", "kept": bool(value <= at_most)}
    if at_least is not None:
        entry |= {"bound": f"at least {at_least:g}", "kept": bool(value >= at_least)}
    return entry


def figures_table(results: Results) -> ResultTable | None:
    """All figures of a question; None if it has none."""
    rows = [
        [entry["name"], f"{entry['value']:.3g} {entry['unit']}".strip(), entry.get("bound", ""),
         {True: "yes", False: "no"}.get(entry.get("kept", ""), "")]
        for result in results.values()
        for entry in result.get("figures", [])
    ]  # fmt: skip
    return ResultTable("", ["what", "measured", "to reach", "reached"], rows) if rows else None
