"""Epochs, validation, stopping: how a network's parameters move from their first values to their best ones."""

import warnings
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, xlogy
from sklearn.exceptions import ConvergenceWarning

from . import kernels, modular_kernels, predict_kernels
from .network import Network
from .progress import Progress
from .rows import Rows, shuffled, visits

History = dict[str, list[float]]
Features = tuple[NDArray[np.float32], NDArray[np.float32]]  # numbers (n, F) and places (n, S), see kernels.py
CURVES = ("training_loss", "training_error", "validation_loss", "validation_error")

_PIECE_SECONDS = 0.05  # the compiled loops return this often, so that Ctrl-C is heard
_PIECES = 4  # of an epoch, so that threads end it at nearly the same time
_LEAST_PIECE = 1000  # visits, since each call of a kernel costs some microseconds
KNOWN = np.float32(0.1)  # a network knows a row if its output misses the target by less than this
_ROUNDED = np.float32(2**-24)  # outputs that are nearer to 0 or 1 may be rounded to it, where logarithms are infinite
_DEAD = 1e-4  # a network whose output never exceeds this has died


class DivergenceError(ValueError):
    """The weights ran away in the first epoch."""


@dataclass(frozen=True)
class Settings:
    """The parameters of a training run; names and meanings are those of the classifiers."""

    loss: str
    softening: float
    step_size: float
    step_schedule: str
    momentum: float
    max_epochs: int
    review_every: int
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

    batch_size: int

    def train(self, c: int, arguments: dict[str, Any]) -> float:
        """Let network c learn from some visits (see `Trainer._arguments`); the sum of the losses."""

    def log_odds(self, network: Network, c: int, rows: Features, out: NDArray[np.float64]) -> None:
        """out = log f - log(1 - f) of network c."""


@dataclass
class Joint:
    """LDNN: all discriminants of a network learn together, from one error function.

    may_bend: False where no plan of this fit bends. Then the code for knots is not even compiled, unless categories
    need it; else one compiled version serves both, which compiles faster than two.
    """

    batch_size: int = 1
    may_bend: bool = True

    def train(self, c: int, arguments: dict[str, Any]) -> float:
        if not self.may_bend and not len(arguments["lines"]):
            arguments = {**arguments, "places": None}
        return kernels.train(batch_size=self.batch_size, **arguments)

    def log_odds(self, network: Network, c: int, rows: Features, out: NDArray[np.float64]) -> None:
        X, places = rows
        if network.bends(c):
            predict_kernels.odds_of_bent(out=out, **network.arguments(c, X, places))
        else:
            parameters = network.parameters[c]
            room = predict_kernels.room_for_block(X.shape[1], parameters.shape[1])
            predict_kernels.odds(X, parameters, network.N, network.M, room, out)
        np.log(out, out=out)
        underflowed = np.isnan(out)
        if underflowed.any():
            out[underflowed] = network.log_odds_by_logarithms(X[underflowed], places[underflowed], c)


@dataclass
class Modular:
    """Mod-N: each discriminant learns alone, from the rows of its own pair of clusters.

    clusters: (C, n), the cluster of each row within its side; not needed to predict.
    """

    clusters: NDArray[np.int64] | None = None
    batch_size: int = 1

    def train(self, c: int, arguments: dict[str, Any]) -> float:
        assert self.clusters is not None
        return modular_kernels.train_modular(clusters=self.clusters[c], **arguments)

    def log_odds(self, network: Network, c: int, rows: Features, out: NDArray[np.float64]) -> None:
        modular_kernels.modular_log_odds(out=out, **network.arguments(c, *rows))


@dataclass(frozen=True)
class Epoch:
    """One pass over rows, in the given order. weights[row] is its weight at a visit, total_weight that of all visits;
    outputs[c, row] receives f_c(x) as it was just before the row was learned for the last time. number: of this epoch,
    from 0.
    """

    rows: Rows
    order: NDArray[np.int32]
    weights: NDArray[np.float32]
    total_weight: float
    outputs: NDArray[np.float32]
    number: int

    def of_network(self, c: int, positive: int, settings: Settings) -> tuple[NDArray[np.int32], float]:
        """The visits that network c makes, and the loss of the others, as it was at the last visit.

        Rows that it knows are left out but in every `review_every`-th epoch; their gradient is near 0. Row numbers say
        nothing about rows, so each epoch has its share of them.
        """
        if settings.review_every == 1 or self.number == 0:
            return self.order, 0.0
        low, high = np.float32(settings.softening), np.float32(1 - settings.softening)
        codes, outputs = self.rows.codes, self.outputs[c]
        is_due = np.zeros(len(codes), dtype=bool)
        is_due[-self.number % settings.review_every :: settings.review_every] = True
        parted = np.empty_like(self.order)
        made, total = kernels.set_known_apart(
            self.order, codes, positive, outputs, low, high, KNOWN, is_due, self.weights, parted
        )
        if settings.loss == "log":
            others = parted[made:]
            targets = np.where(codes[others] == positive, high, low)
            total = float(losses_of(outputs[others], targets, "log") @ self.weights[others])
        return parted[:made], total

    def error(self, n_networks: int) -> float:
        """The share of wrong predictions."""
        outputs, codes = self.outputs, self.rows.codes
        if n_networks > 1:
            outputs = outputs.reshape(n_networks, -1, outputs.shape[1]).mean(axis=0)
        if len(outputs) == 1:
            wrong = (outputs[0] > 0.5) != (codes == 1)
        else:
            own = outputs[codes, np.arange(len(codes))]
            wrong = own < outputs.max(axis=0)  # many times faster than argmax
        return float(np.average(wrong, weights=self.rows.weights))


