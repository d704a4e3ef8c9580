"""The typed configuration of an experiment: what a recipe returns, and what a record says was done."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

Settings = Mapping[str, Any]
Record = dict[str, Any]


@dataclass(frozen=True)
class Stage:
    """One round of a search: every setting of the grid `vary`, for the `keep` best of the round before.

    rows: learn from at most so many rows, and judge by as many in proportion; is_final: whether a setting of this round
    can be chosen, not just go on to the next.
    """

    vary: Mapping[str, tuple[Any, ...]]
    keep: int = 1
    rows: int | None = None
    is_final: bool = True


@dataclass(frozen=True)
class Task:
    """A classifier on a data set.

    data: the name of a set, as `problems.load` knows it; classifier: its name in the tables; method: what
    `classifiers.build` makes of the settings; search: how the other settings are chosen, on validation data, and
    choice_rows: with at most so many rows; repeats: how often in all; most_rows: learn from at most so many rows; raw:
    whether the classifier reads the table with its categories, not just numbers; length: 0 for seconds, 1 for a minute,
    2 for more: of a repeat, short ones go first.
    """

    data: str
    classifier: str
    method: str
    settings: Settings = field(default_factory=dict)
    search: tuple[Stage, ...] = ()
    repeats: int = 1
    choice_rows: int = 40_000
    most_rows: int | None = None
    raw: bool = False
    length: int = 0

    def config(self) -> Record:
        """What decides about the result, in JSON's types: a record with another configuration is of another task."""
        idle = {"repeats", "length"} | (set() if self.search else {"choice_rows"})
        return _as_json({name: value for name, value in asdict(self).items() if name not in idle})


Measure = Callable[[Task, int, Record | None], Record]


@dataclass(frozen=True)
class Experiment:
    """Tasks that make up a table or figure of the paper.

    measure(task, repeat, first): does one run and gives its record, but for what says which run it is; `first` is the
    record of repeat 0, or None for that one itself.
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
