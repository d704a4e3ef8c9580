"""Cases run in a child process with a limit of memory, watched by this one; it is started again when it dies."""

import json
import os
import random
import resource
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .verdicts import REFUSED, RIGHT, Verdict

MEGABYTES = 500  # that a case may need
SECONDS = 2.0  # of processor time that a case may need
_HANGS = 60.0  # seconds of processor time after which a silent child is ended
_SLEEPS = 600.0  # seconds without any processor time after which it is; a busy machine may take it away for long
_CASES_OF_A_CHILD = 100_000
_PREPARED = 3  # the place in a tally
_STEP = 1_000_003  # between the seeds of cases


@dataclass
class Clock:
    """The time of a target, which begins when it is prepared: imports and compilation take long on a busy machine."""

    limit: float  # seconds
    started: float | None = None

    def start(self) -> None:
        if self.started is None:
            self.started = time.monotonic()

    @property
    def seconds(self) -> float:
        return 0.0 if self.started is None else time.monotonic() - self.started

    @property
    def left(self) -> float:
        return self.limit - self.seconds


@dataclass
class CaseCounts:
    """What was run and found."""

    cases: int = 0
    calls: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    finds: dict[str, dict[str, Any]] = field(default_factory=dict)  # by signature

    def add_unsuspicious(self, tally: np.ndarray) -> None:
        """Cases without a find: right ones, refusals, and the calls of both."""
        right, refused, calls = tally[:3].tolist()
        self.cases += right + refused
        self.calls += calls
        self.kinds.update({RIGHT: right, REFUSED: refused})

    def add(self, verdict: Verdict, case: dict[str, Any]) -> None:
        self.cases += 1
        self.calls += verdict.calls
        self.kinds[verdict.kind] += 1
        if verdict.is_find:
            self.finds.setdefault(verdict.signature, {**verdict.as_dict(), "case": case})


def seed_of(seed: int, number: int) -> random.Random:
    """The source of randomness of one case."""
    return random.Random(seed * _STEP + number)


def run_supervised(target: str, seed: int, clock: Clock, folder: Path, limit: int | None, counts: CaseCounts) -> None:
    """Run and count cases of a target until its time or the limit of cases is over."""
    while clock.left > 0 and (limit is None or counts.cases < limit):
        count = _CASES_OF_A_CHILD if limit is None else min(_CASES_OF_A_CHILD, limit - counts.cases)
        _run_child(target, seed, counts, clock, folder, count)


def _run_child(target: str, seed: int, counts: CaseCounts, clock: Clock, folder: Path, count: int) -> None:
    first = counts.cases
    tally = _tally(folder, "w+")
    command = [sys.executable, "-m", "fuzz.supervised", target, str(seed), str(first), str(count), str(folder)]
    environment = {**os.environ, "MALLOC_ARENA_MAX": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    # In a session of its own, Ctrl-C reaches this process only, and a case under way is no find.
    child = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, start_new_session=True)
    try:
        hangs = _watch(child, tally, counts, clock)
    finally:
        over = clock.left <= 0
        child.kill()
        code = child.wait()
        counts.add_unsuspicious(tally)
    if hangs:
        counts.add(Verdict("hang", where=target), {"number": counts.cases})
    elif counts.cases < first + count and not over and code != 0:
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        counts.add(Verdict("death", name, where=f"{target}:{name}"), {"number": counts.cases})


def _watch(child: subprocess.Popen[bytes], tally: np.ndarray, counts: CaseCounts, clock: Clock) -> bool:
    """Count the finds of a child until it ends, hangs, or the time is over; whether it hangs."""
    assert child.stdout is not None
    buffer, done, last, working = b"", 0, 0.0, time.monotonic()
    seconds, waits = 0.0, 10 * _HANGS  # the first case comes after imports and compilation
    while clock.left > 0:
        if tally[_PREPARED]:
            clock.start()
        ready, _, _ = select.select([child.stdout], [], [], 1.0)
        before, seconds = seconds, _processor_time(child.pid)
        if seconds > before or ready:
            working = time.monotonic()
        if int(tally[:2].sum()) > done or ready:
            done, last, waits = int(tally[:2].sum()), seconds, _HANGS
        if not ready:
            if seconds - last > waits or time.monotonic() - working > _SLEEPS:
                return True
            continue
        received = os.read(child.stdout.fileno(), 2**16)
        if not received:
            break
        *lines, buffer = (buffer + received).split(b"\n")
        for line in lines:
            find = json.loads(line)
            counts.add(Verdict(**find["verdict"]), find["case"])
    return False


def _tally(folder: Path, mode: Any) -> np.ndarray:
    """How many cases of a child were right, how many refused, and the calls of these; and whether it was prepared.

    Shared with the child, so that it is known when it dies, and costs no messages.
    """
    return np.memmap(folder / "tally", np.int64, mode, shape=4)


def _processor_time(pid: int) -> float:
    """Seconds of processor time that a process has used, where the system tells; else seconds that have passed."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return time.monotonic()


def targets() -> dict[str, Any]:
    """The classes of targets that are judged case by case, by name."""
    from .forged_files import ForgedFiles
    from .hostile_texts import HostileTexts
    from .strange_calls import StrangeCalls
    from .strange_tables import StrangeTables

    return {cls.name: cls for cls in (ForgedFiles, StrangeCalls, StrangeTables, HostileTexts)}


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def child_main(name: str, seed: int, first: int, count: int, folder: Path) -> None:
    """Run cases and count them; report each find as a line of JSON."""
    finds = os.fdopen(os.dup(1), "w")  # cases may print
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    tally = _tally(folder, "r+")
    target = targets()[name](folder)
    if hasattr(target, "warm_up"):
        target.warm_up()
    warm = seed_of(seed, first)
    for _ in range(3):
        target.run(target.draw(warm))
    if sys.platform == "linux":
        limit = _address_space() + MEGABYTES * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    tally[_PREPARED] = 1
    for number in range(first, first + count):
        case = target.draw(seed_of(seed, number))
        start = time.process_time()
        verdict = target.run(case)
        seconds = time.process_time() - start
        if seconds > SECONDS and not verdict.is_find and number > first + 50:
            verdict = Verdict("slow", f"{seconds:.1f} s", where=name)
        if verdict.is_find:
            print(json.dumps({"verdict": verdict.as_dict(), "case": case}), file=finds, flush=True)
        else:
            tally[:3] += (verdict.kind == RIGHT, verdict.kind == REFUSED, verdict.calls)


if __name__ == "__main__":
    _name, _seed, _first, _count, _folder = sys.argv[1:]
    child_main(_name, int(_seed), int(_first), int(_count), Path(_folder))
