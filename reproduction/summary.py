"""Summaries of the records of a classifier on a data set."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .runner import Key
from .tasks import Experiment, Record

Results = Mapping[Key, Record]


@dataclass(frozen=True)
class Summary:
    """Errors in percent over the repeats; processor seconds of one fit; the settings that were chosen most often.

    If each repeat has its own split, `errors` and all other numbers are of the repeats that all classifiers of the data
    set have, so that they can be compared; `every_error` is of all repeats.
    """

    errors: tuple[float, ...]
    every_error: tuple[float, ...]
    train_error: float
    seconds: float
    choice_seconds: float
    settings: str
    train_rows: int

    @property
    def repeats(self) -> int:
        return len(self.errors)

    @property
    def mean(self) -> float:
        return float(np.mean(self.errors))

    @property
    def deviation(self) -> float:
        """The standard deviation of the repeats; 0 for a single one, whose deviation is unknown."""
        return float(np.std(self.errors, ddof=1)) if self.repeats > 1 else 0.0


def summarise(experiment: Experiment, results: Results) -> dict[tuple[str, str], Summary]:
    """A summary for each data set and classifier that has records, in the order of the recipe."""
    done: dict[tuple[str, str], dict[int, Record]] = {}
    for task in experiment.tasks:
        keys = ((experiment.name, task.data, task.classifier, repeat) for repeat in range(task.repeats))
        repeats = {key[-1]: results[key] for key in keys if key in results}
        if repeats:
            done[task.data, task.classifier] = repeats
    summaries = {}
    for (data, classifier), every in done.items():
        common = set.intersection(*(set(repeats) for (name, _), repeats in done.items() if name == data))
        is_paired = common and any("seed" in record.get("split", {}) for record in every.values())
        records = [record for repeat, record in every.items() if repeat in common or not is_paired]
        summaries[data, classifier] = Summary(
            tuple(record["test_error"] for record in records),
            tuple(record["test_error"] for record in every.values()),
            float(np.mean([record["train_error"] for record in records])),
            float(np.mean([record["fit_cpu_seconds"] for record in records])),
            float(np.mean([record.get("selection_seconds", 0.0) for record in records])),
            _settings(records),
            records[0]["train_rows"],
        )
    return summaries


def _settings(records: list[Record]) -> str:
    """The chosen settings; if repeats chose differently, the most frequent ones and their frequency."""
    said = [describe(record.get("chosen", {})) for record in records]
    text, times = Counter(said).most_common(1)[0]
    return text if times == len(said) or not text else f"{text} ({times} of {len(said)} times)"


def describe(chosen: Mapping[str, object]) -> str:
    """Settings in short."""
    words = {
        "size": "", "learning_rate": "rate ", "max_epochs": "epochs ", "normalize": "", "hidden_layer_sizes": "h=",
        "learning_rate_init": "rate ", "max_iter": "rounds ", "n_estimators": "t=", "max_features": "f=",
        "max_samples": "s=", "num_leaves": "leaves ", "max_leaf_nodes": "leaves ", "max_leaves": "leaves ",
        "n_components": "components ",
    }  # fmt: skip
    return ", ".join(f"{words.get(name, name + '=')}{_short(value)}" for name, value in chosen.items())


def _short(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return "x".join(map(str, value))
    return f"{value:.3g}" if isinstance(value, float) else str(value)
