"""What LDNN and Mod-N share: the scikit-learn face, from the user's table to a trained network and its predictions.

The way of the data through `fit`: check the table -> distinct rows -> training and validation rows -> normalised rows
-> clusters -> first half-spaces -> epochs. This is the only file that touches private names of scikit-learn.
"""

import warnings
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d, validate_data

from .encode import Normalizer
from .initialize import Clustering, Start, start_from_centroids, start_from_clusters
from .network import Network
from .rows import Rows, chunks, distinct_rows, split_off_validation
from .training import CURVES, Method, Settings, Trainer, Workers, evaluate, network_codes, predicted_codes

_POSITIVE_INTEGER = Interval(Integral, 1, None, closed="left")


@dataclass
class Beginning:
    """What is decided before the first half-space: the labels, the source of all randomness, the normalisation.

    classes (n_classes,) are sorted; split_seed decides which rows are held out.
    """

    classes: NDArray
    generator: np.random.Generator
    split_seed: int
    normalizer: Normalizer = field(default_factory=lambda: Normalizer(np.zeros(0), np.ones(0)))


@dataclass
class State:
    """Everything that a fit leaves behind, and that a continued fit goes on from."""

    beginning: Beginning
    network: Network
    initial_parameters: NDArray[np.float32]
    centroids: list[tuple[NDArray[np.float32] | None, NDArray[np.float32] | None]]
    history: dict[str, list[float]]


