"""Typed configurations: a plan says everything about a model but its weights.

Each stage of a fit reads its own part: `EncodingPlan` (what networks see of a row), `StartPlan` (where half-spaces
start), `TrainingPlan` (how they are trained).
"""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._model.validation_scores import ValidationScores

_STARTS_IN_TURN = ("kmeans", "random", "rules")  # of ensemble members, where `StartPlan.method` is "auto"
_DISCRIMINANTS = {"mixed": "piecewise", "quantile": "piecewise-quantile", "tree": "piecewise-tree"}


@dataclass(frozen=True)
class KnotPlan:
    """Where the piecewise-linear functions of a column have their knots.

    placement: "quantile" (equal shares of the rows), "tree" (the thresholds of a small decision tree on this column) or
    "mixed" (half of each); n_pieces: at most this many pieces between knots.
    """

    placement: str
    n_pieces: int


@dataclass(frozen=True)
class EncodingPlan:
    """What a network sees of a row.

    normalize: see `LDNNClassifier`. knots: of the piecewise-linear functions; None for linear half-spaces. is_conic:
    whether products of columns are features, too. n_selected: number of columns to use, the most important ones; None
    uses all. n_components: number of principal components to train on, or the share of the variance (below 1) that they
    explain; None trains on the columns. importance_power: where positive, numbers are scaled by this power of their
    importance, and only columns with half of the mean importance and more have knots.
    """

    normalize: str | None
    knots: KnotPlan | None = None
    is_conic: bool = False
    n_selected: int | None = None
    n_components: int | float | None = None
    importance_power: float = 0.0

    @property
    def needs_importances(self) -> bool:
        return self.importance_power > 0 or self.n_selected is not None

    @property
    def discriminant(self) -> str:
        """The value of the parameter `discriminant` that stands for this plan."""
        if self.is_conic:
            return "conic"
        return "linear" if self.knots is None else _DISCRIMINANTS[self.knots.placement]


@dataclass(frozen=True)
class StartPlan:
    """Where the half-spaces of a network start.

    method: "kmeans", "farthest", "random", "rules", "given" (centroids of the user) or "auto" (see `of_member`). N and
    M: clusters of the positive and of the negative class. n_init: restarts of k-means. limit: the largest |w.x + b| at
    the two centroids of a first half-space; None leaves unit normals, as in the paper.
    """

    method: str
    N: int
    M: int
    n_init: int
    limit: float | None = None

    def of_member(self, number: int) -> "StartPlan":
        """The plan of one ensemble member, counted from 0.

        "auto" starts the first from clusters, as in the paper, then in turn at random, from rules and from clusters:
        members that start alike make more of the same mistakes.
        """
        if self.method != "auto":
            return self
        return replace(self, method=_STARTS_IN_TURN[number % len(_STARTS_IN_TURN)])


@dataclass(frozen=True)
class TrainingPlan:
    """How networks are trained; names and meanings are those of the classifiers' parameters."""

    loss: str
    label_smoothing: float
    learning_rate: float
    learning_rate_schedule: str
    momentum: float
    max_epochs: int
    revisit_every: int
    scoring: str
    n_jobs: int | None
    verbose: bool

    @property
    def targets(self) -> tuple[float, float]:
        """What f should be for negative and for positive rows."""
        return self.label_smoothing / 2, 1 - self.label_smoothing / 2

    def learning_rate_of(self, epoch: int) -> float:
        """The learning rate of an epoch, counted from 0: constant, or falling linearly to 0 after the last epoch."""
        if self.learning_rate_schedule == "constant":
            return self.learning_rate
        return self.learning_rate * (1 - epoch / self.max_epochs)


@dataclass(frozen=True)
class Plan:
    """Everything about a model but its weights.

    n_estimators: ensemble members, each with one network per class. relative_rate: the learning rate times the mean
    squared norm of a row, where `training.learning_rate` is not the user's own. n_linear: how many of the members stay
    linear beside piecewise-linear ones, and linear_rate: their relative learning rate.
    """

    encoding: EncodingPlan
    start: StartPlan
    training: TrainingPlan
    n_estimators: int = 1
    relative_rate: float | None = None
    n_linear: int = 0
    linear_rate: float | None = None

    def with_encoding(self, **changes: Any) -> "Plan":
        return replace(self, encoding=replace(self.encoding, **changes))

    def with_start(self, **changes: Any) -> "Plan":
        return replace(self, start=replace(self.start, **changes))

    def with_training(self, **changes: Any) -> "Plan":
        return replace(self, training=replace(self.training, **changes))

    def as_parameters(self) -> dict[str, Any]:
        """The plan in the words of `LDNNClassifier`'s parameters, and what these cannot say."""
        knots = self.encoding.knots
        return {
            "n_conjunctions": self.start.N,
            "n_discriminants": self.start.M,
            "discriminant": self.encoding.discriminant,
            "n_knots": 0 if knots is None else knots.n_pieces + 1,
            "n_estimators": self.n_estimators,
            "n_linear_estimators": self.n_linear,
            "normalize": self.encoding.normalize,
            "n_components": self.encoding.n_components,
            "n_selected_columns": self.encoding.n_selected,
            "importance_power": self.encoding.importance_power,
            "loss": self.training.loss,
            "label_smoothing": self.training.label_smoothing,
            "learning_rate": self.training.learning_rate,
            "max_epochs": self.training.max_epochs,
            "revisit_every": self.training.revisit_every,
        }


@dataclass(frozen=True)
class Choice:
    """A plan as it was chosen.

    inverse_temperature: of its probabilities, measured on held-out rows; None if plans were not compared. history: the
    trials, see `search_history_`. scores: of rows that were held out in the last round.
    """

    plan: Plan
    inverse_temperature: float | None = None
    history: list[dict[str, Any]] = field(default_factory=list)
    scores: "ValidationScores | None" = None
