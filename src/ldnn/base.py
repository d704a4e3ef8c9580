"""The base class of LDNN and Mod-N: the scikit-learn interface, from the user's table to a trained network and its
predictions.

The path of a row through `fit`: read the table -> distinct rows -> choose a plan -> hold out validation rows -> encode
-> clusters and first half-spaces -> epochs -> calibration -> FittedState; and through `predict_proba`: read the table
-> encode -> log-odds -> probabilities.
"""

import warnings
from abc import abstractmethod
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state, estimator_html_repr

from ._callbacks import FitTasks
from ._encoding.clustering_space import ClusteringSpace
from ._encoding.encoder import Encoder
from ._encoding.fit_encoder import fit_encoder
from ._encoding.monotone_cone import MonotoneCone
from ._encoding.rows import EncodedRows
from ._io.storable import Storable
from ._model.attributes import FittedAttributes
from ._model.calibration import fit_inverse_temperature, prior_inverse_temperature, probabilities
from ._model.forward import positive_classes, predicted_classes
from ._model.given_centroids import read_centroids
from ._model.importances import column_importances
from ._model.initial_network import find_starts, initial_network, with_learning_rate
from ._model.network import Network
from ._model.prediction import NetworkLogOdds, ensemble_log_odds, matrix_log_odds
from ._model.starts import Start, start_from_centroids
from ._model.state import CURVES, FittedState
from ._model.validation_scores import VALIDATION, HeldOutRows, ValidationRows, ValidationScores
from ._plan import Choice, Plan, StartPlan, TrainingPlan
from ._printable import listed, printable
from ._sklearn import POSITIVE_INTEGER, CallbackSupportMixin, CheckedParameters, Interval, StrOptions, fit_method
from ._table.checks import TableColumns, fit_columns, quoted, read_matrix, read_validation, validation_set
from ._table.distinct import split_off_validation
from ._table.monotonic import monotone_columns, read_directions
from ._table.read_table import read_training_table
from ._table.training_table import TrainingTable
from ._threads import Workers
from ._training.trainer import Trainer
from ._training.updates import Update
from .explore.explorable import Explorable

_Data = tuple[Any, Any, Any]  # X, y, sample_weight, as the user passes them

SAMPLE, _SMALL_SAMPLE = 256, 64  # rows to measure importances on, after `fit` and after `partial_fit`
_LARGE_VALUES = 1e6  # without normalisation, half-spaces of length 1 hardly move at such a scale