def losses_of(f: NDArray, target: NDArray, loss: str) -> NDArray:
    """The loss of each output f."""
    if loss == "squared":
        return (target - f) ** 2
    f = f.clip(_ROUNDED, 1 - _ROUNDED)
    return -xlogy(target, f) - xlogy(1 - target, 1 - f)


def network_codes(n_classes: int) -> list[int]:
    """The class number that each network says yes to: one network is enough for two classes."""
    return [1] if n_classes == 2 else list(range(n_classes))


class Workers:
    """Runs a function for every network, on n_jobs threads (the kernels release Python's lock)."""

    def __init__(self, n_jobs: int | None, networks: int):
        self._threads = min(joblib.effective_n_jobs(n_jobs), networks)
        self._pool = ThreadPoolExecutor(self._threads) if self._threads > 1 else None
        self._networks = networks
        self.is_over = False

    def each(self, function: Callable[[int], Any]) -> list[Any]:
        if self._pool is None:
            return [function(c) for c in range(self._networks)]
        return list(self._pool.map(function, range(self._networks)))

    def in_turns(self, function: Callable[[int], Iterator[None]]) -> None:
        """Each network's work in pieces: the function is a generator that stops after each. A thread takes whichever
        network has waited longest, so all networks are done at nearly the same time and no thread waits for long.
        """
        waiting = deque(function(c) for c in range(self._networks))
        done = object()

        def work(_: int) -> None:
            while not self.is_over:
                try:
                    network = waiting.popleft()
                except IndexError:  # the rest is in other threads' hands
                    return
                if next(network, done) is not done:
                    waiting.append(network)

        if self._pool is None:
            work(0)
        else:
            list(self._pool.map(work, range(self._threads)))

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *exception: object) -> None:
        self.is_over = True
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)


def evaluate(
    method: Method, network: Network, rows: Features, n_networks: int, workers: Workers
) -> NDArray[np.float64]:
    """The log-odds of f for each class's network: (C, n); of several that vote, the log-odds of their mean f."""
    out = np.empty((len(network.parameters), len(rows[0])))
    workers.each(lambda c: method.log_odds(network, c, rows, out[c]))
    return mean_log_odds(out.reshape(n_networks, -1, out.shape[1]))


