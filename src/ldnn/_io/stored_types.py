"""What a model's file holds beside dataclasses: the types of plain dictionaries, by which `reading.py` checks them."""

import math
from collections.abc import Iterable, Iterator
from typing import Any, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from .._model.state import FittedState
from .._rule_lists.rule_model import RuleModel

_MOST_DAYS = 2.0**32  # of dates in Arrow tables
_LONGEST_SIGN = 20


class Pcg64Numbers(TypedDict):
    state: int
    inc: int


class Pcg64State(TypedDict):
    """A bit generator of NumPy; the names are NumPy's."""

    bit_generator: str
    state: Pcg64Numbers
    has_uint32: int
    uinteger: int


class Mt19937Numbers(TypedDict):
    key: NDArray[np.uint32]
    pos: int


class Mt19937State(TypedDict):
    """The bit generator of a RandomState."""

    bit_generator: str
    state: Mt19937Numbers
    has_gauss: int
    gauss: float


class SearchTrial(TypedDict):
    """An entry of `search_history_`. Older files say nothing of label_smoothing and revisit_every."""

    round: int
    rows: int
    n_conjunctions: int
    n_discriminants: int
    discriminant: str
    n_knots: int
    n_estimators: int
    n_linear_estimators: int
    normalize: str | None
    n_components: int | float | None
    n_selected_columns: int | None
    importance_power: float
    loss: str
    label_smoothing: NotRequired[float]
    max_epochs: int
    revisit_every: NotRequired[int]
    relative_learning_rate: float | None
    validation_error: float
    validation_loss: float


class StoredRule(TypedDict):
    """See `Rule.to_dict`."""

    label: Any
    conditions: list[str]
    coverage: float
    precision: float | None
    agreement: float
    share: float
    conjunctions: int
    columns: list[str]


class RulesData(TypedDict):
    """See `Rules.to_dict`."""

    fidelity: float
    wanted: float
    accuracy: float | None
    model_accuracy: float | None
    rows: int
    described: list[Any]
    reason: str
    rows_predicted: int
    rows_by_rules: int
    rows_found: int
    trained_on: bool | None
    otherwise: Any
    rules: list[StoredRule]


class StoredRules(TypedDict):
    """The rules that the command `fit` has extracted."""

    text: str
    data: RulesData


class StoredReading(TypedDict):
    """How the texts of a column are read; see `Reading`."""

    kind: str
    decimal: str
    thousands: str
    sign: str
    sign_place: NotRequired[str]
    is_grouped: NotRequired[bool]
    order: str
    has_zone: bool
    separator: NotRequired[str]
    missing: tuple[str, ...]
    spellings: dict[str, str] | None


class Source(TypedDict):
    """The table that the command `fit` has read: `source_` of a model. A new entry needs a line here."""

    target: str
    labels: StoredReading
    readings: dict[str, StoredReading]
    missing: list[str]
    ranges: dict[str, tuple[float, float]]
    rules: NotRequired[StoredRules]
    costs: NotRequired[list[list[float]]]


class RuleModelParts(TypedDict):
    """What `fit` has set in a RuleClassifier."""

    n_features_in_: int
    _state: RuleModel
    feature_names_in_: NotRequired[NDArray[np.object_]]
    source_: NotRequired[Source]


class TableModelParts(TypedDict):
    """What `fit` has set in an LDNNClassifier or a ModularNetworkClassifier."""

    n_features_in_: int
    _state: FittedState
    feature_names_in_: NotRequired[NDArray[np.object_]]
    source_: NotRequired[Source]


def check_claims(claims: Iterable[tuple[bool, str]]) -> None:
    """Raise ValueError for the first claim that does not hold."""
    for holds, otherwise in claims:
        if not holds:
            raise ValueError(otherwise)


def name_claims(names: Any, columns: Any) -> Iterator[tuple[bool, str]]:
    """What must hold of `feature_names_in_` (or None) and the columns of a model, as `source_claims` gives it."""
    if names is not None:
        yield all(type(name) is str for name in names), "the names of the features are not texts"
        own = getattr(columns, "names", None)
        yield own is None or own == list(names), "the names of the features are not those of the columns"


def source_claims(source: Source, feature_names: Any, n_classes: int) -> Iterator[tuple[bool, str]]:
    """What must hold of a source and the names of the model's columns, each with a clause for what is wrong otherwise.

    feature_names: (n_features_in_,) or None.
    """
    readings, ranges = source["readings"], source["ranges"]
    names = [] if feature_names is None else list(feature_names)
    yield list(readings) == names, "the readings are not those of its columns"
    yield ranges.keys() <= readings.keys(), "there is a range of a column that the table does not have"
    longest = max((len(reading["sign"]) for reading in readings.values()), default=0)
    yield longest <= _LONGEST_SIGN, "a currency or unit of numbers is too long"  # it is a part of a regular expression
    days = [day for name, limits in ranges.items() if readings[name]["kind"] == "date" for day in limits]
    yield all(abs(day) < _MOST_DAYS for day in days), "the range of a date is too large"
    costs = source.get("costs")
    if costs is not None:
        sizes = [len(costs), *map(len, costs)]
        yield all(size == n_classes for size in sizes), "the costs are not those of its classes"
        yield all(0 <= cost < math.inf for row in costs for cost in row), "a cost is negative"
