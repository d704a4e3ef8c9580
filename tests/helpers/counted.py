"""A small experiment that logs its runs, in its own module so that other processes can import it."""

import os
from pathlib import Path

from reproduction.tasks import Experiment, SearchStage, Task


def measure(task, repeat, first):
    folder = Path(task.settings["folder"])
    with (folder / "calls.txt").open("a") as file:
        file.write(f"{task.classifier} {repeat} {os.getpid()}\n")
    if repeat in task.settings.get("fails", ()):
        raise ValueError("no result")
    own = {"first": None if first is None else first["test_error"], "pid": os.getpid()}
    usual = {"test_error": 10.0 * repeat, "train_error": 0.0, "fit_cpu_seconds": 1.0, "train_rows": 5, "machine": {}}
    return {**usual, **own}


def experiment(folder, classifiers=("a", "b"), repeats=3, **settings):
    tasks = [
        Task("two_moons", name, "ldnn", {"folder": str(folder), **settings}, (SearchStage({"C": (1, 2)}),), repeats)
        for name in classifiers
    ]
    return Experiment("counted", "Counted", tuple(tasks), measure)


def calls(folder):
    return [line.rsplit(" ", 1)[0] for line in (folder / "calls.txt").read_text().splitlines()]
