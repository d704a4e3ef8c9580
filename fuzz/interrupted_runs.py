"""Signals to `ldnn fit` at random times: it leaves a whole model file, the one from before, or none."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import ldnn

from .supervised import CaseCounts, Clock, seed_of
from .verdicts import REFUSED, RIGHT, Verdict

_SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]
_QUICK = [
    "n_conjunctions=2",
    "n_discriminants=2",
    "n_estimators=1",
    "learning_rate=1",
    "loss=squared",
    "max_epochs=2000",
]


def run_interrupted(seed: int, clock: Clock, folder: Path, limit: int | None, counts: CaseCounts) -> None:
    """Start `ldnn fit` again and again on the same model file, and send it signals, until the time is over."""
    table, model = folder / "table.csv", folder / "table.ldnn"
    X = np.random.default_rng(seed).standard_normal((300, 4))
    rows = [f"{a:.3f},{b:.3f},{c:.3f},{d:.3f},{'yes' if a * b > 0 else 'no'}" for a, b, c, d in X]
    table.write_text("\n".join(["a,b,c,d,answer", *rows]) + "\n")
    longest = _whole_run(table, model)
    clock.start()
    while not counts.cases or (clock.left > longest and (limit is None or counts.cases < limit)):
        source = seed_of(seed, counts.cases)
        case = {"signal": source.choice(_SIGNALS).name, "share": source.random(), "keep": source.random() < 0.5}
        counts.add(_interrupt(table, model, case, longest), case)


def _command(table: Path, model: Path) -> list[str]:
    settings = [part for setting in _QUICK for part in ("--set", setting)]
    return [sys.executable, "-m", "ldnn", "fit", str(table), "-t", "answer", "-o", str(model), "-q", *settings]


def _whole_run(table: Path, model: Path) -> float:
    start = time.monotonic()
    subprocess.run(_command(table, model), check=True, capture_output=True)
    return time.monotonic() - start


def _interrupt(table: Path, model: Path, case: dict[str, Any], longest: float) -> Verdict:
    """keep: whether a model was there before; share: of the time of a whole run after which the signal comes."""
    before = model.read_bytes() if model.exists() else None
    if not case["keep"] or before is None:
        model.unlink(missing_ok=True)
        before = None
    process = subprocess.Popen(_command(table, model), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        process.wait(case["share"] * longest)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.Signals[case["signal"]])
    _, errors = process.communicate()
    return _judge(model, before, process.returncode, errors.decode(errors="replace"), case["signal"])


def _judge(model: Path, before: bytes | None, code: int, errors: str, name: str) -> Verdict:
    left = [path.name for path in model.parent.glob(".*.part")]
    if left and (name != "SIGKILL" or code == 0):
        return Verdict("left behind", str(left), where=name)
    if "Traceback" in errors and ", in main" in errors:  # not one of the interpreter's own start
        return Verdict("traceback", errors[-500:], where=name)
    if model.exists() and model.read_bytes() != before:
        try:
            ldnn.load(model)
        except ValueError as error:
            return Verdict("half a file", str(error), where=name)
    elif not model.exists() and (code == 0 or before is not None):
        return Verdict("no file", f"exit code {code}", where=name)
    return Verdict(RIGHT if code == 0 else REFUSED)
