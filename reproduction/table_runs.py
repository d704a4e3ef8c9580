"""One run on a table: fit a classifier on training rows, evaluate it once on the test rows, and return the record."""

import time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from experiments.machine import describe_machine
from experiments.splits import Problem, RowNumbers, is_official, load, sample, take
from experiments.timing import compile_kernels, timed_fit
from ldnn import datasets

from .classifiers import build, epochs, with_farthest_centroids
from .moons import WIDTHS
from .setting_search import choose
from .tasks import Record, Task

TRAINING_ROWS = 20_000  # the training error is measured on at most this many rows
TEST_MOONS = 12345  # the seed of the test set; training sets have others


def on_data_set(task: Task, repeat: int, first: Record | None) -> Record:
    """A run on a data set. Settings are chosen on training rows: once if the split is official, else in each repeat."""
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
        rows = sample(train, task.most_rows, repeat)
        result = fit_and_test(build(task.method, settings, repeat), problem, rows, test)
    return {"split": split, **selection, **result}


def on_moons(task: Task, repeat: int, first: Record | None) -> Record:
    """A run of Table I: one training and one test set of 2,000 points each; repeats differ by the classifier's seed."""
    compile_kernels()
    X, y = datasets.make_two_moons(width=WIDTHS[task.data], random_state=0)
    X_test, y_test = datasets.make_two_moons(width=WIDTHS[task.data], random_state=TEST_MOONS)
    problem = Problem(np.concatenate([X, X_test]), np.concatenate([y, y_test]))
    rows = np.arange(len(X)), len(X) + np.arange(len(X_test))
    with threadpool_limits(1):
        return fit_and_test(build(task.method, task.settings, repeat), problem, *rows)


def on_spirals(task: Task, repeat: int, first: Record | None) -> Record:
    """A run on the two spirals: all points are training points, and the result is the training error."""
    compile_kernels()
    X, y = datasets.make_two_spirals()
    rows = np.arange(len(y))
    with threadpool_limits(1):
        model = build(task.method, with_farthest_centroids(task.settings, X, y), repeat)
        return fit_and_test(model, Problem(X, y), rows, rows)


def fit_and_test(model: Any, problem: Problem, train: RowNumbers, test: RowNumbers) -> Record:
    """Errors in percent, and seconds: by the clock, and of the processor, which other programs do not lengthen."""
    X, y = take(problem.X, train), problem.y[train]
    X_test, y_test = take(problem.X, test), problem.y[test]
    fit = timed_fit(model, X, y)
    clock = time.perf_counter()
    test_error = np.mean(model.predict(X_test) != y_test)
    predict_seconds = time.perf_counter() - clock
    seen = sample(np.arange(len(y)), TRAINING_ROWS, 0)
    train_error = np.mean(model.predict(take(X, seen)) != y[seen])
    record: Record = {
        "test_error": round(100 * float(test_error), 4),
        "train_error": round(100 * float(train_error), 4),
        "epochs": epochs(model),
        "fit_seconds": round(fit.wall, 4),
        "fit_cpu_seconds": round(fit.cpu, 4),
        "predict_seconds": round(predict_seconds, 4),
        "train_rows": len(train),
        "test_rows": len(test),
        "machine": describe_machine(),
    }
    if hasattr(model, "sizes_"):
        record["size"] = model.sizes_[0].tolist()
    return record
