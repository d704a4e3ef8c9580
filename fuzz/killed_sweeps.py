"""SIGKILL to `python -m reproduction` at random times: started again, it does what is missing, and nothing twice."""

import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from experiments import records
from reproduction.runner import Store

from .supervised import CaseCounts, Clock, seed_of
from .verdicts import RIGHT, Verdict

_CLASSIFIERS, _REPEATS = ("LDNN 1x1", "Mod-N 1x1"), 8
_WANTED = {(name, repeat) for name in _CLASSIFIERS for repeat in range(_REPEATS)}


def run_killed(seed: int, clock: Clock, folder: Path, limit: int | None, counts: CaseCounts) -> None:
    """Kill sweeps until the time is over; each is then run to its end."""
    longest = _whole_run(folder / "first")
    clock.start()
    while not counts.cases or (clock.left > 3 * longest and (limit is None or counts.cases < limit)):
        source = seed_of(seed, counts.cases)
        case = {"shares": [round(source.random(), 3) for _ in range(source.choice([1, 1, 2]))]}
        counts.add(_kill(folder / str(counts.cases), case, longest), case)


def _start(folder: Path) -> subprocess.Popen:
    wanted = ["--data", "two_moons", "--classifiers", *_CLASSIFIERS, "--repeats", str(_REPEATS)]
    command = [sys.executable, "-m", "reproduction", "--results", str(folder), *wanted]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def _whole_run(folder: Path) -> float:
    start = time.monotonic()
    _, errors = _start(folder).communicate()
    if len(_stored(folder)) != len(_WANTED):
        raise RuntimeError(f"A sweep that nobody kills is not done: {errors.decode(errors='replace')[-500:]}")
    return time.monotonic() - start


def _stored(folder: Path) -> list[dict[str, Any]]:
    return records.read(Store(folder).path("table1", "two_moons"))


def _kill(folder: Path, case: dict[str, Any], longest: float) -> Verdict:
    """shares: of the time of a whole run after which SIGKILL comes, one for each start."""
    before: list[dict[str, Any]] = []
    for share in [*case["shares"], None]:
        process = _start(folder)
        try:
            process.wait(None if share is None else share * longest)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        _, errors = process.communicate()
        stored = _stored(folder)
        if stored[: len(before)] != before:
            return Verdict("lost records", f"{len(before)} before, {len(stored)} after", where="SIGKILL")
        if share is None and process.returncode != 0:
            return Verdict("not resumed", errors.decode(errors="replace")[-500:], where="SIGKILL")
        before = stored
    done = Counter((record["classifier"], record["repeat"]) for record in before)
    if done.keys() != _WANTED or max(done.values()) > 1:
        return Verdict("not each once", str(sorted(done.items())), where="SIGKILL")
    return Verdict(RIGHT)
