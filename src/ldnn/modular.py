"""ModularNetworkClassifier: Lu and Ito's Mod-N, for comparison."""

from typing import Any

import numpy as np

from ._encoding.clustering_space import ClusteringSpace
from ._encoding.rows import EncodedRows
from ._model.clusters import nearest_centroids
from ._model.forward import modular_output_slopes
from ._model.prediction import NetworkLogOdds, modular_log_odds
from ._model.state import FittedState
from ._plan import Choice, EncodingPlan, Plan
from ._sklearn import StrOptions
from ._table.checks import quoted
from ._table.training_table import TrainingTable
from ._training.updates import ModularUpdate
from .base import DisjunctiveNetworkClassifier


class ModularNetworkClassifier(DisjunctiveNetworkClassifier):
    """Mod-N (Lu and Ito, 1999): the half-spaces of an LDNN, each trained alone, combined by minimum and maximum.

    It starts from the same clusters as `LDNNClassifier`. Discriminant (i, j) then learns only from the rows of positive
    cluster i and negative cluster j. The output is max_i min_j sigma(w_ij.x + b_ij).

    Parameters
    ----------
    n_conjunctions, n_discriminants, init, n_init, loss, label_smoothing, learning_rate, learning_rate_schedule, \
momentum, max_epochs, validation_fraction, scoring, normalize, categorical_features, class_weight, warm_start, n_jobs, \
random_state, verbose : see `LDNNClassifier`
        As for `LDNNClassifier`, but nothing is chosen automatically: there is one network of linear discriminants per
        class, and every row is visited in every epoch. init="random" is not available, since each discriminant needs
        its pair of clusters. The validation score is that of all discriminants together.

    Attributes
    ----------
    classes_, plan_, inverse_temperature_, weights_, biases_, normalized_weights_, normalized_biases_, \
initial_weights_, initial_biases_, sizes_, terms_, feature_importances_, history_, n_epochs_, n_iter_, best_epoch_, \
n_features_in_, feature_names_in_
        As for `LDNNClassifier`. The training loss is the sum of those of all discriminants.

    References
    ----------
    B.-L. Lu and M. Ito, "Task decomposition and module combination based on class relations: a modular neural network
    for pattern classification", IEEE Transactions on Neural Networks 10 (1999).

    Examples
    --------
    >>> from ldnn import ModularNetworkClassifier
    >>> from ldnn.datasets import make_two_moons
    >>> X, y = make_two_moons(random_state=0)
    >>> ModularNetworkClassifier(3, 3, random_state=0).fit(X, y).predict(X[:2]).shape
    (2,)
    """

    _parameter_constraints: dict = {
        **DisjunctiveNetworkClassifier._parameter_constraints,
        "init": [StrOptions({"kmeans", "farthest"}), tuple, list],
    }

    def __init__(
        self,
        n_conjunctions: int = 10,
        n_discriminants: int = 10,
        *,
        init: Any = "kmeans",
        n_init: int = 50,
        loss: str = "squared",
        label_smoothing: float = 0.2,
        learning_rate: float = 0.25,
        learning_rate_schedule: str = "linear",
        momentum: float = 0.0,
        max_epochs: int = 60,
        validation_fraction: float = 0.1,
        scoring: str = "loss",
        normalize: str | None = "standard",
        categorical_features: Any = "from_dtype",
        class_weight: Any = None,
        warm_start: bool = False,
        n_jobs: int | None = -1,
        random_state: Any = None,
        verbose: bool = False,
    ):
        self.n_conjunctions = n_conjunctions
        self.n_discriminants = n_discriminants
        self.init = init
        self.n_init = n_init
        self.loss = loss
        self.label_smoothing = label_smoothing
        self.learning_rate = learning_rate
        self.learning_rate_schedule = learning_rate_schedule
        self.momentum = momentum
        self.max_epochs = max_epochs
        self.validation_fraction = validation_fraction
        self.scoring = scoring
        self.normalize = normalize
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _choose(self, table: TrainingTable, generator: np.random.Generator, in_parts: bool) -> Choice:
        start = self._start_plan(int(self.n_conjunctions), int(self.n_discriminants))
        return Choice(Plan(EncodingPlan(self.normalize), start, self._training_plan()))

    def _start_without_rows(self, label: Any) -> None:
        raise ValueError(
            f"Class {quoted(label)} has no rows: the first rows that a ModularNetworkClassifier is fitted to must "
            "include every class."
        )

    @property
    def _network_log_odds(self) -> NetworkLogOdds:
        return modular_log_odds

    _output_slopes = staticmethod(modular_output_slopes)

    def _update(self, state: FittedState, rows: EncodedRows) -> ModularUpdate:
        rows = ClusteringSpace(state.encoder).encode(rows)
        clusters = []
        for positive_class, (positive, negative) in zip(state.positives, state.centroids, strict=True):
            assert positive is not None  # no start of this classifier is random
            assert negative is not None
            clusters.append(nearest_centroids(rows, positive_class, positive, negative))
        return ModularUpdate(np.stack(clusters))
