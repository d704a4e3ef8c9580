"""Does the runs that are missing, in parallel through joblib, and stores each record as soon as it is done."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from numbers import Real
from pathlib import Path

import joblib
from tqdm import tqdm

from experiments import records
from ldnn import datasets

from .moons import WIDTHS
from .tasks import Experiment, Measure, Record, Task

RESULTS = Path(__file__).parent / "results"
GENERATED = (*WIDTHS, "two_spirals")
_FIELDS = {
    "classifier": str, "repeat": int, "test_error": Real, "train_error": Real, "fit_cpu_seconds": Real,
    "train_rows": int, "machine": dict,
}  # fmt: skip
Key = tuple[str, str, str, int]  # experiment, data set, classifier, repeat


@dataclass(frozen=True)
class Run:
    """One repeat of a task."""

    experiment: Experiment
    task: Task
    repeat: int

    @property
    def key(self) -> Key:
        return self.experiment.name, self.task.data, self.task.classifier, self.repeat


@dataclass(frozen=True)
class Filter:
    """Which runs to do: those of these experiments, data sets and classifiers (all, if none is named), and at most
    `repeats` of each.
    """

    experiments: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    classifiers: tuple[str, ...] = ()
    repeats: int | None = None

    def runs(self, experiments: Iterable[Experiment]) -> list[Run]:
        """Repeat by repeat, so that every task soon has a result; within a repeat, short runs first."""
        wanted = [
            Run(experiment, task, repeat)
            for experiment in experiments
            if not self.experiments or experiment.name in self.experiments
            for task in experiment.tasks
            if (not self.data or task.data in self.data)
            and (not self.classifiers or task.classifier in self.classifiers)
            for repeat in range(task.repeats if self.repeats is None else min(self.repeats, task.repeats))
        ]
        return sorted(wanted, key=lambda run: (run.repeat, run.task.length))


@dataclass(frozen=True)
class Store:
    """The records in a folder: one file per experiment and data set."""

    folder: Path = RESULTS

    def path(self, experiment: str, data: str) -> Path:
        return self.folder / f"{experiment}-{data}.jsonl"

    def read(self, experiments: Iterable[Experiment]) -> dict[Key, Record]:
        """The records whose configuration is that of the recipes; others are ignored."""
        done: dict[Key, Record] = {}
        for experiment in experiments:
            configs = {(task.data, task.classifier): task.config() for task in experiment.tasks}
            for data in dict.fromkeys(task.data for task in experiment.tasks):
                for record in records.read(self.path(experiment.name, data), **_FIELDS):
                    config = configs.get((data, record["classifier"]))
                    if config is not None and record.get("config") == config:
                        done[experiment.name, data, record["classifier"], record["repeat"]] = record
        return done

    def add(self, run: Run, record: Record) -> Record:
        experiment, data, classifier, repeat = run.key
        named = {
            "experiment": experiment, "data": data, "classifier": classifier, "repeat": repeat, "seed": repeat,
            "config": run.task.config(), **record,
        }  # fmt: skip
        records.append(self.path(experiment, data), named)
        return named


@dataclass
class Sweep:
    """All runs of some experiments that are not in the store."""

    experiments: list[Experiment]
    wanted: Filter = field(default_factory=Filter)
    store: Store = field(default_factory=Store)
    jobs: int = 1

    def run(self) -> list[str]:
        """Do repeat 0 of everything, whose settings further repeats of official splits use; then the other repeats.

        A run that fails is not stored, so that the next start tries it again. Returns one line per failure.
        """
        failures = []
        done = self.store.read(self.experiments)
        runs = [run for run in self.wanted.runs(self.experiments) if run.key not in done]
        runs = list(_with_data(runs))
        with tqdm(total=len(runs), unit="run", dynamic_ncols=True) as bar:
            for part in ([run for run in runs if run.repeat == 0], [run for run in runs if run.repeat > 0]):
                for run, record in self._carry_out(part, done):
                    bar.update()
                    if "failure" in record:
                        failures.append(f"{', '.join(map(str, run.key))}: {record['failure']}")
                        bar.write(failures[-1], file=sys.stderr)
                        continue
                    done[run.key] = self.store.add(run, record)
                    bar.set_postfix_str(f"{run.task.data}, {run.task.classifier}: {record['test_error']:.2f} %")
        return failures

    def _carry_out(self, runs: list[Run], done: dict[Key, Record]) -> Iterator[tuple[Run, Record]]:
        def first(run: Run) -> Record | None:
            return done.get((*run.key[:3], 0)) if run.repeat else None

        parallel = joblib.Parallel(n_jobs=self.jobs, return_as="generator_unordered", batch_size=1)
        calls = (joblib.delayed(_measure)(number, run.experiment.measure, run.task, run.repeat, first(run))
                 for number, run in enumerate(runs))  # fmt: skip
        for number, record in parallel(calls):
            yield runs[number], record


def _measure(number: int, measure: Measure, task: Task, repeat: int, first: Record | None) -> tuple[int, Record]:
    """One run, in a worker. The number identifies the run, since results arrive in any order."""
    try:
        return number, measure(task, repeat, first)
    except Exception as error:  # one run of thousands must not stop the others
        return number, {"failure": f"{type(error).__name__}: {error}"}


def _with_data(runs: list[Run]) -> Iterator[Run]:
    """The runs whose data are on this machine; missing data sets are reported."""
    present = {entry.name for entry in datasets.list_datasets() if entry.present} | set(GENERATED)
    for name in dict.fromkeys(run.task.data for run in runs if run.task.data not in present):
        print(f"{name} is not in the data folder (LDNN_DATA): its runs are skipped.", file=sys.stderr)
    return (run for run in runs if run.task.data in present)


@contextmanager
def cluster(backend: str, scheduler: str | None) -> Iterator[None]:
    """Run in processes of this machine, or on the workers of a Dask cluster."""
    if backend == "dask":
        from distributed import Client

        with Client(scheduler), joblib.parallel_config(backend="dask"):
            yield
    else:
        with joblib.parallel_config(backend="loky"):
            yield
