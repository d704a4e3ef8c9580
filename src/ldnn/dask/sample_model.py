"""SampleModel: the classifier of a sample, with the plan for all rows."""

from typing import Any

from .._table.columns import Columns
from ..classifier import LDNNClassifier
from .sampling import Overview, Sample


class SampleModel(LDNNClassifier):
    """A classifier that knows more about the table than the rows it is fitted to: how many rows there are, and all
    categories.
    """

    _overview: Overview

    def _fit_columns(self, X: Any, y: Any, sample_weight: Any) -> Columns | None:
        return self._overview.columns


def fit_sample(parameters: dict[str, Any], overview: Overview, sample: Sample, threads: int) -> SampleModel:
    """A model of the sample: encoder, plan and weights to go on from. The number of threads does not change it."""
    model = SampleModel(
        **{**parameters, "n_jobs": threads, "verbose": False, "class_weight": class_weights(parameters, overview)}
    )
    model._overview = overview
    model._total_rows = None if sample.is_whole else overview.total
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
