"""Trainer: epochs, validation, and the choice of the best weights."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from .._encoding.monotone_cone import MonotoneCone
from .._encoding.rows import EncodedRows
from .._model.forward import predicted_classes
from .._model.network import Network
from .._model.prediction import ensemble_log_odds
from .._plan import TrainingPlan
from .._threads import Workers
from .dead_networks import DEAD, warn_of_dead_networks
from .epoch import Epoch, shuffled, visits
from .losses import losses_of_log_odds
from .progress import Progress
from .updates import Update

History = dict[str, list[float]]

_PIECE_SECONDS = 0.05  # the compiled loops return this often, so that Ctrl-C is heard
_PIECES = 4  # of an epoch, so that threads end it at nearly the same time
_LEAST_PIECE = 1000  # visits, since each call of a kernel costs some microseconds
_VISITS_OUTSIDE = 400  # after which half-spaces are made monotone again; fewer are no better, and slower
_LARGEST_RATE = float(np.finfo(np.float32).max)  # what is larger diverges likewise
_SCORES = {"loss": "validation_loss", "accuracy": "validation_error"}  # by the parameter `scoring`; both fall


class DivergenceError(ValueError):
    """The weights diverged in the first epoch."""


class Listener(Protocol):
    """Called at the beginning and the end of every epoch, and may stop training after one."""

    def epoch_begins(self) -> None: ...

    def epoch_ends(self) -> bool: ...


@dataclass
class Trainer:
    """Trains `network` in place; `history` and `best_epoch` tell how it went, also after an interrupt.

    positives: the class index of each network, of all ensemble members. listener: is told of every epoch. cone: of
    monotone half-spaces, which training does not leave.
    """

    network: Network
    update: Update
    plan: TrainingPlan
    positives: list[int]
    class_names: list[Any]
    generator: np.random.Generator
    history: History
    n_estimators: int = 1
    may_warn: bool = True
    best_epoch: int = 0
    n_visits: int = 0  # of rows, by all networks together
    listener: Listener | None = None
    cone: MonotoneCone | None = None
    workspaces: dict[int, tuple[NDArray, ...]] = field(default_factory=dict)  # of networks, once they were trained

    def run(self, rows: EncodedRows, validation: EncodedRows | None) -> None:
        """Train for `max_epochs` epochs; then the weights of the best epoch by the validation score are restored.

        Without validation rows, these are the last weights. On Ctrl-C the best weights so far (the latest, without
        validation) are in the network when KeyboardInterrupt is raised.
        """
        outputs = np.zeros((len(self.positives), len(rows.X)), dtype=np.float32)
        best = _Best(self.network)
        self.best_epoch = self._n_epochs
        progress = Progress(self.plan.verbose)
        try:
            with Workers(self.plan.n_jobs, len(self.positives)) as workers:
                for epoch in self._epochs(rows, outputs):
                    if self.listener is not None:
                        self.listener.epoch_begins()
                    if not self._train_epoch(epoch, workers):
                        break
                    if validation is not None:
                        self._score(validation, workers)
                    if validation is None or best.improves(self.history[_SCORES[self.plan.scoring]][-1]):
                        self.best_epoch = self._n_epochs
                    progress.show(self._line(epoch.number), (epoch.number + 1) / self.plan.max_epochs)
                    if self.listener is not None and self.listener.epoch_ends():
                        break
        finally:
            progress.close()
            best.restore()
            for c in range(len(self.positives)):  # Ctrl-C may have come just before
                self._project(c)
        if self.may_warn:
            self._warn_of_dead_networks(rows, outputs)

    @property
    def _n_epochs(self) -> int:
        return len(self.history["training_loss"])

    def _epochs(self, rows: EncodedRows, outputs: NDArray[np.float32]) -> Iterator[Epoch]:
        visited, visit_weights = visits(rows.weights)
        total_weight = float(visit_weights[visited].sum(dtype=np.float64))
        for number in range(self.plan.max_epochs):
            order = shuffled(visited, self.generator)
            yield Epoch(rows, order, visit_weights, total_weight, outputs, number)

    def _line(self, epoch: int) -> str:
        curves = (f"  {name.replace('_', ' ')} {values[-1]:.4f}" for name, values in self.history.items() if values)
        return f"epoch {epoch + 1}/{self.plan.max_epochs}" + "".join(curves)

    # --- one epoch ----------------------------------------------------------------------------------------------------

    def _train_epoch(self, epoch: Epoch, workers: Workers) -> bool:
        """Train every network for one epoch, and note the curves; False if the weights diverged."""
        before = self.network.parameters.copy()
        loss = self.train_networks(epoch, workers)
        if not self.network.is_sound():
            self._recover(before, epoch.number)
            return False
        self.history["training_loss"].append(loss)
        self.history["training_error"].append(epoch.error(self.n_estimators))
        return True

    def train_networks(self, epoch: Epoch, workers: Workers) -> float:
        """One epoch of every network, in pieces short enough for Ctrl-C; the mean loss, summed over the networks."""
        totals = np.zeros(len(self.positives))
        visits = np.zeros(len(self.positives), dtype=np.int64)

        def train(c: int) -> Iterator[None]:
            order, totals[c] = epoch.visits_of(c, self.positives[c], self.plan)
            visits[c] = len(order)
            arguments = self._arguments(epoch, c)
            piece = self._piece_length(len(order))
            for start in range(0, len(order), piece):
                totals[c] += self.update.train(c, {**arguments, "order": order[start : start + piece]})
                self._project(c)
                yield

        workers.in_turns(train)
        self.n_visits += int(visits.sum())
        return float(totals.sum() / epoch.total_weight)

    def _project(self, c: int) -> None:
        """Take network c back to the cone, if there is one."""
        if self.cone is not None:
            self.cone.project(self.network.parameters[c])

    def _arguments(self, epoch: Epoch, c: int) -> dict[str, Any]:
        """What the training kernels take for network c, except the rows to visit."""
        rows, plan = epoch.rows, self.plan
        low, high = plan.targets
        rate = rate_of(plan, epoch.number, self.network.rate_factors[c])
        if c not in self.workspaces:
            self.workspaces[c] = self.network.workspace()
        return {
            **self.network.kernel_arguments(c, rows.X, rows.positions, self.workspaces[c]),
            "y": rows.y,
            "positive": self.positives[c],
            "low": np.float32(low),
            "high": np.float32(high),
            "instance_weights": epoch.weights,
            "velocity": self.network.velocity[c],
            "is_log_loss": plan.loss == "log",
            "learning_rate": np.float32(rate),
            "momentum": np.float32(plan.momentum),
            "outputs": epoch.outputs[c],
        }

    def _piece_length(self, visits: int) -> int:
        """How many visits take about `_PIECE_SECONDS`, by a cautious estimate; several pieces in a long epoch. After
        each piece, half-spaces are made monotone again, if they have to be.
        """
        most = int(_PIECE_SECONDS * 1e9 / nanoseconds_per_visit(self.network))
        if self.cone is not None:
            most = min(most, _VISITS_OUTSIDE)
        return max(1, min(most, max(_LEAST_PIECE, -(-visits // _PIECES))))

    def _score(self, rows: EncodedRows, workers: Workers) -> None:
        """Note the loss and the error of validation rows."""
        log_odds = ensemble_log_odds(self.update.log_odds, self.network, rows.features, self.n_estimators, workers)
        wrong = predicted_classes(log_odds) != rows.y
        low, high = self.plan.targets
        loss = 0.0
        for c, positive in enumerate(self.positives[: len(log_odds)]):
            target = np.where(rows.y == positive, high, low)
            losses = losses_of_log_odds(log_odds[c], target, self.plan.loss)
            loss += float(np.average(losses, weights=rows.weights))
        self.history["validation_loss"].append(loss)
        self.history["validation_error"].append(float(np.average(wrong, weights=rows.weights)))

    # --- what may go wrong --------------------------------------------------------------------------------------------

    def _recover(self, last_sound: NDArray[np.float32], epoch: int) -> None:
        """The weights diverged: go back to the last sound ones, or raise if nothing was learned by then."""
        self.network.parameters[:] = last_sound
        self.network.velocity[:] = 0
        remedy = (
            f"learning_rate={self.plan.learning_rate:g} is too large for this data: training diverged in epoch "
            f"{epoch + 1}. Use a smaller learning_rate (0.1, say), less momentum, or normalize='standard'."
        )
        if epoch == 0:
            raise DivergenceError(f"Training failed: {remedy}")
        if self.may_warn:
            warnings.warn(f"Training stopped early: {remedy} The weights from before are kept.", ConvergenceWarning)

    def _warn_of_dead_networks(self, rows: EncodedRows, outputs: NDArray[np.float32]) -> None:
        warn_of_dead_networks(
            self.class_names[positive]
            for c, positive in enumerate(self.positives)
            if np.any(rows.y == positive) and outputs[c].max() < DEAD
        )


class _Best:
    """The parameters of the epoch with the lowest validation score."""

    def __init__(self, network: Network):
        self._network = network
        self._lowest = np.inf
        self._parameters: NDArray[np.float32] | None = None

    def improves(self, score: float) -> bool:
        """Keep the network's parameters if the score is the lowest so far."""
        if not score < self._lowest:
            return False
        self._lowest, self._parameters = score, self._network.parameters.copy()
        return True

    def restore(self) -> None:
        if self._parameters is not None:
            self._network.parameters[:] = self._parameters


def rate_of(plan: TrainingPlan, epoch: int, factor: float) -> float:
    """The learning rate of a network in an epoch, given its factor."""
    return min(plan.learning_rate_of(epoch) * factor, _LARGEST_RATE)


def nanoseconds_per_visit(network: Network) -> float:
    """A cautious estimate of what a gradient step takes."""
    return 200 + 0.3 * network.parameters[0].size