def mean_log_odds(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """From log-odds (networks that vote, C, n) to the log-odds of their mean f (C, n), right even where f is tiny."""
    if len(log_odds) == 1:
        return log_odds[0]
    log_f, log_not_f = -np.logaddexp(0, -log_odds), -np.logaddexp(0, log_odds)
    return np.logaddexp.reduce(log_f, axis=0) - np.logaddexp.reduce(log_not_f, axis=0)


@dataclass
class Trainer:
    """Trains `network` in place; `history` and `best_epoch` tell how it went, also when it was interrupted."""

    network: Network
    method: Method
    settings: Settings
    codes: list[int]
    class_names: list[Any]
    generator: np.random.Generator
    history: History
    n_networks: int = 1  # sets of networks that vote; `codes` names the classes of all their networks
    may_warn: bool = True
    best_epoch: int = 0
    visits: int = 0  # to rows, of all networks together

    def run(self, rows: Rows, validation: Rows | None) -> None:
        """Epochs until `max_epochs`, or until `patience` epochs have not improved on the best; then the best weights.

        Without validation rows: exactly `max_epochs` epochs, and the last weights. On Ctrl-C the best weights so far
        (the latest, without validation) are in the network when the interrupt goes on its way.
        """
        visited, visit_weights = visits(rows.weights)
        total_weight = float(visit_weights[visited].sum(dtype=np.float64))
        outputs = np.zeros((len(self.codes), len(rows.X)), dtype=np.float32)
        best = None
        lowest = np.inf
        self.best_epoch = len(self.history["training_loss"])
        progress = Progress(self.settings.verbose)
        try:
            with Workers(self.settings.n_jobs, len(self.codes)) as workers:
                for number in range(self.settings.max_epochs):
                    order = shuffled(visited, self.generator)
                    epoch = Epoch(rows, order, visit_weights, total_weight, outputs, number)
                    before = self.network.parameters.copy()
                    loss = self._train(epoch, workers)
                    if not self.network.is_sound():
                        self._recover(before, number)
                        break
                    self.history["training_loss"].append(loss)
                    self.history["training_error"].append(epoch.error(self.n_networks))
                    if validation is None:
                        self.best_epoch = len(self.history["training_loss"])
                    else:
                        self._note_validation(validation, workers)
                        score = self.history[f"validation_{self.settings.stop_on}"][-1]
                        if score < lowest:
                            lowest, best = score, self.network.parameters.copy()
                            self.best_epoch = len(self.history["training_loss"])
                    progress.show(self._line(number))
                    waited = len(self.history["training_loss"]) - self.best_epoch
                    if self.settings.patience is not None and waited >= self.settings.patience:
                        break
        finally:
            progress.close()
            if best is not None:
                self.network.parameters[:] = best
        if self.may_warn:
            self._warn_of_dead_networks(rows, outputs)

    def _line(self, epoch: int) -> str:
        curves = (f"  {name.replace('_', ' ')} {values[-1]:.4f}" for name, values in self.history.items() if values)
        return f"epoch {epoch + 1}/{self.settings.max_epochs}" + "".join(curves)

    def _train(self, epoch: Epoch, workers: Workers) -> float:
        """One epoch of every network, in pieces short enough for Ctrl-C; the mean loss, summed over the networks."""
        totals = np.zeros(len(self.codes))
        visits = np.zeros(len(self.codes), dtype=np.int64)

        def train(c: int) -> Iterator[None]:
            order, totals[c] = epoch.of_network(c, self.codes[c], self.settings)
            visits[c] = len(order)
            arguments = self._arguments(epoch, c)
            piece = self._piece_length(len(order))
            for start in range(0, len(order), piece):
                totals[c] += self.method.train(c, {**arguments, "order": order[start : start + piece]})
                yield

        workers.in_turns(train)
        self.visits += int(visits.sum())
        return float(totals.sum() / epoch.total_weight)

    def _arguments(self, epoch: Epoch, c: int) -> dict[str, Any]:
        """What the training kernels take for network c, but for the rows to visit."""
        rows, settings = epoch.rows, self.settings
        return {
            **self.network.arguments(c, rows.X, rows.places),
            "codes": rows.codes,
            "positive": self.codes[c],
            "low": np.float32(settings.softening),
            "high": np.float32(1 - settings.softening),
            "instance_weights": epoch.weights,
            "velocity": self.network.velocity[c],
            "is_log_loss": settings.loss == "log",
            "step": np.float32(settings.step(epoch.number) * self.network.step_factors[c]),
            "momentum": np.float32(settings.momentum),
            "outputs": epoch.outputs[c],
        }

    def _piece_length(self, visits: int) -> int:
        """How many rows take about `_PIECE_SECONDS`, by a cautious estimate, but several pieces in an epoch of many
        visits; whole batches.
        """
        nanoseconds = 200 + 0.3 * self.network.parameters[0].size
        rows = min(int(_PIECE_SECONDS * 1e9 / nanoseconds), max(_LEAST_PIECE, -(-visits // _PIECES)))
        return -(-max(1, rows) // self.method.batch_size) * self.method.batch_size

    def _note_validation(self, rows: Rows, workers: Workers) -> None:
        log_odds = evaluate(self.method, self.network, (rows.X, rows.places), self.n_networks, workers)
        wrong = predicted_codes(log_odds) != rows.codes
        codes = self.codes[: len(log_odds)]
        loss = sum(self._loss(log_odds[c], rows.codes == code, rows.weights) for c, code in enumerate(codes))
        self.history["validation_loss"].append(loss)
        self.history["validation_error"].append(float(np.average(wrong, weights=rows.weights)))

    def _loss(self, log_odds: NDArray[np.float64], is_positive: NDArray[np.bool_], weights: NDArray) -> float:
        target = np.where(is_positive, 1 - self.settings.softening, self.settings.softening)
        if self.settings.loss == "log":
            losses = np.logaddexp(0, log_odds) - target * log_odds
        else:
            losses = losses_of(expit(log_odds), target, "squared")
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
            raise DivergenceError(f"Training failed: {remedy}")
        if self.may_warn:
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
