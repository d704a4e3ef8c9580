"""Epochs, validation, stopping: how a network's parameters move from their first values to their best ones."""

import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from . import kernels
from .network import Network
from .progress import Progress
from .rows import Rows, visits

History = dict[str, list[float]]
CURVES = ("training_loss", "training_error", "validation_loss", "validation_error")

_PIECE_SECONDS = 0.05  # the compiled loops return this often, so that Ctrl-C is heard
_DEAD = 1e-4  # a network whose output never exceeds this has died


@dataclass(frozen=True)
class Settings:
    """The parameters of a training run; names and meanings are those of the classifiers."""

    loss: str
    softening: float
    step_size: float
    step_schedule: str
    momentum: float
    batch_size: int
    max_epochs: int
    patience: int | None
    stop_on: str
    n_jobs: int | None
    verbose: bool

    def step(self, epoch: int) -> float:
        """The step size of an epoch (counted from 0): constant, or falling in a line to reach 0 after the last."""
        if self.step_schedule == "constant":
            return self.step_size
        return self.step_size * (1 - epoch / self.max_epochs)


class Method(Protocol):
    """What LDNN and Mod-N do differently: how they learn from rows, and what they say about them."""

    def train(self, task: "Task", order: NDArray[np.int32], step: float) -> float: ...

    def log_odds(self, X: NDArray[np.float32], network: Network, c: int, out: NDArray[np.float64]) -> None: ...


@dataclass(frozen=True)
class Task:
    """One network (number c of `network`) and the rows that it learns from. `outputs` (n,) receives f(x)."""

    network: Network
    c: int
    rows: Rows
    positive: int
    visit_weights: NDArray[np.float32]
    outputs: NDArray[np.float32]
    settings: Settings

    def arguments(self) -> dict[str, Any]:
        """What the training kernels of both methods take."""
        return {
            "X": self.rows.X,
            "codes": self.rows.codes,
            "positive": self.positive,
            "low": np.float32(self.settings.softening),
            "high": np.float32(1 - self.settings.softening),
            "instance_weights": self.visit_weights,
            "parameters": self.network.parameters[self.c],
            "velocity": self.network.velocity[self.c],
            "N": self.network.N,
            "M": self.network.M,
            "is_log_loss": self.settings.loss == "log",
            "momentum": np.float32(self.settings.momentum),
        }


class Joint:
    """LDNN: all discriminants of a network learn together, from one error function."""

    def train(self, task: Task, order: NDArray[np.int32], step: float) -> float:
        return kernels.train(
            order=order,
            step=np.float32(step),
            batch_size=task.settings.batch_size,
            outputs=task.outputs,
            **task.arguments(),
        )

    def log_odds(self, X: NDArray[np.float32], network: Network, c: int, out: NDArray[np.float64]) -> None:
        kernels.log_odds(X, network.parameters[c], network.N, network.M, out)
        underflowed = np.flatnonzero(np.isnan(out))
        if underflowed.size:
            out[underflowed] = network.log_odds_by_logarithms(X[underflowed], c)


@dataclass(frozen=True)
class Modular:
    """Mod-N: each discriminant learns alone, from the rows of its own pair of clusters (C, n)."""

    clusters: NDArray[np.int64] | None = None

    def train(self, task: Task, order: NDArray[np.int32], step: float) -> float:
        assert self.clusters is not None
        return kernels.train_modular(
            clusters=self.clusters[task.c],
            order=order,
            step=np.float32(step),
            outputs=task.outputs,
            **task.arguments(),
        )

    def log_odds(self, X: NDArray[np.float32], network: Network, c: int, out: NDArray[np.float64]) -> None:
        kernels.modular_log_odds(X, network.parameters[c], network.N, network.M, out)


def network_codes(n_classes: int) -> list[int]:
    """The class number that each network says yes to: one network is enough for two classes."""
    return [1] if n_classes == 2 else list(range(n_classes))


class Workers:
    """Runs a function for every network, on n_jobs threads (the kernels release Python's lock)."""

    def __init__(self, n_jobs: int | None, networks: int):
        threads = min(joblib.effective_n_jobs(n_jobs), networks)
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._networks = networks
        self.stop = threading.Event()

    def each(self, function: Callable[[int], Any]) -> list[Any]:
        if self._pool is None:
            return [function(c) for c in range(self._networks)]
        return list(self._pool.map(function, range(self._networks)))

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop.set()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)


def all_log_odds(method: Method, network: Network, X: NDArray[np.float32], n_jobs: int | None) -> NDArray[np.float64]:
    """Log f_c(x) - log(1 - f_c(x)) of every network: (C, n)."""
    out = np.empty((len(network.parameters), len(X)))
    with Workers(n_jobs, len(out)) as workers:
        workers.each(lambda c: method.log_odds(X, network, c, out[c]))
    return out


