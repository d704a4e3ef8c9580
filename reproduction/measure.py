"""One run: fit a classifier on training rows, let it meet the test rows once, and say how it went."""

import time
import warnings
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from ldnn import datasets

from .classifiers import build, compile_kernels, epochs
from .machine import describe_machine
from .moons import WIDTHS
from .problems import Problem, is_official, load, some, take
from .selection import choose
from .tasks import Record, Task

TRAINING_ROWS = 20_000  # at most so many training rows tell the training error
TEST_MOONS = 12345  # the seed of the test set; training sets have others


def table(task: Task, repeat: int, first: Record | None) -> Record:
    """A run on a data set: settings are chosen on training rows, once where the split is official, else each time."""
    compile_kernels()
    problem = load(task.data, task.raw)
    train, test = problem.split(repeat)
    official = is_official(task.data)
    split = {"kind": "official"} if official else {"kind": "random third", "seed": repeat}
    with threadpool_limits(1):
        selection: Record = {}
        if task.search and official and first is not None:
            selection = {name: first[name] for name in ("chosen", "validation_error")}
        elif task.search:
            selection = choose(task, problem.X, problem.y, train, 0 if official else repeat).as_record()
        settings = {**task.settings, **selection.get("chosen", {})}
        rows = some(train, task.most_rows, repeat)
        result = fit_and_test(build(task.method, settings, repeat), problem, rows, test)
    return {"split": split, **selection, **result}


def moons(task: Task, repeat: int, first: Record | None) -> Record:
    """A run of Table I: one training and one test set of 2,000 points each; repeats differ by the classifier's seed."""
    compile_kernels()
    X, y = datasets.make_two_moons(width=WIDTHS[task.data], random_state=0)
    X_test, y_test = datasets.make_two_moons(width=WIDTHS[task.data], random_state=TEST_MOONS)
    problem = Problem(np.concatenate([X, X_test]), np.concatenate([y, y_test]))
    rows = np.arange(len(X)), len(X) + np.arange(len(X_test))
    with threadpool_limits(1):
        return fit_and_test(build(task.method, task.settings, repeat), problem, *rows)


def spirals(task: Task, repeat: int, first: Record | None) -> Record:
    """A run on the two spirals: all points are for training, and the training error is what counts."""
    compile_kernels()
    X, y = datasets.make_two_spirals()
    rows = np.arange(len(y))
    with threadpool_limits(1):
        return fit_and_test(build(task.method, task.settings, repeat), Problem(X, y), rows, rows)


def fit_and_test(model: Any, problem: Problem, train: np.ndarray, test: np.ndarray) -> Record:
    """Errors in percent, and seconds: by the clock, and of the processor (which other programs do not slow down)."""
    X, y = take(problem.X, train), problem.y[train]
    X_test, y_test = take(problem.X, test), problem.y[test]
    clock, processor = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    fit_seconds, fit_cpu_seconds = time.perf_counter() - clock, time.process_time() - processor
    clock = time.perf_counter()
    test_error = np.mean(model.predict(X_test) != y_test)
    predict_seconds = time.perf_counter() - clock
    seen = some(np.arange(len(y)), TRAINING_ROWS, 0)
    train_error = np.mean(model.predict(take(X, seen)) != y[seen])
    record: Record = {
        "test_error": round(100 * float(test_error), 4),
        "train_error": round(100 * float(train_error), 4),
        "epochs": epochs(model),
        "fit_seconds": round(fit_seconds, 4),
        "fit_cpu_seconds": round(fit_cpu_seconds, 4),
        "predict_seconds": round(predict_seconds, 4),
        "train_rows": len(train),
        "test_rows": len(test),
        "machine": describe_machine(),
    }
    if hasattr(model, "sizes_"):
        record["size"] = model.sizes_[0].tolist()
    return record
