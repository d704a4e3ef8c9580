"""ModularNetworkClassifier: Lu and Ito's Mod-N, to compare with."""

from typing import Any

import numpy as np
from sklearn.utils._param_validation import StrOptions

from .base import DisjunctiveNetworkClassifier
from .initialize import nearest_centroids
from .plan import Plan
from .reading import shown
from .rows import Rows
from .state import State
from .training import Modular


class ModularNetworkClassifier(DisjunctiveNetworkClassifier):
    """Mod-N (Lu and Ito, 1999): the half-spaces of an LDNN, each trained alone, combined by minimum and maximum.

    It starts from the same clusters as `LDNNClassifier`. Discriminant (i, j) then learns only from the rows of positive
    cluster i and negative cluster j. The output is max_i min_j sigma(w_ij.x + b_ij).

    Parameters
    ----------
    n_conjunctions, n_discriminants, init, n_init, distance_threshold, loss, softening, step_size, step_schedule, \
momentum, max_epochs, validation_fraction, patience, stop_on, normalize, categorical_features, class_weight, \
warm_start, n_jobs, random_state, verbose
        As for `LDNNClassifier`, but nothing is chosen automatically. There is no init="random", since each discriminant
        needs its pair of clusters, no batch_size, no bends, and no networks vote. Each discriminant sees its own rows
        only; the validation rows judge all of them together.

    Attributes
    ----------
    classes_, weights_, biases_, normalized_weights_, normalized_biases_, initial_weights_, initial_biases_, \
sizes_, history_, n_epochs_, best_epoch_, n_features_in_, feature_names_in_
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
        distance_threshold: float | None = None,
        loss: str = "squared",
        softening: float = 0.1,
        step_size: float = 0.25,
        step_schedule: str = "linear",
        momentum: float = 0.0,
        max_epochs: int = 60,
        validation_fraction: float = 0.1,
        patience: int | None = 20,
        stop_on: str = "loss",
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
        self.distance_threshold = distance_threshold
        self.loss = loss
        self.softening = softening
        self.step_size = step_size
        self.step_schedule = step_schedule
        self.momentum = momentum
        self.max_epochs = max_epochs
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.stop_on = stop_on
        self.normalize = normalize
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _plan(self) -> Plan:
        return Plan(
            clustering=self._clustering(int(self.n_conjunctions), int(self.n_discriminants)),
            n_networks=1,
            normalize=self.normalize,
            bends=None,
            settings=self._settings(),
            relative_step=None,
            batch_size=1,
        )

    def _start_without_rows(self, label: Any) -> None:
        raise ValueError(
            f"Class {shown(label)} has no rows: the first part that a ModularNetworkClassifier learns from must hold "
            "rows of every class."
        )

    def _method(self, state: State, rows: Rows | None) -> Modular:
        if rows is None:
            return Modular()
        codes = state.beginning.codes
        rows = state.encoder.clustering_space(rows)
        clusters = []
        for code, (positive, negative) in zip(codes, state.centroids, strict=True):
            assert positive is not None  # no start of this classifier is random
            assert negative is not None
            clusters.append(nearest_centroids(rows, code, positive, negative))
        return Modular(np.stack(clusters))