class DisjunctiveNetworkClassifier(
    FittedAttributes, Storable, Explorable, CheckedParameters, CallbackSupportMixin, ClassifierMixin, BaseEstimator
):
    """The common part of `LDNNClassifier` and `ModularNetworkClassifier`, where the parameters are described."""

    _parameter_constraints: dict = {
        "n_conjunctions": [POSITIVE_INTEGER],
        "n_discriminants": [POSITIVE_INTEGER],
        "init": [StrOptions({"auto", "kmeans", "farthest", "random", "rules"}), tuple, list],
        "n_init": [POSITIVE_INTEGER],
        "loss": [StrOptions({"squared", "log"})],
        "label_smoothing": [Interval(Real, 0, 1, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "learning_rate_schedule": [StrOptions({"constant", "linear"})],
        "momentum": [Interval(Real, 0, 1, closed="left")],
        "max_epochs": [POSITIVE_INTEGER],
        "validation_fraction": [Interval(Real, 0, 1, closed="left")],
        "scoring": [StrOptions({"loss", "accuracy"})],
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
        tags.input_tags.sparse = True
        return tags

    def _html_repr(self) -> str:
        """What notebooks show: scikit-learn's diagram and, of a fitted model, its picture."""
        from ._html import model_picture

        return estimator_html_repr(self) + (printable(model_picture(self)) if self.__sklearn_is_fitted__() else "")

    # --- what the two classifiers do differently ----------------------------------------------------------------------

    @abstractmethod
    def _update(self, state: FittedState, rows: EncodedRows) -> Update:
        """How the networks learn from rows."""

    @property
    @abstractmethod
    def _network_log_odds(self) -> NetworkLogOdds:
        """How a network predicts."""

    @staticmethod
    @abstractmethod
    def _output_slopes(z: NDArray) -> NDArray:
        """df/dz (n, N, M) for the half-spaces z (n, N, M) of a network."""

    @abstractmethod
    def _choose(self, table: TrainingTable, generator: np.random.Generator, in_parts: bool) -> Choice:
        """The plan: what the parameters say, and what they leave open as the rows suggest. in_parts: more rows will
        come, so plans cannot be compared.
        """

    def _start_without_rows(self, label: Any) -> None:
        """A class has no rows that count in `fit`, or none in the first call of `partial_fit`."""
        warnings.warn(
            f"Class {quoted(label)} has no rows of positive weight: its network starts from random half-spaces. For a "
            "better start, pass rows of every class to fit, or to the first call of partial_fit."
        )

    # --- fit ----------------------------------------------------------------------------------------------------------

    @fit_method
    def fit(self, X, y, sample_weight=None, X_val=None, y_val=None, sample_weight_val=None, eval_set=None):
        """Fit the model to a table.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, text, categories, dates and times; values may be missing. Of a sparse matrix with more than 2,000
            columns, those with the largest univariate gain are used.
        y : array-like of shape (n_samples,)
            Labels of two or more classes: strings, integers or booleans.
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight 3 is equivalent to three copies of the row; a row of weight 0 is ignored.
        X_val, y_val : like X and y, default=None
            Validation rows, which choose the epoch and calibrate the probabilities. If given, `validation_fraction` is
            not used and the networks are trained on all of X. Parameters that are "auto" are chosen on held-out rows of
            X, not on these.
        sample_weight_val : array-like, default=None
            Weights of the validation rows.
        eval_set : tuple (X_val, y_val) or a list with one such tuple, default=None
            The same as X_val and y_val, under the name that boosting libraries use.

        Returns
        -------
        self
        """
        validation = validation_set(eval_set, X_val, y_val, sample_weight_val)
        previous = getattr(self, "_state", None) if self.warm_start else None
        tasks = FitTasks.of(self, X, y, sample_weight)
        self._fit((X, y, sample_weight), None, previous, validation, in_parts=False, tasks=tasks)
        if tasks is not None:
            tasks.end(self._state)
        return self

    @fit_method
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Train for one epoch on a part of a table, at a constant learning rate and without validation.

        The first call computes the normalisation and the clusters from its own rows, so pass it a representative sample
        of the data. After `fit`, training continues from the fitted model.

        Parameters
        ----------
        X, y, sample_weight : as for `fit`
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever occur; required in the first call only.

        Returns
        -------
        self
        """
        previous: FittedState | None = getattr(self, "_state", None)
        self._check_partial_fit(classes, previous)
        self._fit((X, y, sample_weight), classes, previous, None, in_parts=True)
        return self

    def _fit(
        self,
        data: _Data,
        classes: Any,
        previous: FittedState | None,
        validation_data: _Data | None,
        in_parts: bool,
        tasks: FitTasks | None = None,
    ) -> None:
        """Fit to data (X, y, sample_weight), from scratch or continuing a previous fit. tasks: for callbacks."""
        columns, classes, table = self._read_training(*data, classes, previous)
        if previous is None:
            generator = np.random.default_rng(check_random_state(self.random_state).randint(2**31, size=4))
            split_seed = int(generator.integers(2**62))
            with nullcontext() if tasks is None else tasks.choosing():
                choice = self._choose(table, generator, in_parts)
        else:
            generator, split_seed, choice = deepcopy(previous.generator), previous.split_seed, previous.choice
        fraction = 0.0 if in_parts or validation_data is not None else float(self.validation_fraction)
        # A continued fit holds out the same rows as before: their own seed decides.
        kept, held_out = split_off_validation(table.y, fraction, np.random.default_rng(split_seed))
        table, held_out_table = table.subset(kept), table.subset(held_out)
        if previous is None:
            encoder = fit_encoder(table, choice.plan.encoding, generator)
            self._warn_if_large(table, encoder)
        else:
            encoder = previous.encoder
        sample = table.sample(_SMALL_SAMPLE if in_parts else SAMPLE)
        training = encoder.encode_table(table)
        validation = None
        if held_out.size:
            scored = HeldOutRows(held_out_table.y, held_out_table.row_weights, held_out_table.is_weighted)
            validation = ValidationRows(encoder.encode_table(held_out_table), scored)
        del data, table, held_out_table, kept, held_out  # large tables leave no memory for what is no longer needed
        if validation_data is not None:
            validation = self._read_validation(*validation_data, columns, classes, encoder)
        if previous is None:
            state = self._initial_state(classes, columns, choice, generator, split_seed, encoder, training)
        else:
            history = {name: list(curve) for name, curve in previous.history.items()}
            state = replace(previous, generator=generator, network=previous.network.copy(), history=history)
        plan = self._training_plan(state.plan.training)
        if in_parts:
            plan = replace(plan, max_epochs=1, learning_rate_schedule="constant")
        with nullcontext() if tasks is None else tasks.in_training(state, plan.max_epochs):
            self._train(state, training, validation, plan, tasks, sample)

    # --- reading ------------------------------------------------------------------------------------------------------

    def _check_partial_fit(self, classes: Any, previous: FittedState | None) -> None:
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all rows at once: for partial_fit, compute the weights with "
                "sklearn.utils.class_weight.compute_class_weight and pass class_weight as a dict."
            )
        if previous is None and classes is None:
            raise ValueError("The first call of partial_fit needs classes=...: all the labels that will ever occur.")
        if previous is not None and classes is not None and not np.array_equal(np.unique(classes), previous.classes):
            raise ValueError(f"{classes=} differs from the first call of partial_fit: {previous.classes.tolist()}.")

    def _read_training(
        self, X, y, sample_weight, classes, previous: FittedState | None
    ) -> tuple[TableColumns | None, NDArray, TrainingTable]:
        """From the user's table to distinct rows with class indices and weights."""
        given = getattr(self, "monotonic_cst", None) if previous is None else None  # an encoder keeps its directions
        if previous is None:
            columns = monotone_columns(self._fit_columns(X, y, sample_weight), given)
        else:
            columns = previous.columns
        known, table = read_training_table(
            self, X, y, sample_weight, columns, classes, None if previous is None else previous.classes
        )
        directions = read_directions(given, self, columns, len(known), table.X.shape[1])
        return columns, known, replace(table, directions=directions if directions.any() else None)

    def _fit_columns(self, X: Any, y: Any, sample_weight: Any) -> TableColumns | None:
        """What the columns of a table are; None if all of them are numbers."""
        return fit_columns(X, y, sample_weight, self.categorical_features)

    def _read_validation(
        self, X, y, sample_weight, columns: TableColumns | None, classes: NDArray, encoder: Encoder
    ) -> ValidationRows:
        X, rows, y, row_weights, weights = read_validation(self, X, y, sample_weight, columns, classes)
        encoded = EncodedRows(*encoder.transform_for_training(X, rows), y, weights)
        return ValidationRows(encoded, HeldOutRows(y, row_weights, sample_weight is not None))

    def _warn_if_large(self, table: TrainingTable, encoder: Encoder) -> None:
        if self.normalize is not None or encoder.numbers.size == 0:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a column without any value
            largest = np.nanmax(np.abs(table.X[table.rows][:, encoder.numbers]))
        if largest > _LARGE_VALUES:
            warnings.warn(
                f"X has values up to {largest:.3g} and normalize=None: half-spaces start with weights of length 1 and "
                "hardly move at such a scale. Use normalize='standard'."
            )

    # --- the parameters -----------------------------------------------------------------------------------------------

    def _training_plan(self, chosen: TrainingPlan | None = None) -> TrainingPlan:
        """The parameters of training as they are now; what is "auto" as it was chosen, or a first guess."""
        auto: dict[str, Any] = {
            "loss": "squared", "label_smoothing": 0.2, "learning_rate": 1.0, "max_epochs": 20, "revisit_every": 8
        }  # fmt: skip
        given = {name: getattr(self, name, 1) for name in auto}  # Mod-N visits all rows in every epoch
        used: dict[str, Any] = {
            name: (getattr(chosen, name) if chosen is not None else auto[name]) if value == "auto" else value
            for name, value in given.items()
        }
        return TrainingPlan(
            loss=used["loss"],
            label_smoothing=float(used["label_smoothing"]),
            learning_rate=float(used["learning_rate"]),
            learning_rate_schedule=self.learning_rate_schedule,
            momentum=float(self.momentum),
            max_epochs=int(used["max_epochs"]),
            revisit_every=int(used["revisit_every"]),
            scoring=self.scoring,
            n_jobs=self.n_jobs,
            verbose=bool(self.verbose),
        )

    def _start_plan(self, N: int, M: int, limit: float | None = None) -> StartPlan:
        return StartPlan(self.init if isinstance(self.init, str) else "given", N, M, int(self.n_init), limit)

    # --- training -----------------------------------------------------------------------------------------------------

    def _initial_state(
        self,
        classes: NDArray,
        columns: TableColumns | None,
        choice: Choice,
        generator: np.random.Generator,
        split_seed: int,
        encoder: Encoder,
        rows: EncodedRows,
    ) -> FittedState:
        """Cluster, and place the first half-spaces."""
        plan = with_learning_rate(choice.plan, encoder.mean_squared_norm(rows))
        if encoder.components is not None:  # the number that explains the share of the variance that was asked for
            plan = plan.with_encoding(n_components=encoder.n_numbers)
        starts = self._starts(plan, classes, generator, encoder, rows)
        network = initial_network(plan, encoder, rows, starts)
        self._warn_if_smaller(network, classes, starts, plan)
        if plan.start.method == "given":
            plan = plan.with_start(N=network.N, M=network.M)
        initial = network.parameters.copy()
        encoder.fold_long_tails(initial)
        prior = prior_inverse_temperature(plan.training.label_smoothing)
        return FittedState(
            classes=classes,
            columns=columns,
            choice=replace(choice, plan=plan),
            generator=generator,
            split_seed=split_seed,
            encoder=encoder,
            network=network,
            initial_parameters=initial,
            centroids=[(start.positive_centroids, start.negative_centroids) for start in starts],
            inverse_temperature=choice.inverse_temperature or prior,
            history={name: [] for name in CURVES},
        )

    def _starts(
        self, plan: Plan, classes: NDArray, generator: np.random.Generator, encoder: Encoder, rows: EncodedRows
    ) -> list[Start]:
        positives = positive_classes(len(classes))
        if not isinstance(self.init, str):
            pairs = read_centroids(self.init, len(positives), encoder)
            directions = ClusteringSpace(encoder).directions
            return [start_from_centroids(*pair, plan.start.limit, directions) for pair in pairs] * plan.n_estimators
        for c, label in enumerate(classes):
            if self.init != "random" and not np.any(rows.y == c):
                self._start_without_rows(label)
        space = ClusteringSpace(encoder)
        networks = positives * plan.n_estimators
        n_jobs = plan.training.n_jobs
        return find_starts([space.encode(rows)], [plan.start], networks, generator, n_jobs, [space.directions])[0]

    def _warn_if_smaller(self, network: Network, classes: NDArray, starts: list[Start], plan: Plan) -> None:
        """Warn where clusters are fewer than the numbers that the user asked for."""
        if plan.start.method == "given" or starts[0].positive_centroids is None:
            return
        asked = (plan.start.N, plan.start.M)
        is_asked = [size != "auto" for size in (self.n_conjunctions, self.n_discriminants)]
        is_smaller = ((network.sizes != asked) & is_asked).any(axis=1)
        labels = [classes[c] for c in positive_classes(len(classes))] * plan.n_estimators
        smaller = [
            f"{n}x{m} for class {quoted(label)}"
            for (n, m), label, told in zip(network.sizes, labels, is_smaller, strict=True)
            if told
        ]
        if smaller:
            warnings.warn(
                f"The model is smaller than the {asked[0]}x{asked[1]} asked for ({listed(smaller, 3)}): the "
                "training rows have fewer distinct points than that. Lower n_conjunctions and n_discriminants to "
                "silence this warning."
            )

    def _train(
        self,
        state: FittedState,
        rows: EncodedRows,
        validation: ValidationRows | None,
        plan: TrainingPlan,
        tasks: FitTasks | None = None,
        sample: tuple[NDArray, NDArray[np.float64]] | None = None,
    ) -> None:
        """Run the epochs. The model becomes this estimator's only if they went well, or were interrupted.

        tasks: for callbacks. sample: rows and weights to measure importances on.
        """
        trainer = replace(self._trainer(state, rows, plan), listener=tasks)
        interrupted = False
        try:
            trainer.run(rows, None if validation is None else validation.encoded)
        except KeyboardInterrupt:
            interrupted = True
        if validation is not None:
            state = self._evaluated(state, validation)
        state = replace(state, best_epoch=trainer.best_epoch).settled()
        self._state = state if sample is None else replace(state, importances=self._importances(state, *sample))
        if interrupted:
            raise KeyboardInterrupt(
                f"{type(self).__name__} was stopped after {self.n_epochs_} epochs: the model has the best weights so "
                "far and can be used; set warm_start=True and call fit to continue."
            )

    def _trainer(self, state: FittedState, rows: EncodedRows, plan: TrainingPlan) -> Trainer:
        """What runs the epochs."""
        return Trainer(
            network=state.network,
            update=self._update(state, rows),
            plan=plan,
            positives=state.positives,
            class_names=state.classes.tolist(),
            generator=state.generator,
            history=state.history,
            n_estimators=state.plan.n_estimators,
            cone=MonotoneCone.of(state.encoder),
        )

    def _evaluated(self, state: FittedState, validation: ValidationRows) -> FittedState:
        """The state with the inverse temperature that suits validation rows, and with their scores."""
        rows = validation.encoded
        with Workers(self.n_jobs, len(state.network.parameters)) as workers:
            log_odds = ensemble_log_odds(
                self._network_log_odds, state.network, rows.features, state.plan.n_estimators, workers
            )
        factor = fit_inverse_temperature(log_odds, rows.y, rows.weights, state.plan.training.label_smoothing)
        scores = ValidationScores.of_log_odds(VALIDATION, [(validation.held_out, log_odds)], factor)
        return replace(state, inverse_temperature=factor, scores=scores)

    def _importances(
        self, state: FittedState, matrix: NDArray, weights: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """The `feature_importances_` of a state on some rows."""
        shares = column_importances(state, self._output_slopes, matrix, weights)
        shares = shares if state.columns is None else state.columns.table_sums(shares)
        return np.minimum(shares, 1.0)  # sums are rounded, and no file may hold more

    # --- prediction ---------------------------------------------------------------------------------------------------

    def _matrix(self, X) -> NDArray:
        """A table as numbers (n, columns): categories as codes, dates as several numbers, missing values as NaN."""
        return read_matrix(self, X, self._fitted_state().columns)

    def _log_odds(self, matrix: NDArray) -> NDArray[np.float64]:
        """The log-odds of f for each class's network, (C, n), for a table that has been read."""
        state = self._fitted_state()
        return matrix_log_odds(
            self._network_log_odds, state.encoder, state.network, matrix, state.plan.n_estimators, self.n_jobs
        )

    def decision_function(self, X):
        """The log-odds log f(x) - log(1 - f(x)) of each class, where f is the mean over the ensemble.

        Returns
        -------
        ndarray of shape (n_samples,) for two classes, else (n_samples, n_classes)
            For two classes positive values mean `classes_[1]`.
        """
        log_odds = self._log_odds(self._matrix(X))
        return log_odds[0] if len(log_odds) == 1 else log_odds.T

    def predict_proba(self, X):
        """Class probabilities: the logistic function of the log-odds times `inverse_temperature_`, or their softmax for
        more than two classes. The inverse temperature was fitted on held-out rows, if there were any.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), float64; rows sum to one
        """
        return probabilities(self._log_odds(self._matrix(X)), self._fitted_state().inverse_temperature)

    def __call__(self, X):
        """`predict_proba`, so that tools which explain functions, such as SHAP, take the model itself."""
        return self.predict_proba(X)

    def predict(self, X):
        """The class with the largest output f.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.classes_[predicted_classes(self._log_odds(self._matrix(X)))]