class DisjunctiveNetworkClassifier(ClassifierMixin, BaseEstimator):
    """The common part of `LDNNClassifier` and `ModularNetworkClassifier`, where the parameters are described."""

    _parameter_constraints: dict = {
        "n_conjunctions": [_POSITIVE_INTEGER],
        "n_discriminants": [_POSITIVE_INTEGER],
        "init": [StrOptions({"kmeans", "farthest", "random"}), tuple, list],
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
        "normalize": [None, StrOptions({"standard", "whiten"})],
        "class_weight": [None, dict, StrOptions({"balanced"})],
        "warm_start": ["boolean"],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

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
            Numbers, without missing values.
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
        fraction = self.validation_fraction if X_val is None else 0
        beginning, training, validation = self._prepare(X, y, sample_weight, None, state, fraction)
        if X_val is not None:
            validation = self._read_validation(X_val, y_val, sample_weight_val, beginning)
        if state is None:
            state = self._begin(beginning, training)
        self._train(state, training, validation, self._settings())
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
        beginning, training, _ = self._prepare(X, y, sample_weight, classes, state, 0)
        if state is None:
            state = self._begin(beginning, training)
        self._train(state, training, None, replace(self._settings(), max_epochs=1, step_schedule="constant"))
        return self

    def _prepare(
        self, X, y, sample_weight, classes, state: State | None, validation_fraction: float
    ) -> tuple[Beginning, Rows, Rows | None]:
        """From the user's table to normalised training and validation rows.

        Classes and normalisation are those of the model that is continued, if there is one. (What is no longer needed
        is let go at the end of this method: beside large tables it counts.)
        """
        X, labels, weights = self._read(X, y, sample_weight, reset=state is None)
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
            beginning = Beginning(known, generator, int(generator.integers(2**62)))
        codes, weights = self._encode_labels(labels, weights, beginning.classes)
        rows, totals = distinct_rows(X, codes, weights)
        if rows.size == 0:
            raise ValueError("No row has a positive weight: raise the class weights of the classes that occur.")
        codes = codes[rows]
        # A continued fit holds out the same rows as before: their own seed decides.
        kept, held_out = split_off_validation(codes, validation_fraction, np.random.default_rng(beginning.split_seed))
        if state is None:
            beginning.normalizer = Normalizer.learn(X, rows[kept], totals[kept], self.normalize)
        training = Rows(beginning.normalizer.apply(X, rows[kept]), codes[kept], totals[kept])
        self._check_range(training.X)
        if held_out.size == 0:
            return beginning, training, None
        return (
            beginning,
            training,
            Rows(beginning.normalizer.apply(X, rows[held_out]), codes[held_out], totals[held_out]),
        )

    def _begin(self, beginning: Beginning, rows: Rows) -> State:
        """Cluster, and place the first half-spaces."""
        codes = network_codes(len(beginning.classes))
        starts = self._starts(beginning, rows, codes)
        network = Network.from_discriminants([(start.weights, start.biases) for start in starts])
        self._warn_if_smaller(network, [beginning.classes[code] for code in codes], starts)
        return State(
            beginning=beginning,
            network=network,
            initial_parameters=network.parameters.copy(),
            centroids=[(start.positive_centroids, start.negative_centroids) for start in starts],
            history={name: [] for name in CURVES},
        )

    def _starts(self, beginning: Beginning, rows: Rows, codes: list[int]) -> list[Start]:
        if not isinstance(self.init, str):
            return [start_from_centroids(*pair) for pair in self._given_centroids(len(codes), beginning.normalizer)]
        clustering = Clustering(
            self.init, int(self.n_conjunctions), int(self.n_discriminants), int(self.n_init), self.distance_threshold
        )
        for code, label in enumerate(beginning.classes):
            if self.init != "random" and not np.any(rows.codes == code):
                self._start_without_rows(label)
        generators = beginning.generator.spawn(len(codes))
        with Workers(self.n_jobs, len(codes)) as workers:
            return workers.each(lambda c: start_from_clusters(rows, codes[c], clustering, generators[c]))

    def _start_without_rows(self, label: Any) -> None:
        """A class that has no rows yet, in a first `partial_fit`."""
        warnings.warn(
            f"Class {shown(label)} has no rows in the first part: its network starts from random half-spaces. Give the "
            "first call rows of every class for a better start."
        )

    def _given_centroids(self, networks: int, normalizer: Normalizer) -> list[tuple[NDArray, NDArray]]:
        """The user's centroids: a pair of (N, F) and (M, F), or for several networks (C, N, F) and (C, M, F)."""
        expected = "(N, features) and (M, features)"
        if networks > 1:
            expected = f"({networks}, N, features) and ({networks}, M, features)"
        wrong = ValueError(
            f"init must be 'kmeans', 'farthest', 'random' or a pair of centroid arrays of shapes {expected}, where "
            f"features is {len(normalizer.center)}."
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
        return [
            (normalizer.apply(positive), normalizer.apply(negative)) for positive, negative in zip(*sides, strict=True)
        ]

    def _warn_if_smaller(self, network: Network, labels: list[Any], starts: list[Start]) -> None:
        if (
            not isinstance(self.init, str)
            or self.distance_threshold is not None
            or starts[0].positive_centroids is None
        ):
            return
        asked = (self.n_conjunctions, self.n_discriminants)
        smaller = [
            f"{n}x{m} for class {shown(label)}"
            for (n, m), label in zip(network.sizes, labels, strict=True)
            if (n, m) != asked
        ]
        if smaller:
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
            codes=network_codes(len(state.beginning.classes)),
            class_names=state.beginning.classes.tolist(),
            generator=state.beginning.generator,
            history=state.history,
        )
        interrupted = False
        try:
            trainer.run(rows, validation)
        except KeyboardInterrupt:
            interrupted = True
        self._state = state
        self.classes_ = state.beginning.classes
        self.history_ = state.history
        self.n_epochs_ = len(state.history["training_loss"])
        self.best_epoch_ = trainer.best_epoch
        if interrupted:
            raise KeyboardInterrupt(
                f"{type(self).__name__} was stopped after {self.n_epochs_} epochs: the model holds the best weights so "
                "far and can be used; set warm_start=True and call fit to go on."
            )

    def _settings(self) -> Settings:
        return Settings(
            loss=self.loss,
            softening=float(self.softening),
            step_size=float(self.step_size),
            step_schedule=self.step_schedule,
            momentum=float(self.momentum),
            max_epochs=int(self.max_epochs),
            patience=self.patience,
            stop_on=self.stop_on,
            n_jobs=self.n_jobs,
            verbose=bool(self.verbose),
        )

    # --- reading tables -----------------------------------------------------------------------------------------------

    def _read(self, X, y, sample_weight, *, reset: bool) -> tuple[NDArray, NDArray, NDArray[np.float64]]:
        """The table, its labels and its weights, checked."""
        X, y = self._read_table(X, y, reset=reset)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        return X, y, weights

    def _read_table(self, X, y: Any = "no_validation", *, reset: bool = False) -> Any:
        """X as float32 or float64 (and y, if there is one, as a column), without NaN or infinity."""
        has_y = not isinstance(y, str)
        try:
            arrays = validate_data(
                self,
                X,
                y=y,
                reset=reset,
                dtype=[np.float64, np.float32],
                ensure_all_finite=False,
            )
        except ValueError as error:
            if "could not convert string to float" not in str(error):
                raise
            raise ValueError(
                f"X holds text ({str(error).rpartition(': ')[2]}): turn text columns into numbers first, for example "
                "with sklearn.preprocessing.OneHotEncoder."
            ) from None
        if not has_y:
            self._check_finite(arrays)
            return arrays
        X, y = arrays
        self._check_finite(X)
        check_classification_targets(y)
        return X, column_or_1d(y)

    def _check_finite(self, X: NDArray) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(X.sum()):  # a sum costs little, and NaN or infinity would show in it
                return
        for part in chunks(len(X)):
            bad = np.flatnonzero(~np.isfinite(X[part]).all(axis=0))
            if bad.size:
                column = int(bad[0])
                names = getattr(self, "feature_names_in_", None)
                name = f"column {column}" if names is None else f"column {names[column]!r}"
                what = "NaN" if np.isnan(X[part, column]).any() else "infinity"
                raise ValueError(
                    f"Input X contains {what} in {name}: fill such values first (sklearn.impute.SimpleImputer), or "
                    "leave those rows out."
                )

    def _check_range(self, X: NDArray[np.float32]) -> None:
        largest = max(X.max(), -X.min())
        if self.normalize is None and largest > 1e6:
            warnings.warn(
                f"X holds values up to {largest:.3g} and normalize=None: half-spaces start with weights of length 1 "
                "and hardly move at such a scale. Use normalize='standard'."
            )

    def _encode_labels(
        self, labels: NDArray, weights: NDArray[np.float64], classes: NDArray
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Labels as class numbers, and the weights times the class weights. Rows of weight 0 may have any label."""
        codes = np.searchsorted(classes, labels).clip(max=len(classes) - 1).astype(np.int32)
        unknown = (classes[codes] != labels) & (weights > 0)
        if unknown.any():
            raise ValueError(
                f"The label {shown(labels[unknown][0])} is not among the classes {classes.tolist()}: only these can be "
                "learned."
            )
        if self.class_weight is not None:
            used = weights > 0
            per_class = compute_class_weight(
                self.class_weight, classes=classes, y=classes[codes[used]], sample_weight=weights[used]
            )
            if (per_class < 0).any():
                raise ValueError("class_weight must not be negative.")
            weights = weights * per_class[codes]
        return codes, weights

    def _read_validation(self, X, y, sample_weight, beginning: Beginning) -> Rows:
        try:
            X, labels, weights = self._read(X, y, sample_weight, reset=False)
            codes, weights = self._encode_labels(labels, weights, beginning.classes)
        except ValueError as error:
            raise ValueError(f"In the validation data: {error}") from None
        rows = np.flatnonzero(weights > 0)
        if rows.size == 0:
            raise ValueError("In the validation data: no row has a positive weight.")
        return Rows(beginning.normalizer.apply(X, rows), codes[rows], weights[rows])

    # --- predicting ---------------------------------------------------------------------------------------------------

    def _evaluate(self, X, quantity: str) -> NDArray[np.float64]:
        """The "odds" f / (1 - f), or the "log_odds", of every network: (networks, n)."""
        check_is_fitted(self, "_state")
        state = self._state
        X = self._read_table(X)
        values = np.empty((len(state.network.parameters), len(X)))
        function = getattr(self._method(state, None), quantity)
        with Workers(self.n_jobs, len(values)) as workers:
            for part in chunks(len(X), 65536):
                normalized = state.beginning.normalizer.apply(X[part])
                values[:, part] = evaluate(function, state.network, normalized, workers)
        return values

    def decision_function(self, X):
        """The log-odds log f(x) - log(1 - f(x)) of each network.

        Returns
        -------
        ndarray of shape (n_samples,) for two classes, else (n_samples, n_classes)
            For two classes positive values mean `classes_[1]`.
        """
        log_odds = self._evaluate(X, "log_odds")
        return log_odds[0] if len(log_odds) == 1 else log_odds.T

    def predict_proba(self, X):
        """Class probabilities: 1 - f and f for two classes, else each network's f divided by their sum.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), float64; rows sum to one
        """
        check_is_fitted(self, "_state")
        if len(self.classes_) == 2:
            odds = self._evaluate(X, "odds")[0]
            proba = np.empty((len(odds), 2))
            np.divide(1, 1 + odds, out=proba[:, 0])
            np.multiply(odds, proba[:, 0], out=proba[:, 1])
            return proba
        log_odds = self._evaluate(X, "log_odds").T
        return softmax(-np.logaddexp(0, -log_odds), axis=1)  # of log f: the quotient, without underflow

    def predict(self, X):
        """The class with the largest output.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        log_odds = self._evaluate(X, "log_odds")
        return self.classes_[predicted_codes(log_odds)]

    # --- the learned half-spaces --------------------------------------------------------------------------------------

    @property
    def weights_(self) -> NDArray[np.float64]:
        """(networks, N, M, features): the half-spaces w.x + b >= 0 in the units of the user's columns."""
        return self._half_spaces()[0]

    @property
    def biases_(self) -> NDArray[np.float64]:
        """(networks, N, M): the biases that belong to `weights_`."""
        return self._half_spaces()[1]

    @property
    def normalized_weights_(self) -> NDArray[np.float64]:
        """(networks, N, M, features): the half-spaces in normalised units."""
        check_is_fitted(self, "_state")
        return self._state.network.discriminants()[0]

    @property
    def normalized_biases_(self) -> NDArray[np.float64]:
        """(networks, N, M): the biases that belong to `normalized_weights_`."""
        check_is_fitted(self, "_state")
        return self._state.network.discriminants()[1]

    @property
    def initial_weights_(self) -> NDArray[np.float64]:
        """(networks, N, M, features): where the half-spaces started, in the units of the user's columns."""
        return self._half_spaces(initial=True)[0]

    @property
    def initial_biases_(self) -> NDArray[np.float64]:
        """(networks, N, M): the biases that belong to `initial_weights_`."""
        return self._half_spaces(initial=True)[1]

    @property
    def sizes_(self) -> NDArray[np.int64]:
        """(networks, 2): how many conjunctions and discriminants each network really has.

        The entries of `weights_` beyond that are zero, and their biases make a discriminant always true, a conjunction
        never.
        """
        check_is_fitted(self, "_state")
        return self._state.network.sizes

    def _half_spaces(self, initial: bool = False) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        check_is_fitted(self, "_state")
        network = self._state.network
        if initial:
            network = replace(network, parameters=self._state.initial_parameters)
        return self._state.beginning.normalizer.to_user_units(*network.discriminants())


def shown(label: Any) -> str:
    """A label as the user wrote it: 'few', not np.str_('few')."""
    return repr(label.item() if isinstance(label, np.generic) else label)
