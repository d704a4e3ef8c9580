"""What LDNN and Mod-N share: the scikit-learn face, from the user's table to a trained network and its predictions.

The way of the data through `fit`: check the table -> distinct rows -> a plan -> training and validation rows -> what
the network sees of them -> clusters -> first half-spaces -> epochs -> probabilities. Only this file and `reading.py`
touch private names of scikit-learn.
"""

import warnings
from abc import abstractmethod
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import (
    check_is_fitted,
)

from .calibrate import fitted_sharpness, guessed_sharpness, log_probabilities
from .encode import Encoder
from .half_spaces import HasHalfSpaces
from .initialize import Clustering, Start, start_from_centroids
from .network import Network
from .plan import Labelled, Plan, first_network, starts_from_clusters
from .reading import ReadsTables, shown
from .rows import Rows, chunks, distinct_rows, split_off_validation
from .state import Beginning, State
from .table import Columns, needs_columns
from .training import CURVES, Method, Settings, Trainer, Workers, evaluate, network_codes, predicted_codes

_AT_ONCE = 2**21  # numbers of a table, whose normalised copy is made before a prediction
_WORTH_THREADS = 1_000_000  # rows times weights: to predict fewer takes less time than to start a thread
_POSITIVE_INTEGER = Interval(Integral, 1, None, closed="left")


