"""What all questions of `bench.py` share: clocks, processes of their own, figures, and the file that keeps the results.

A question is a file with a `QUESTION`. It falls into parts; each part is measured at once, and kept as soon as it is
there.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ldnn.whole import written_whole
from reproduction.machine import describe_machine

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
Result = dict[str, Any]  # of one part, as JSON can hold it; "figures" lists what `figure` makes
Results = dict[str, Result]  # of the parts of a question, by name


class AbsentError(Exception):
    """A part cannot be measured here; one sentence says why."""


@dataclass(frozen=True)
class Table:
    """Rows of text under a title; the first column names what the others tell about. notes: sentences below."""

    title: str
    columns: list[str]
    rows: list[list[str]]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """What is asked, the parts that answer it, and how the answers are shown.

    parts: functions by name, in the order in which they are measured; given True, at sizes that take moments.
    tables: beside that of the figures. plot: a matplotlib figure.
    """

    name: str
    title: str
    parts: Callable[[bool], dict[str, Callable[[], Result]]]
    tables: Callable[[Results], list[Table]] | None = None
    plot: Callable[[Results], Any] | None = None


# --- measuring --------------------------------------------------------------------------------------------------------


def in_turn(functions: dict[str, Callable[[], Any]], repeats: int, clock=time.process_time) -> dict[str, float]:
    """The smallest time of each function, called in turn so that a slow moment of the machine meets them all."""
    best = dict.fromkeys(functions, np.inf)
    for _ in range(repeats):
        for name, function in functions.items():
            start = clock()
            function()
            best[name] = min(best[name], clock() - start)
    return best


def latency(function: Callable[[], Any], seconds: float = 1.0) -> float:
    """The median of the seconds that a short call takes, over many calls."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """The p of costs ~ size**p, by least squares of the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])


def memory(kind: str) -> int:
    """Bytes of this process: "VmRSS", resident now, or "VmHWM", the most that were."""
    status = Path("/proc/self/status")
    if not status.exists():
        raise AbsentError("Memory is read from /proc/self/status, which this system does not have.")
    return int(status.read_text().split(kind + ":")[1].split()[0]) * 1024


def apart(function: Callable[..., Any], threads: int = 1, **arguments: Any) -> Any:
    """The dict that a function of a benchmark's file returns when a process of its own calls it."""
    environment = {**os.environ, **dict.fromkeys(THREADS, str(threads))}
    command = [
        sys.executable,
        "-m",
        "benchmarks.harness",
        function.__module__,
        function.__name__,
        json.dumps(arguments),
    ]
    returned = json.loads(run(command, environment))
    if "absent" in returned:
        raise AbsentError(returned["absent"])
    return returned


def run(command: list[str], environment: dict[str, str] | None = None) -> str:
    """What a command prints last; its messages, where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[:4])} failed: {done.stderr.strip().splitlines()[-1:]}")
    return done.stdout.strip().splitlines()[-1] if done.stdout.strip() else ""


# --- telling ----------------------------------------------------------------------------------------------------------


def say(text: str) -> None:
    """Progress, on standard error."""
    print(f"    {text}", file=sys.stderr, flush=True)


def figure(
    name: str, value: float, unit: str = "", at_most: float | None = None, at_least: float | None = None
) -> dict[str, Any]:
    """One measured number, and the bound that it should keep."""
    entry: dict[str, Any] = {"name": name, "value": float(f"{value:.4g}"), "unit": unit}
    if at_most is not None:
        entry |= {"bound": f"at most {at_most:g}", "kept": bool(value <= at_most)}
    if at_least is not None:
        entry |= {"bound": f"at least {at_least:g}", "kept": bool(value >= at_least)}
    return entry


def figures_table(results: Results) -> Table | None:
    """All figures of a question."""
    rows = [
        [entry["name"], f"{entry['value']:.3g} {entry['unit']}".strip(), entry.get("bound", ""),
         {True: "yes", False: "no"}.get(entry.get("kept", ""), "")]
        for result in results.values()
        for entry in result.get("figures", [])
    ]  # fmt: skip
    return Table("", ["what", "measured", "to reach", "reached"], rows) if rows else None


# --- keeping ----------------------------------------------------------------------------------------------------------


class Kept:
    """The results of a run in one file of JSON, which is whole at any moment."""

    def __init__(self, path: Path, start_again: bool = False):
        self.path = path
        self.machine = describe_machine()
        self.parts: Results = {}
        if path.exists() and not start_again:
            content = json.loads(path.read_text())
            if content["machine"] != self.machine:
                raise SystemExit(
                    f"{path} was measured on another machine or with other versions: measure all anew with --again, or "
                    "name another file with --results."
                )
            self.parts = content["parts"]

    def of(self, question: Question, quick: bool) -> Results:
        """The parts of a question that are there, in their order."""
        names = ((name, f"{question.name}: {name}") for name in question.parts(quick))
        return {name: self.parts[key] for name, key in names if key in self.parts}

    def keep(self, question: Question, part: str, result: Result, seconds: float) -> None:
        measured = datetime.now().astimezone().isoformat(timespec="minutes")
        self.parts[f"{question.name}: {part}"] = {"measured": measured, "seconds": round(seconds, 1), **result}
        with written_whole(self.path) as file:
            file.write_text(json.dumps({"machine": self.machine, "parts": self.parts}, indent=1) + "\n")


if __name__ == "__main__":
    sys.modules["benchmarks.harness"] = sys.modules["__main__"]  # for the file that is asked for
    _module, _function, _arguments = sys.argv[1:]
    try:
        _returned = getattr(import_module(_module), _function)(**json.loads(_arguments))
    except AbsentError as _reason:
        _returned = {"absent": str(_reason)}
    print(json.dumps(_returned))
