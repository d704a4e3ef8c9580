"""Tables trained by PyTorch in mini-batches: are the errors those of the compiled loops?

Both classifiers have default parameters, the same seeds and so the same automatic choices; PyTorch trains on the
processor. Errors are those of the official test rows, means over the seeds; seconds are processor time of the fits.
"""

import time
from functools import partial
from typing import Any

import numpy as np

from experiments.splits import load, take
from ldnn import LDNNClassifier
from ldnn.deep import TorchLDNNClassifier

from .harness import Parts, Question, Result, figure, needs_data, say

SETS = ("adult", "ijcnn1", "letter")
SEEDS = 3
AT_MOST = 1.05  # times the error of the compiled loops


def parts(quick: bool) -> Parts:
    effort, seeds = (0.01, 1) if quick else (1.0, SEEDS)
    return {name: partial(compare, name, effort, seeds) for name in SETS}


def compare(name: str, effort: float, seeds: int) -> Result:
    """Mean errors and processor seconds of both classifiers on the official split."""
    with needs_data():
        problem = load(name, raw=True)
    errors: dict[str, list[float]] = {"compiled": [], "PyTorch": []}
    seconds: dict[str, list[float]] = {"compiled": [], "PyTorch": []}
    for seed in range(seeds):
        shared: dict[str, Any] = {"effort": effort, "n_jobs": 1, "random_state": seed}
        models: dict[str, Any] = {
            "compiled": LDNNClassifier(**shared),
            "PyTorch": TorchLDNNClassifier(**shared, device="cpu"),
        }
        for kind, model in models.items():
            error, duration = _fit_and_test(model, problem)
            errors[kind].append(error)
            seconds[kind].append(duration)
            say(f"{name}, seed {seed}, {kind}: {error:.2f} % in {duration:.0f} s")
    ratio = np.mean(errors["PyTorch"]) / np.mean(errors["compiled"])
    return {
        "errors": errors,
        "figures": [
            *(figure(f"{name}: {kind}, test error", float(np.mean(errors[kind])), "%") for kind in errors),
            figure(f"{name}: PyTorch / compiled, errors", float(ratio), "times", at_most=AT_MOST),
            *(figure(f"{name}: {kind}, processor time", float(np.mean(seconds[kind])), "s") for kind in seconds),
        ],
    }


def _fit_and_test(model: Any, problem: Any) -> tuple[float, float]:
    """The test error in percent, and the processor seconds of the fit."""
    train, test = problem.split(0)
    begin = time.process_time()
    model.fit(take(problem.X, train), problem.y[train])
    seconds = time.process_time() - begin
    return 100 * float(np.mean(model.predict(take(problem.X, test)) != problem.y[test])), seconds


QUESTION = Question("torch_tables", "Are the errors of tables that PyTorch trains those of the compiled loops?", parts)
