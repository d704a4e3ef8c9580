"""Chooses a task's settings on validation rows, all of which are training rows: test rows never get here."""

import itertools
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.splits import FOLDS, RowNumbers, sample, take, validation_splits
from ldnn._training.trainer import DivergenceError

from .classifiers import build
from .tasks import Record, SearchStage, Task


@dataclass(frozen=True)
class ChosenSettings:
    """The chosen settings with their validation error in percent, the number of trials and rows, and all seconds."""

    chosen: dict[str, Any]
    error: float
    trials: int
    rows: int
    seconds: float

    def as_record(self) -> Record:
        return {
            "chosen": self.chosen,
            "validation_error": round(self.error, 4),
            "trials": self.trials,
            "selection_rows": self.rows,
            "selection_seconds": round(self.seconds, 3),
        }


def choose(task: Task, X: Any, y: NDArray[np.intp], train: RowNumbers, seed: int) -> ChosenSettings:
    """The setting of the task's search with the lowest validation error; of equal ones, the first that was tried.

    X and y are the whole table, of which only the rows `train` are used.
    """
    start = time.process_time()
    splits = validation_splits(train, y, seed, task.choice_rows)
    survivors: list[dict[str, Any]] = [{}]
    finals: list[tuple[float, dict[str, Any]]] = []
    trials = 0
    for stage in task.search:
        tried = []
        for setting in _candidates(survivors[: stage.keep], stage.vary):
            tried.append((_error(task, setting, X, y, splits, stage, seed), setting))
            trials += 1
        tried.sort(key=lambda pair: pair[0])  # a stable sort: equal ones keep their order
        survivors = [setting for _, setting in tried]
        finals += tried if stage.is_final else []
    error, chosen = min(finals, key=lambda pair: pair[0])
    rows = min(len(train), task.choice_rows)
    return ChosenSettings(chosen, error, trials, rows, time.process_time() - start)


def _candidates(bases: list[dict[str, Any]], vary: Mapping[str, tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Each base with each setting of the grid."""
    grid = [dict(zip(vary, values, strict=True)) for values in itertools.product(*vary.values())]
    return [{**base, **setting} for base in bases for setting in grid]


def _error(
    task: Task,
    setting: dict[str, Any],
    X: Any,
    y: NDArray,
    splits: list[tuple[RowNumbers, RowNumbers]],
    stage: SearchStage,
    seed: int,
) -> float:
    """The mean error on the validation rows, in percent; infinite if training diverges."""
    most = stage.rows if task.most_rows is None else min(stage.rows or task.most_rows, task.most_rows)
    errors = []
    for fit, held_out in splits:
        rows = sample(fit, most, seed)
        evaluated = sample(held_out, None if stage.rows is None else stage.rows // (FOLDS - 1), seed)
        model = build(task.method, {**task.settings, **setting}, seed)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                predicted = model.fit(take(X, rows), y[rows]).predict(take(X, evaluated))
        except DivergenceError:
            return float("inf")
        errors.append(100 * float(np.mean(predicted != y[evaluated])))
    return float(np.mean(errors))
