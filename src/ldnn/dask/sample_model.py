"""SampleModel: the classifier of a sample, with the plan for all rows."""

from collections.abc import Callable
from typing import Any

from .._encoding.rows import EncodedRows
from .._model.state import FittedState
from .._plan import TrainingPlan
from .._table.columns import Columns
from .._training.progress import Progress
from ..classifier import LDNNClassifier
from .sampling import Overview, Sample


class SampleModel(LDNNClassifier):
    """A classifier that knows more about the table than the rows it is fitted to: how many rows there are, and all
    categories. If there are more rows, its networks are the first ones of the rounds to come.
    """

    _overview: Overview
    _learns_sample = False  # before the rounds
    _watch: Callable[[], None] | None = None  # called now and then; it may raise an exception to end the fit

    def _fit_columns(self, X: Any, y: Any, sample_weight: Any) -> Columns | None:
        return self._overview.columns

    def _progress(self) -> Progress:
        return _Watched(self._watch)

    def _train(self, state: FittedState, rows: EncodedRows, validation: Any, plan: TrainingPlan, *others: Any) -> None:
        if self._total_rows is None:
            super()._train(state, rows, validation, plan, *others)
            return
        if self._learns_sample:
            self._trainer(state, rows, plan).run(rows, None)
        self._state = state


class _Watched(Progress):
    """Shows nothing, but asks whether to go on."""

    def __init__(self, watch: Callable[[], None] | None):
        super().__init__(False)
        self._watch = watch

    def show(self, line: str, done: float | None = None, at_once: bool = False) -> None:
        if self._watch is not None:
            self._watch()


def fit_sample(
    parameters: dict[str, Any],
    overview: Overview,
    sample: Sample,
    threads: int,
    learns_sample: bool = False,
    watch: Callable[[], None] | None = None,
) -> SampleModel:
    """A model of the sample: encoder, plan and first networks. The number of threads does not change it.

    learns_sample: whether the networks learn the sample before the rounds; watch: see `SampleModel`.
    """
    model = SampleModel(
        **{**parameters, "n_jobs": threads, "verbose": False, "class_weight": class_weights(parameters, overview)}
    )
    model._overview = overview
    model._total_rows = None if sample.is_whole else overview.total
    model._learns_sample = learns_sample
    model._watch = watch
    if not sample.is_whole:
        model.set_params(validation_fraction=0.0)  # held-out rows are those of the partitions
    model.fit(sample.X, sample.y, sample.weights if overview.is_weighted else None)
    return model.set_params(validation_fraction=parameters["validation_fraction"])


def class_weights(parameters: dict[str, Any], overview: Overview) -> Any:
    """The parameter `class_weight`, with "balanced" as the weights that balance all rows."""
    given = parameters["class_weight"]
    if not isinstance(given, str):
        return given
    mean = sum(overview.class_weights.values()) / len(overview.class_weights)
    return {label: mean / weight for label, weight in overview.class_weights.items()}
