"""Records with invented errors, as runs would write them."""

from experiments.machine import describe_machine
from reproduction.recipes import multi_class, two_class, two_moons, two_spirals
from reproduction.runner import Run
from reproduction.summary import Summary

EXPERIMENTS = [two_moons(), two_spirals(), two_class(), multi_class()]


def fill(store, names, repeats=2, data=()):
    """Add records of runs with invented errors: 10, 20, ... plus a hundredth of the task's position."""
    for experiment in EXPERIMENTS:
        if experiment.name not in names:
            continue
        for place, task in enumerate(experiment.tasks):
            if data and task.data not in data:
                continue
            for repeat in range(min(task.repeats, repeats)):
                record = {
                    "test_error": 10.0 * (repeat + 1) + place / 100, "train_error": 1.0, "fit_cpu_seconds": 2.0 + place,
                    "train_rows": 100, "machine": describe_machine(), "chosen": {"size": [2, 3], "learning_rate": 0.5},
                    "selection_seconds": 3.0,
                }  # fmt: skip
                store.add(Run(experiment, task, repeat), record)


def summary_of(*errors, seconds=1.0, rows=100):
    return Summary(errors, errors, 0.0, seconds, 0.0, "", rows)