class DisjunctiveNetworkClassifier(ReadsTables, HasHalfSpaces, ClassifierMixin, BaseEstimator):
    """The common part of `LDNNClassifier` and `ModularNetworkClassifier`, where the parameters are described."""

    _parameter_constraints: dict = {
        "n_conjunctions": [_POSITIVE_INTEGER],
        "n_discriminants": [_POSITIVE_INTEGER],
        "init": [StrOptions({"auto", "kmeans", "farthest", "random", "rules"}), tuple, list],
        "n_init": [_POSITIVE_INTEGER],
        "distance_threshold": [None, Interval(Real, 0, None, closed="neither")],
        "loss": [StrOptions({"squared", "log"})],
        "softening": [Interval(Real, 0, 0.5, closed="left")],
        "step_size": [Interval(Real, 0, None, closed="neither")],
        "step_schedule": [StrOptions({"constant", "linear"})],
        "momentum": [Interval(Real, 0, 1, closed="left")],
        "max_epochs": [_POSITIVE_INTEGER],
        "validation_fraction": [Interval(Real, 0, 1, closed="left")],
        "patience": [None, _POSITIVE_INTEGER],
        "stop_on": [StrOptions({"loss", "error"})],
        "normalize": [None, StrOptions({"standard", "common", "whiten"})],
        "categorical_features": [None, "array-like", StrOptions({"from_dtype"})],
        "class_weight": [None, dict, StrOptions({"balanced"})],
        "warm_start": ["boolean"],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    @abstractmethod
    def _method(self, state: State, rows: Rows | None) -> Method:
        """How this classifier learns from rows (None where it only predicts)."""

    # --- learning -----------------------------------------------------------------------------------------------------

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None, X_val=None, y_val=None, sample_weight_val=None):
        """Learn from a table.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Numbers, text, categories; values may be missing.
        y : array-like of shape (n_samples,)
            Labels of two or more classes, of any kind: strings, numbers, booleans.
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight 3 is the same as three copies of the row; a row of weight 0 is ignored.
        X_val, y_val : like X and y, default=None
            Validation rows of your own. If given, `validation_fraction` is not used and all of X is trained on.
        sample_weight_val : array-like, default=None
            Weights of the validation rows.

        Returns
        -------
        self
        """
        state = getattr(self, "_state", None) if self.warm_start else None
        if (X_val is None) != (y_val is None):
            raise ValueError("X_val and y_val go together: give both, or neither.")
        beginning, table = self._prepare(X, y, sample_weight, None, state)
        if state is None:
            beginning = self._choose(beginning, table, in_parts=False)
        fraction = self._held_out() if X_val is None else 0
        # A continued fit holds out the same rows as before: their own seed decides.
        kept, held_out = split_off_validation(table.codes, fraction, np.random.default_rng(beginning.split_seed))
        table, held_out_table = table.part(kept), table.part(held_out)
        encoder = self._encoder(state, beginning, table)
        training = table.encoded(encoder)
        validation = held_out_table.encoded(encoder) if held_out.size else None
        del table, held_out_table, kept, held_out  # large tables leave no room for what is no longer needed
        if X_val is not None:
            validation = self._read_validation(X_val, y_val, sample_weight_val, beginning, encoder)
        if state is None:
            state = self._begin(beginning, encoder, training)
        self._train(state, training, validation, self._settings(state.beginning.plan.settings))
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from one more part of a table: one epoch over its rows, with the full step size and no validation.

        The first call decides the normalisation and the clusters from its own rows, so give it a fair sample of the
        data. After a `fit` it goes on from there.

        Parameters
        ----------
        X, y, sample_weight : as for `fit`
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever occur; needed at the first call only.

        Returns
        -------
        self
        """
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all rows at once: give partial_fit a dict of class weights, as "
                "sklearn.utils.class_weight.compute_class_weight makes it."
            )
        state: State | None = getattr(self, "_state", None)
        if state is None and classes is None:
            raise ValueError("The first call of partial_fit needs classes=...: all the labels that will ever occur.")
        if (
            state is not None
            and classes is not None
            and not np.array_equal(np.unique(classes), state.beginning.classes)
        ):
            raise ValueError(
                f"classes={classes!r} is not what the first call was given: {state.beginning.classes.tolist()}."
            )
        beginning, table = self._prepare(X, y, sample_weight, classes, state)
        if state is None:
            beginning = self._choose(beginning, table, in_parts=True)
        encoder = self._encoder(state, beginning, table)
        training = table.encoded(encoder)
        if state is None:
            state = self._begin(beginning, encoder, training)
        settings = self._settings(state.beginning.plan.settings)
        self._train(state, training, None, replace(settings, max_epochs=1, step_schedule="constant"))
        return self

    def _prepare(self, X, y, sample_weight, classes, state: State | None) -> tuple[Beginning, Labelled]:
        """From the user's table to distinct rows with class numbers and weights.

        What a continued fit goes on from is as it was; else a plan is made, as far as the parameters say what to do.
        """
        columns = None if state is None else state.beginning.columns
        if state is None and needs_columns(X, self.categorical_features):
            columns = Columns.learn(X, self.categorical_features)
        X, labels, weights = self._read(X, y, sample_weight, columns, reset=state is None)
        is_category = np.zeros(X.shape[1], dtype=bool) if columns is None else columns.is_category
        if state is not None:
            beginning = state.beginning
        else:
            known = np.unique(labels[weights > 0] if classes is None else classes)
            if len(known) < 2:
                where = "y has" if classes is None else "classes holds"
                raise ValueError(
                    f"{where} one class only ({shown(known[0])}): {type(self).__name__} needs at least two classes."
                )
            generator = np.random.default_rng(check_random_state(self.random_state).randint(2**31, size=4))
            beginning = Beginning(known, generator, int(generator.integers(2**62)), columns, self._plan())
        codes, weights = self._encode_labels(labels, weights, beginning.classes)
        rows, totals = distinct_rows(X, codes, weights)
        if rows.size == 0:
            raise ValueError("No row has a positive weight: raise the class weights of the classes that occur.")
        return beginning, Labelled(X, rows, codes[rows], totals, is_category, len(beginning.classes))

    @abstractmethod
    def _plan(self) -> Plan:
        """What the parameters say about the model."""

    def _choose(self, beginning: Beginning, table: Labelled, in_parts: bool) -> Beginning:
        """Decide what the parameters leave open: on the rows, or by a guess where more parts will come."""
        return beginning

    def _held_out(self) -> float:
        """The part of the rows that is held out to find the best epoch."""
        return float(self.validation_fraction)

    def _review_every(self) -> int:
        """How often a row is visited that its network knows."""
        return 1

    def _init_limit(self) -> float | None:
        """How far from 0 w.x + b of a first half-space may be at the centroids that it separates."""
        return None

    def _encoder(self, state: State | None, beginning: Beginning, table: Labelled) -> Encoder:
        """What the network will see of the rows: as in the model that is continued, or as they suggest."""
        if state is not None:
            return state.encoder
        encoder = table.learn_encoder(beginning.plan, beginning.generator)
        self._check_range(table, encoder)
        return encoder

    def _begin(self, beginning: Beginning, encoder: Encoder, rows: Rows) -> State:
        """Cluster, and place the first half-spaces."""
        beginning.plan = beginning.plan.with_step_for(encoder, rows)
        if encoder.axes is not None:  # so many hold the share that was asked for
            beginning.plan = replace(beginning.plan, n_axes=encoder.width)
        starts = self._starts(beginning, encoder, rows)
        network = first_network(beginning.plan, encoder, rows, starts)
        self._warn_if_smaller(network, [beginning.classes[code] for code in beginning.codes], starts, beginning.plan)
        initial = network.parameters.copy()
        encoder.fold_tails(initial)
        return State(
            beginning=beginning,
            encoder=encoder,
            network=network,
            initial_parameters=initial,
            centroids=[(start.positive_centroids, start.negative_centroids) for start in starts],
            history={name: [] for name in CURVES},
            sharpness=beginning.sharpness or guessed_sharpness(beginning.plan.settings.softening),
        )

    def _starts(self, beginning: Beginning, encoder: Encoder, rows: Rows) -> list[Start]:
        codes = beginning.codes
        if not isinstance(self.init, str):
            pairs = self._given_centroids(len(network_codes(len(beginning.classes))), encoder)
            limit = beginning.plan.clustering.limit
            return [start_from_centroids(*pair, limit) for pair in pairs] * beginning.plan.n_networks
        for code, label in enumerate(beginning.classes):
            if self.init != "random" and not np.any(rows.codes == code):
                self._start_without_rows(label)
        plan = beginning.plan
        return starts_from_clusters(
            [encoder.clustering_space(rows)], [plan.clustering], codes, beginning.generator, plan.settings.n_jobs
        )[0]

    def _start_without_rows(self, label: Any) -> None:
        """A class that has no rows yet, in a first `partial_fit`."""
        warnings.warn(
            f"Class {shown(label)} has no rows in the first part: its network starts from random half-spaces. Give the "
            "first call rows of every class for a better start."
        )

    def _given_centroids(self, networks: int, encoder: Encoder) -> list[tuple[NDArray, NDArray]]:
        """The user's centroids: a pair of (N, F) and (M, F), or for several networks (C, N, F) and (C, M, F)."""
        if encoder.lines or encoder.is_conic:
            raise ValueError(
                "init as a pair of centroid arrays needs columns of numbers: set bends=None and discriminant='linear', "
                "encode categories and fill missing values first."
            )
        normalizer = encoder.normalizer
        expected = "(N, features) and (M, features)"
        if networks > 1:
            expected = f"({networks}, N, features) and ({networks}, M, features)"
        wrong = ValueError(
            "init must be 'auto', 'kmeans', 'farthest', 'random', 'rules' or a pair of centroid arrays of shapes "
            f"{expected}, where features is {len(normalizer.center)}."
        )
        if len(self.init) != 2:
            raise wrong
        try:
            sides = [np.asarray(side, dtype=np.float64) for side in self.init]
        except (TypeError, ValueError):
            raise wrong from None
        if networks == 1:
            sides = [side[None] if side.ndim == 2 else side for side in sides]
        for side in sides:
            if side.ndim != 3 or side.shape[0] != networks or side.shape[2] != len(normalizer.center) or side.size == 0:
                raise wrong
            if not np.isfinite(side).all():
                raise ValueError("The centroids in init contain NaN or infinity.")
        centroids = [[encoder.apply(side, to_learn=True)[0] for side in pair] for pair in zip(*sides, strict=True)]
        return [(positive, negative) for positive, negative in centroids]

    def _warn_if_smaller(self, network: Network, labels: list[Any], starts: list[Start], plan: Plan) -> None:
        if (
            not isinstance(self.init, str)
            or self.distance_threshold is not None
            or starts[0].positive_centroids is None
        ):
            return
        asked = (plan.clustering.N, plan.clustering.M)
        smaller = [
            f"{n}x{m} for class {shown(label)}"
            for (n, m), label in zip(network.sizes, labels, strict=True)
            if (n, m) != asked
        ]
        if smaller and self.n_conjunctions != "auto":
            listed = ", ".join(smaller[:3]) + (", ..." if len(smaller) > 3 else "")
            warnings.warn(
                f"The model is smaller than the {asked[0]}x{asked[1]} asked for ({listed}): the training rows have "
                "fewer different points than that. Lower n_conjunctions and n_discriminants to silence this."
            )

    def _train(self, state: State, rows: Rows, validation: Rows | None, settings: Settings) -> None:
        """Run the epochs; the model becomes this estimator's only if they went well, or were interrupted."""
        trainer = Trainer(
            network=state.network,
            method=self._method(state, rows),
            settings=settings,
            codes=state.beginning.codes,
            class_names=state.beginning.classes.tolist(),
            generator=state.beginning.generator,
            history=state.history,
            n_networks=state.beginning.plan.n_networks,
        )
        interrupted = False
        try:
            trainer.run(rows, validation)
        except KeyboardInterrupt:
            interrupted = True
        if validation is not None:
            state.sharpness = self._fitted_sharpness(state, validation)
        state.settle()
        self._state = state
        self.classes_ = state.beginning.classes
        self.plan_ = state.beginning.plan.as_parameters()
        self.search_history_ = state.beginning.search_history
        self.sharpness_ = state.sharpness
        self.history_ = state.history
        self.n_epochs_ = len(state.history["training_loss"])
        self.best_epoch_ = trainer.best_epoch
        if interrupted:
            raise KeyboardInterrupt(
                f"{type(self).__name__} was stopped after {self.n_epochs_} epochs: the model holds the best weights so "
                "far and can be used; set warm_start=True and call fit to go on."
            )

    def _fitted_sharpness(self, state: State, validation: Rows) -> float:
        softening = state.beginning.plan.settings.softening
        with Workers(self.n_jobs, len(state.network.parameters)) as workers:
            log_odds = evaluate(
                self._method(state, None),
                state.network,
                (validation.X, validation.places),
                state.beginning.plan.n_networks,
                workers,
            )
        return fitted_sharpness(log_odds, validation.codes, validation.weights, softening)

    def _settings(self, chosen: Settings | None = None) -> Settings:
        """The parameters of training as they are now; what is "auto" is as it was chosen, or a first guess."""
        auto: dict[str, Any] = {"loss": "squared", "step_size": 1.0, "max_epochs": 20}
        given = {name: getattr(self, name) for name in auto}
        used = {
            name: (getattr(chosen, name) if chosen is not None else auto[name]) if value == "auto" else value
            for name, value in given.items()
        }
        return Settings(
            loss=used["loss"],
            softening=float(self.softening),
            step_size=float(used["step_size"]),
            step_schedule=self.step_schedule,
            momentum=float(self.momentum),
            max_epochs=int(used["max_epochs"]),
            review_every=self._review_every(),
            patience=self.patience,
            stop_on=self.stop_on,
            n_jobs=self.n_jobs,
            verbose=bool(self.verbose),
        )

    def _clustering(self, N: int, M: int) -> Clustering:
        method = self.init if isinstance(self.init, str) else "given"
        return Clustering(method, N, M, int(self.n_init), self.distance_threshold, self._init_limit())

    # --- predicting ---------------------------------------------------------------------------------------------------

    def _evaluate(self, X) -> NDArray[np.float64]:
        """The log-odds of f for each class's network, (C, n)."""
        return self._log_odds(self._matrix(X))

    def _matrix(self, X) -> NDArray:
        """A table as numbers (n, n_features_in_): categories as codes, missing values as NaN."""
        if not hasattr(self, "_state"):
            check_is_fitted(self, "_state")
        return self._read_table(X, self._state.beginning.columns)

    def _log_odds(self, X: NDArray) -> NDArray[np.float64]:
        """The log-odds for a table that has been read."""
        state = self._state
        n_networks = state.beginning.plan.n_networks
        log_odds = np.empty((len(state.network.parameters) // n_networks, len(X)))
        method = self._method(state, None)
        n_jobs = self.n_jobs if len(X) * state.network.parameters.size > _WORTH_THREADS else 1
        with Workers(n_jobs, len(state.network.parameters)) as workers:
            for part in chunks(len(X), X.shape[1], _AT_ONCE):
                features = state.encoder.apply(X[part])
                log_odds[:, part] = evaluate(method, state.network, features, n_networks, workers)
        return log_odds

    def decision_function(self, X):
        """The log-odds log f(x) - log(1 - f(x)) of each class; where several networks vote, of their mean f.

        Returns
        -------
        ndarray of shape (n_samples,) for two classes, else (n_samples, n_classes)
            For two classes positive values mean `classes_[1]`.
        """
        log_odds = self._evaluate(X)
        return log_odds[0] if len(log_odds) == 1 else log_odds.T

    def predict_proba(self, X):
        """Class probabilities: the log-odds times `sharpness_`, through the logistic function or, for more than two
        classes, through softmax. The sharpness was fitted on validation rows, if there were any.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), float64; rows sum to one
        """
        return self._probabilities(self._evaluate(X))

    def _probabilities(self, log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
        if len(log_odds) > 1:
            return np.exp(log_probabilities(log_odds, self._state.sharpness)).T
        odds = np.exp((self._state.sharpness * log_odds[0]).clip(-700, 700))  # beyond, float64 ends
        proba = np.empty((len(odds), 2))
        np.divide(1, 1 + odds, out=proba[:, 0])
        np.multiply(odds, proba[:, 0], out=proba[:, 1])
        return proba

    def predict(self, X):
        """The class with the largest output.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        codes = predicted_codes(self._evaluate(X))
        return self.classes_[codes]
