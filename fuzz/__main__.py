"""`python -m fuzz --minutes 10 --seed 0 --only files,api`: attack ldnn for a while, and keep what was found."""

import argparse
import json
import re
import signal
import sys
import tempfile
from functools import partial
from pathlib import Path

from .supervised import CaseCounts, Clock, run_supervised, targets

_SIGNALS, _KILLS = "signals", "kills"
_FINDS = Path("tests/fuzz/finds")


def main() -> int:
    names = [*targets(), _SIGNALS, _KILLS]
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="in total, shared by the targets (default: 10)")
    parser.add_argument("--seed", type=int, default=0, help="the same seed runs the same cases (default: 0)")
    parser.add_argument("--only", default=",".join(names), help=f"targets, of {', '.join(names)}")
    parser.add_argument("--cases", type=int, help="end a target after this many cases")
    parser.add_argument("--finds", type=Path, default=_FINDS, help=f"folder of finds (default: {_FINDS})")
    given = parser.parse_args()
    chosen = given.only.split(",")
    for name in set(chosen) - set(names):
        parser.error(f"there is no target {name!r}; use some of {', '.join(names)}")
    # A run that is ended reports, also in the background of a shell, where SIGINT would be ignored.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    found = 0
    for name in chosen:
        counts, clock = CaseCounts(), Clock(60 * given.minutes / len(chosen))
        try:
            _run(name, given.seed, clock, given.cases, counts)
        except KeyboardInterrupt:
            _report(name, given.seed, counts, clock.seconds, given.finds)
            print("Interrupted.")
            return 130
        found += _report(name, given.seed, counts, clock.seconds, given.finds)
    return 1 if found else 0


def _run(name: str, seed: int, clock: Clock, limit: int | None, counts: CaseCounts) -> None:
    """Run cases of a target, and count them."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        if name == _SIGNALS:
            from .interrupted_runs import run_interrupted as run
        elif name == _KILLS:
            from .killed_sweeps import run_killed as run
        else:
            run = partial(run_supervised, name)
        run(seed, clock, Path(folder), limit, counts)


def _report(name: str, seed: int, counts: CaseCounts, seconds: float, folder: Path) -> int:
    """Print what was run, and write finds to files; the number of finds."""
    rate = counts.cases / max(seconds, 1e-9)
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in counts.kinds.most_common())
    calls = f" ({counts.calls:,} calls)" if counts.calls > counts.cases else ""
    print(f"{name}, seed {seed}: {counts.cases:,} cases{calls} in {seconds:.0f} s ({rate:.0f} per second): {kinds}")
    for signature, find in counts.finds.items():
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}-{re.sub('[^A-Za-z0-9]+', '-', signature)}.json"
        path.write_text(json.dumps({"target": name, "seed": seed, **find}, indent=1) + "\n")
        print(f"  {signature}: {find['message'][:150]} -> {path}")
    sys.stdout.flush()
    return len(counts.finds)


if __name__ == "__main__":
    sys.exit(main())