@dataclass
class Trainer:
    """Trains `network` in place; `history` and `best_epoch` tell how it went, also when it was interrupted."""

    network: Network
    method: Method
    settings: Settings
    codes: list[int]
    generator: np.random.Generator
    history: History = field(default_factory=lambda: {name: [] for name in CURVES})
    best_epoch: int = 0
    class_names: list[Any] = field(default_factory=list)

    def run(self, rows: Rows, validation: Rows | None) -> None:
        """Epochs until `max_epochs`, or until `patience` epochs have not improved on the best; then the best weights.

        Without validation rows: exactly `max_epochs` epochs, and the last weights. On Ctrl-C the best weights so far
        (the latest, without validation) are in the network when the interrupt goes on its way.
        """
        visited, visit_weights = visits(rows.weights)
        outputs = np.zeros((len(self.codes), len(rows.codes)), dtype=np.float32)
        tasks = [
            Task(self.network, c, rows, code, visit_weights, outputs[c], self.settings)
            for c, code in enumerate(self.codes)
        ]
        total_weight = float(visit_weights[visited].sum(dtype=np.float64))
        best = None
        lowest = np.inf
        self.best_epoch = len(self.history["training_loss"])
        progress = Progress(self.settings.max_epochs, self.settings.verbose)
        try:
            with Workers(self.settings.n_jobs, len(tasks)) as workers:
                for epoch in range(self.settings.max_epochs):
                    order = self.generator.permutation(visited)
                    before = self.network.parameters.copy()
                    loss = self._epoch(tasks, order, self.settings.step(epoch), workers)
                    if not self.network.is_sound():
                        self._recover(before, epoch)
                        break
                    self._note_training(loss / total_weight, rows, outputs)
                    if validation is None:
                        self.best_epoch = len(self.history["training_loss"])
                    else:
                        self._note_validation(validation, workers)
                        score = self.history[f"validation_{self.settings.stop_on}"][-1]
                        if score < lowest:
                            lowest, best = score, self.network.parameters.copy()
                            self.best_epoch = len(self.history["training_loss"])
                    progress.show(epoch, self.history)
                    waited = len(self.history["training_loss"]) - self.best_epoch
                    if self.settings.patience is not None and waited >= self.settings.patience:
                        break
        finally:
            progress.close()
            if best is not None:
                self.network.parameters[:] = best
        self._warn_of_dead_networks(rows, outputs)

    def _epoch(self, tasks: list[Task], order: NDArray[np.int32], step: float, workers: Workers) -> float:
        """One pass over the rows for every network, in pieces short enough for Ctrl-C; the sum of the losses."""
        piece = self._piece_length()

        def train(c: int) -> float:
            total = 0.0
            for start in range(0, len(order), piece):
                if workers.stop.is_set():
                    break
                total += self.method.train(tasks[c], order[start : start + piece], step)
            return total

        return sum(workers.each(train))

    def _piece_length(self) -> int:
        """How many rows take about `_PIECE_SECONDS`, by a cautious estimate; whole batches."""
        nanoseconds = 200 + 0.3 * self.network.parameters[0].size
        rows = max(1, int(_PIECE_SECONDS * 1e9 / nanoseconds))
        return -(-rows // self.settings.batch_size) * self.settings.batch_size

    def _note_training(self, loss: float, rows: Rows, outputs: NDArray[np.float32]) -> None:
        """The loss, and the error that was made on each row just before it was learned."""
        if len(outputs) == 1:
            wrong = (outputs[0] > 0.5) != (rows.codes == 1)
        else:
            wrong = outputs.argmax(axis=0) != rows.codes
        self.history["training_loss"].append(loss)
        self.history["training_error"].append(float(np.average(wrong, weights=rows.weights)))

    def _note_validation(self, rows: Rows, workers: Workers) -> None:
        log_odds = np.empty((len(self.codes), len(rows.codes)))
        workers.each(lambda c: self.method.log_odds(rows.X, self.network, c, log_odds[c]))
        wrong = predicted_codes(log_odds) != rows.codes
        loss = sum(self._loss(log_odds[c], rows.codes == code, rows.weights) for c, code in enumerate(self.codes))
        self.history["validation_loss"].append(loss)
        self.history["validation_error"].append(float(np.average(wrong, weights=rows.weights)))

    def _loss(self, log_odds: NDArray[np.float64], is_positive: NDArray[np.bool_], weights: NDArray) -> float:
        target = np.where(is_positive, 1 - self.settings.softening, self.settings.softening)
        if self.settings.loss == "log":
            losses = np.logaddexp(0, log_odds) - target * log_odds
        else:
            losses = (target - expit(log_odds)) ** 2
        return float(np.average(losses, weights=weights))

    def _recover(self, last_sound: NDArray[np.float32], epoch: int) -> None:
        """The weights have run away: go back to the last sound ones, or refuse if nothing has been learned by then."""
        self.network.parameters[:] = last_sound
        self.network.velocity[:] = 0
        remedy = (
            f"step_size={self.settings.step_size:g} is too large for this data: training diverged in epoch "
            f"{epoch + 1}. Use a smaller step_size (0.1, say), less momentum, or normalize='standard'."
        )
        if epoch == 0:
            raise ValueError(f"Training failed: {remedy}")
        warnings.warn(f"Training stopped early: {remedy} The weights from before are kept.", ConvergenceWarning)

    def _warn_of_dead_networks(self, rows: Rows, outputs: NDArray[np.float32]) -> None:
        """A network of squared loss whose output is near 0 everywhere has no gradient left to learn from."""
        for c, code in enumerate(self.codes):
            if np.any(rows.codes == code) and outputs[c].max() < _DEAD:
                warnings.warn(
                    f"The network of class {self.class_names[code]!r} has died: its output is below {_DEAD:g} for "
                    "every training row. Use a smaller step_size, or loss='log', whose gradient does not vanish there.",
                    ConvergenceWarning,
                )


def predicted_codes(log_odds: NDArray[np.float64]) -> NDArray[np.intp]:
    """The class number with the largest f, from log-odds (C, n)."""
    return (log_odds[0] > 0).astype(np.intp) if len(log_odds) == 1 else log_odds.argmax(axis=0)
