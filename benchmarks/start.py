"""What does the first use cost: importing, the first fit ever, the first fit of a process, the command line?"""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from .harness import AbsentError, Question, Result, figure, in_turn, run

# A process that has imported nothing yet: seconds of the import, and of the first fit beyond those of the second.
FIRST_FIT = """
import time
start = time.perf_counter()
import ldnn
imported = time.perf_counter() - start
import sklearn.base
import numpy as np
X = np.random.default_rng(0).standard_normal((2000, 10))
y = X[:, 0] * X[:, 1] > 0
paper = {"loss": "squared", "bends": None, "n_networks": 1, "step_size": 0.25, "max_epochs": 60, "random_state": 0}
model = ldnn.LDNNClassifier(10, 10, **paper) if {paper} else ldnn.LDNNClassifier(random_state=0)
start = time.perf_counter()
model.fit(X, y)
first = time.perf_counter() - start
start = time.perf_counter()
model.fit(X, y)
print(imported, first - (time.perf_counter() - start))
"""


def parts(quick: bool) -> dict[str, Callable[[], Result]]:
    repeats = 1 if quick else 3
    return {"first fits": partial(first_fits, repeats), "command line": partial(command_line, 2 if quick else 7)}


def _first_fit(is_paper: bool, cache: str) -> list[float]:
    script = FIRST_FIT.replace("{paper}", str(is_paper))
    said = run([sys.executable, "-c", script], {**os.environ, "NUMBA_CACHE_DIR": cache})
    return [float(word) for word in said.split()]


def first_fits(repeats: int) -> Result:
    """With nothing compiled yet, then in a later process: a network as in the paper, and everything by default."""
    cold, warm = {True: [], False: []}, {True: [], False: []}  # type: dict[bool, list], dict[bool, list]
    for is_paper in (True, False):
        for _ in range(repeats):
            with tempfile.TemporaryDirectory() as cache:
                cold[is_paper].append(_first_fit(is_paper, cache))
                warm[is_paper].append(_first_fit(is_paper, cache))
    imported = np.min(warm[True] + warm[False], axis=0)[0]
    ever, later = (np.min(times[True], axis=0)[1] for times in (cold, warm))
    ever_default, later_default = (np.min(times[False], axis=0)[1] for times in (cold, warm))
    return {
        "figures": [
            figure("import ldnn", imported, "s", at_most=0.1),
            figure("first fit ever (nothing compiled yet), beyond the fit itself", ever, "s", at_most=6),
            figure("first fit of a later process, beyond the fit itself", later, "s", at_most=1.5),
            figure("first fit ever, everything by default, beyond the fit itself", ever_default, "s"),
            figure("first fit of a later process, everything by default", later_default, "s"),
        ]
    }


def command_line(repeats: int) -> Result:
    """Wall time of `ldnn --help`, all of the process."""
    import time

    beside = Path(sys.executable).with_name("ldnn")
    command = str(beside) if beside.exists() else shutil.which("ldnn")
    if command is None:
        raise AbsentError("The command `ldnn` is not installed.")
    run([command, "--help"])
    best = in_turn({"help": lambda: run([command, "--help"])}, repeats, clock=time.perf_counter)
    return {"figures": [figure("ldnn --help", best["help"], "s", at_most=0.5)]}


QUESTION = Question("start", "What does the first use cost?", parts)
