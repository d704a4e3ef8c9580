"""The typed configuration of an experiment: what a recipe returns, and what a record says was done."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

ClassifierSettings = Mapping[str, Any]
Record = dict[str, Any]


@dataclass(frozen=True)
class SearchStage:
    """One stage of a search: every setting of the grid `vary`, for each of the `keep` best of the previous stage.

    rows: fit on at most this many rows, and evaluate on proportionally many; is_final: whether a setting of this stage
    can be chosen, instead of only going on to the next stage.
    """

    vary: Mapping[str, tuple[Any, ...]]
    keep: int = 1
    rows: int | None = None
    is_final: bool = True


@dataclass(frozen=True)
class Task:
    """A classifier on a data set.

    data: the name of a set, as `splits.load` knows it; classifier: its name in the tables; method: the name under which
    `classifiers.build` makes it from the settings; search: how the remaining settings are chosen on validation rows,
    with at most choice_rows rows; repeats: the number of runs; most_rows: fit on at most this many rows; raw: whether
    the classifier reads categories as such instead of as numbers; length: 0 for seconds, 1 for a minute, 2 for more
    (short runs of a repeat are done first).
    """

    data: str
    classifier: str
    method: str
    settings: ClassifierSettings = field(default_factory=dict)
    search: tuple[SearchStage, ...] = ()
    repeats: int = 1
    choice_rows: int = 40_000
    most_rows: int | None = None
    raw: bool = False
    length: int = 0

    def config(self) -> Record:
        """Everything that decides about the result, in JSON's types. A record with another configuration is ignored."""
        idle = {"repeats", "length"} | (set() if self.search else {"choice_rows"})
        return _as_json({name: value for name, value in asdict(self).items() if name not in idle})


Measure = Callable[[Task, int, Record | None], Record]


@dataclass(frozen=True)
class Experiment:
    """Tasks that make up a table or figure of the paper.

    measure(task, repeat, first) does one run and returns its record, without the fields that identify the run; `first`
    is the record of repeat 0, or None in repeat 0 itself.
    """

    name: str
    title: str
    tasks: tuple[Task, ...]
    measure: Measure


def _as_json(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _as_json(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_json(entry) for entry in value]
    return value
