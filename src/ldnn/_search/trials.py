"""Trials: plans carried out on the same training rows and evaluated on the same held-out rows."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._encoding.clustering_space import ClusteringSpace
from .._encoding.encoder import Encoder
from .._encoding.fit_encoder import fit_encoder
from .._encoding.monotone_cone import MonotoneCone
from .._encoding.rows import EncodedRows, Features
from .._model.calibration import fit_inverse_temperature, log_probabilities
from .._model.forward import positive_classes, predicted_classes
from .._model.initial_network import find_starts, initial_network, with_learning_rate
from .._model.network import Network
from .._model.prediction import ensemble_log_odds, joint_log_odds
from .._model.starts import Start
from .._model.state import CURVES
from .._plan import Plan, TrainingPlan
from .._table.training_table import TrainingTable
from .._threads import Workers
from .._training.short_run import epochs_per_call, run_short
from .._training.trainer import DivergenceError, Trainer
from .._training.updates import JointUpdate
from .costs import share_well_fitted


@dataclass
class Trial:
    """Plans on the same rows, with the same seeds: what several of them need is made once.

    train: the rows to train on; test: the held-out rows.
    """

    train: TrainingTable
    test: TrainingTable
    seed: int
    _encoded: dict[Any, tuple[Encoder, EncodedRows, Features]] = field(default_factory=dict)
    _starts: dict[Any, list[Start]] = field(default_factory=dict)
    _norms: dict[Any, float] = field(default_factory=dict)
    _prepared: set[Plan] = field(default_factory=set)

    def prepare(self, plans: list[Plan], n_jobs: int | None) -> None:
        """Encode the rows for networks of these plans and find their starts, as far as that was not done before."""
        if all(plan in self._prepared for plan in plans):
            return
        new = list({plan.encoding: plan for plan in plans if plan.encoding not in self._encoded}.values())
        with Workers(n_jobs, len(new)) as workers:
            encoded = workers.each(lambda k: self._encode(new[k]))
        self._encoded.update(zip((plan.encoding for plan in new), encoded, strict=True))
        missing = {self._start_key(plan): plan for plan in plans if self._start_key(plan) not in self._starts}
        spaces, directions = [], []
        for plan in missing.values():
            encoder, rows, _ = self._encoded[plan.encoding]
            space = ClusteringSpace(encoder)
            spaces.append(space.encode(rows))
            directions.append(space.directions)
        generator = np.random.default_rng([self.seed, 2])
        positives = positive_classes(self.train.n_classes)
        plans_of_starts = [plan.start for plan in missing.values()]
        starts = find_starts(spaces, plans_of_starts, positives, generator, n_jobs, directions)
        self._starts.update(zip(missing, starts, strict=True))
        self._prepared.update(plans)

    def _encode(self, plan: Plan) -> tuple[Encoder, EncodedRows, Features]:
        encoder = fit_encoder(self.train, plan.encoding, np.random.default_rng(self.seed))
        return encoder, encoder.encode_table(self.train), encoder.transform_for_training(self.test.X, self.test.rows)

    def _start_key(self, plan: Plan) -> Any:
        """What decides where a network starts: the columns or components, without knots; but knots decide how numbers
        with long tails are encoded.
        """
        encoding = plan.encoding
        encoder, _, _ = self._encoded[encoding]
        own = encoding if encoder.long_tails else None
        same = encoding.normalize, encoding.n_selected, encoding.n_components
        return plan.start, same, tuple(encoder.numbers), own

    def carry_out(self, plan: Plan) -> tuple[NDArray[np.float64], float]:
        """Train one ensemble member as planned: the log-odds (C, n) of the held-out rows, and visits per row."""
        self.prepare([plan], plan.training.n_jobs)
        encoder, rows, test = self._encoded[plan.encoding]
        network = initial_network(plan, encoder, rows, self._starts[self._start_key(plan)])
        cone = MonotoneCone.of(encoder)
        network, n_visits = self._trained(network, self._with_learning_rate(plan).training, rows, cone)
        with Workers(plan.training.n_jobs, len(network.parameters)) as workers:
            log_odds = ensemble_log_odds(joint_log_odds, network, test, 1, workers)
        return log_odds, n_visits / (len(network.parameters) * len(rows.X))

    def _with_learning_rate(self, plan: Plan) -> Plan:
        encoder, rows, _ = self._encoded[plan.encoding]
        if plan.encoding not in self._norms:
            self._norms[plan.encoding] = encoder.mean_squared_norm(rows)
        return with_learning_rate(plan, self._norms[plan.encoding])

    def _trained(
        self, network: Network, plan: TrainingPlan, rows: EncodedRows, cone: MonotoneCone | None
    ) -> tuple[Network, int]:
        """The networks after all epochs, and the number of their visits."""
        positives = positive_classes(self.train.n_classes)
        at_once = epochs_per_call(network, rows) if cone is None else 0
        if at_once:
            trained = network.copy()
            n_visits = run_short(trained, plan, positives, rows, np.random.default_rng([self.seed, 1]), at_once)
            if n_visits is not None:
                return trained, n_visits
        trainer = Trainer(
            network=network,
            update=JointUpdate(),
            plan=plan,
            positives=positives,
            class_names=list(range(self.train.n_classes)),
            generator=np.random.default_rng([self.seed, 1]),
            history={name: [] for name in CURVES},
            may_warn=False,
            cone=cone,
        )
        trainer.run(rows, None)
        return network, trainer.n_visits


@dataclass
class Candidate:
    """A plan and the results of its trials so far.

    scores: one for each trial, lower is better. inverse_temperature, well_fitted, n_visits: of the last trial. outputs:
    the log-odds (C, n) of each trial. n_members: if more than one was trained, the inverse temperature is that of their
    ensemble, and single_temperature the (geometric) mean of theirs.
    """

    plan: Plan
    scores: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    inverse_temperature: float = 1.0
    well_fitted: float = 0.0
    n_visits: int = 0
    outputs: list[NDArray[np.float64]] = field(default_factory=list)
    n_members: int = 1
    single_temperature: float = 1.0

    def temperature_of(self, n_members: int) -> float:
        """The inverse temperature of an ensemble of `n_members`: its logarithm changes linearly with 1 / members.

        The more members there are, the less extreme is the mean of their outputs.
        """
        if self.n_members == 1:
            return self.inverse_temperature
        share = (1 / self.n_members - 1 / n_members) / (1 - 1 / self.n_members)
        return self.inverse_temperature * (self.inverse_temperature / self.single_temperature) ** share

    @property
    def score(self) -> float:
        return float(np.mean(self.scores))

    @property
    def error(self) -> float:
        return float(np.mean(self.errors))

    @property
    def kind(self) -> tuple[bool, bool, bool]:
        """Plans of the same kind differ in learning rates, sizes, the placement of knots and the number of columns."""
        encoding = self.plan.encoding
        return encoding.knots is None, encoding.is_conic, encoding.n_selected is None

    def evaluate(self, trial: Trial) -> dict[str, Any]:
        """Carry out the plan once more; returns the entry of `search_history_`."""
        test, training = trial.test, self.plan.training
        try:
            log_odds, visits_per_row = trial.carry_out(self.plan)
            self.well_fitted = share_well_fitted(visits_per_row, training)
        except DivergenceError:  # a plan that will not be chosen
            log_odds = np.zeros((len(positive_classes(test.n_classes)), len(test.rows)))
        self.inverse_temperature = fit_inverse_temperature(log_odds, test.y, test.weights, training.label_smoothing)
        error, loss = error_and_loss(log_odds, self.inverse_temperature, test)
        self.scores.append(error + loss)
        self.errors.append(error)
        self.n_visits = len(trial.train.rows) * training.max_epochs
        self.outputs.append(log_odds)
        return {
            "rows": len(trial.train.rows),
            **{name: value for name, value in self.plan.as_parameters().items() if name != "learning_rate"},
            "relative_learning_rate": self.plan.relative_rate,
            "validation_error": error,
            "validation_loss": loss,
        }


def error_and_loss(
    log_odds: NDArray[np.float64], inverse_temperature: float, test: TrainingTable
) -> tuple[float, float]:
    """The share of wrong predictions, and half the squared distance of the probabilities from 0 and 1."""
    wrong = predicted_classes(log_odds) != test.y
    proba = np.exp(log_probabilities(log_odds, inverse_temperature))
    own = proba[test.y, np.arange(len(test.y))]
    squares = ((proba**2).sum(axis=0) - 2 * own + 1) / 2
    return float(np.average(wrong, weights=test.weights)), float(np.average(squares, weights=test.weights))


def trials_by_plan(history: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The trials of a `search_history_`, grouped by plan and round, in their order.

    Splits of one round may differ by a row or two.
    """
    plans: dict[str, list[dict[str, Any]]] = {}
    for trial in history:
        plan = {name: value for name, value in trial.items() if name != "rows" and not name.startswith("validation_")}
        plans.setdefault(repr(plan), []).append(trial)
    return list(plans.values())


def best_of_last_round(plans: list[list[dict[str, Any]]]) -> int:
    """Which of the plans, as `trials_by_plan` gives them, has the best score in the last round.

    Plans that were given up after some splits do not count.
    """
    last = plans[-1][0]["round"]
    most = max(len(trials) for trials in plans if trials[0]["round"] == last)
    scores = [
        np.mean([trial["validation_error"] + trial["validation_loss"] for trial in trials])
        if trials[0]["round"] == last and len(trials) == most
        else np.inf
        for trials in plans
    ]
    return int(np.argmin(scores))
