"""What does the first use cost: the import, the first fit ever, the first fit of a process, the command line?"""

import os
import shutil
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from experiments.plain_network import PLAIN
from experiments.timing import in_turn

from .harness import AbsentError, Parts, Question, Result, figure
from .processes import run

# In a process that has imported nothing yet: seconds of the import, and by how many the first fit is longer than the
# second. `parameters` is filled in.
FIRST_FIT = """
import time
start = time.perf_counter()
import ldnn
imported = time.perf_counter() - start
import sklearn.base
import numpy as np
X = np.random.default_rng(0).standard_normal((2000, 10))
y = X[:, 0] * X[:, 1] > 0
model = ldnn.LDNNClassifier(**{parameters})
start = time.perf_counter()
model.fit(X, y)
first = time.perf_counter() - start
start = time.perf_counter()
model.fit(X, y)
print(imported, first - (time.perf_counter() - start))
"""


# Everything by default, and a network as in the paper.
DEFAULT: dict[str, Any] = {"random_state": 0}
PAPER: dict[str, Any] = {
    **PLAIN, **DEFAULT, "n_conjunctions": 10, "n_discriminants": 10, "learning_rate": 0.25, "max_epochs": 60,
    "validation_fraction": 0.1,
}  # fmt: skip


def parts(quick: bool) -> Parts:
    repeats = 1 if quick else 3
    return {"first fits": partial(first_fits, repeats), "command line": partial(command_line, 2 if quick else 7)}


def _first_fit(parameters: dict[str, Any], cache: str) -> list[float]:
    script = FIRST_FIT.replace("{parameters}", repr(parameters))
    printed = run([sys.executable, "-c", script], {**os.environ, "NUMBA_CACHE_DIR": cache})
    return [float(word) for word in printed.split()]


def _cold_and_warm(parameters: dict[str, Any], repeats: int) -> tuple[list[float], list[float]]:
    """The shortest seconds (import, first fit) with an empty cache of compiled code, and in a later process."""
    cold, warm = [], []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(_first_fit(parameters, cache))
            warm.append(_first_fit(parameters, cache))
    return np.min(cold, axis=0).tolist(), np.min(warm, axis=0).tolist()


def first_fits(repeats: int) -> Result:
    """With nothing compiled yet, then in a later process: a network as in the paper, and everything by default."""
    (_, ever), (imported, later) = _cold_and_warm(PAPER, repeats)
    (_, ever_default), (imported_again, later_default) = _cold_and_warm(DEFAULT, repeats)
    return {
        "figures": [
            figure("import ldnn", min(imported, imported_again), "s", at_most=0.02),
            figure("first fit ever (nothing compiled yet), beyond the fit itself", ever, "s", at_most=6),
            figure("first fit of a later process, beyond the fit itself", later, "s", at_most=1.5),
            figure("first fit ever, everything by default, beyond the fit itself", ever_default, "s"),
            figure("first fit of a later process, everything by default", later_default, "s"),
        ]
    }


def command_line(repeats: int) -> Result:
    """Wall time of `ldnn --help`, including the start of the process."""
    beside = Path(sys.executable).with_name("ldnn")
    command = str(beside) if beside.exists() else shutil.which("ldnn")
    if command is None:
        raise AbsentError("The command `ldnn` is not installed.")
    run([command, "--help"])
    best = in_turn({"help": lambda: run([command, "--help"])}, repeats, clock=time.perf_counter)
    return {"figures": [figure("ldnn --help", best["help"], "s", at_most=0.5)]}


QUESTION = Question("start", "What does the first use cost?", parts)
