"""A fit on a cluster, from partitions to a trained model: summaries, sample, encoded partitions, rounds."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from distributed import Future, get_worker
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from .._model.calibration import fit_inverse_temperature
from .._model.memory import aligned_copy
from .._model.network import LARGEST
from .._model.state import CURVES, FittedState
from .._model.validation_scores import VALIDATION, ValidationScores
from .._training.trainer import DivergenceError
from ..base import SAMPLE
from .exchange import exchange, n_exchanged
from .local_training import LocalRows, encode
from .partitions import MemoryPart, Part
from .rounds import RoundPartition, Rounds
from .sample_model import SampleModel, fit_sample
from .sampling import Overview, Sample, draw, overview
from .schedule import Schedule, count_lanes
from .session import Session, WorkerState, end_if_unwanted, states_of_workers
from .summaries import PartitionSummary, summarize

SAMPLE_ROWS = 100_000  # to choose the plan, and to start with
_SPARE = 2  # times its equal share of the sample is what a partition offers
_KEPT = 0.25  # of the memory of a worker may hold encoded partitions; the others are read again in each round,
_FULL = 0.6  # less where this share of the memory would be used: Dask spills results to disk at 0.7
_COPIES = 4  # of its partition are what a task holds in memory at the most
_DIFFERENT = "Partitions differ in their classes or columns, as if the table were sorted"
_SCORES = {"loss": "validation_loss", "accuracy": "validation_error"}


@dataclass(frozen=True)
class ClusterFit:
    """The model that a cluster has fitted, and what it found out about the table. interrupted: by Ctrl-C."""

    model: SampleModel
    overview: Overview
    interrupted: bool = False


def fit_on_cluster(
    session: Session,
    parameters: dict[str, Any],
    parts: Sequence[Part | Future],
    show: Callable[[str], None],
) -> ClusterFit:
    """Fit a classifier with these parameters to partitions. show: called with lines about the progress."""
    seed = int(parameters["random_state"])
    show(f"summarising {len(parts)} partitions")
    categorical, quota = parameters["categorical_features"], -(-_SPARE * SAMPLE_ROWS // len(parts))
    summaries = [
        session.submit("summarize", summarize, part, number, quota, categorical, seed)
        for number, part in enumerate(parts)
    ]
    whole = session.submit("overview", _overview, summaries)
    [found] = session.gather([whole])
    if len(found.class_counts) < 2:
        [label] = found.class_counts
        raise ValueError(f"y has one class only ({label!r}): DaskLDNNClassifier needs at least two classes.")
    sample = session.submit("sample", _draw, summaries, whole, SAMPLE_ROWS)
    show(f"choosing the plan on a sample of the {found.total:,} rows")
    learns_sample = count_lanes(found.rows) > 1  # averages of networks that have learned nothing are of no use
    fitted = session.submit("fit-sample", _fit_sample, parameters, whole, sample, learns_sample)
    [(model, is_whole, some)] = session.gather([fitted])
    del summaries, fitted, whole  # lost with a worker, they would be made again
    if is_whole:
        return ClusterFit(model, found)
    rounds = _rounds(session, model, parts, found, sample, seed)
    del sample
    state, interrupted = _train(model, rounds, show)
    state = state.settled()
    model._state = replace(state, importances=model._importances(state, some))
    return ClusterFit(model, found, interrupted)


# --- tasks ------------------------------------------------------------------------------------------------------------


def _overview(summaries: list[PartitionSummary | None]) -> Overview:
    return overview([summary for summary in summaries if summary is not None])


def _draw(summaries: list[PartitionSummary | None], whole: Overview, rows: int) -> Sample:
    return draw([summary for summary in summaries if summary is not None], whole.columns, rows)


def _fit_sample(
    parameters: dict[str, Any], whole: Overview, sample: Sample, learns_sample: bool
) -> tuple[SampleModel, bool, NDArray]:
    """The model of the sample, whether this is the whole table, and some of its rows, to measure importances on."""
    model = fit_sample(parameters, whole, sample, get_worker().state.nthreads, learns_sample, end_if_unwanted)
    matrix = model._matrix(sample.X)
    some = np.random.default_rng(0).choice(len(matrix), min(SAMPLE, len(matrix)), replace=False)
    return model, sample.is_whole, matrix[np.sort(some)]


def _shared_rows(model: SampleModel, sample: Sample) -> LocalRows:
    return encode(model.set_params(validation_fraction=0.0), MemoryPart(sample.X, sample.y, sample.weights), 0)


# --- rounds -----------------------------------------------------------------------------------------------------------


def _rounds(
    session: Session,
    model: SampleModel,
    parts: Sequence[Part | Future],
    found: Overview,
    sample: Future,
    seed: int,
) -> Rounds:
    """The rounds of a table. If its partitions differ, their rows are exchanged once; where the workers have no memory
    for this, rows of the sample are mixed into each partition.
    """
    state, on_workers = model._state, session.literal(model)
    bytes_of_row = 4 * (state.encoder.n_dense + len(state.encoder.bases)) + 16
    largest, total = max(found.rows) * bytes_of_row, found.total * bytes_of_row
    workers = states_of_workers(session.client)
    schedule = Schedule(len(found.numbers), count_lanes(found.rows), state.plan.n_estimators)
    shared = None
    if not found.are_alike and 2 * total <= sum(memory_to_keep(workers, largest, 2 * _KEPT)):
        warnings.warn(f"{_DIFFERENT}: their rows are exchanged once, so that each becomes a mixture.")
        encoded = [session.submit("encode", encode, on_workers, parts[k], k) for k in found.numbers]
        schedule = replace(schedule, n_partitions=n_exchanged(len(encoded)))
        keepers = _keepers(schedule, workers)
        mixed = exchange(session, encoded, seed, keepers)
        rows = -(-found.total // len(mixed))
        sources = [RoundPartition(k, rows, *kept) for k, kept in enumerate(zip(mixed, keepers, strict=True))]
        return Rounds(session, on_workers, len(state.positives), sources, schedule, seed)
    if not found.are_alike:
        warnings.warn(
            f"{_DIFFERENT}, and the workers have no memory to exchange their rows ({2 * total / 1e9:.3g} GB): rows of "
            "a sample are mixed into each of them, which takes longer and gives a worse model. Shuffle the table, or "
            "use more workers."
        )
        shared = session.submit("shared", _shared_rows, on_workers, sample)
    free = dict(zip([w.address for w in workers], memory_to_keep(workers, largest), strict=True))
    sources = []
    for number, rows, keeper in zip(found.numbers, found.rows, _keepers(schedule, workers), strict=True):
        free[keeper] -= rows * bytes_of_row
        if free[keeper] < 0:
            sources.append(RoundPartition(number, rows, parts[number]))
        else:
            data = session.submit("encode", encode, on_workers, parts[number], number, worker=keeper)
            sources.append(RoundPartition(number, rows, data, keeper))
    return Rounds(session, on_workers, len(state.positives), sources, schedule, seed, shared)


def _keepers(schedule: Schedule, workers: Sequence[WorkerState]) -> list[str]:
    """The addresses of the workers that should keep the partitions."""
    return [workers[k].address for k in schedule.keepers([worker.threads for worker in workers])]


def memory_to_keep(workers: Sequence[WorkerState], partition: float, share: float = _KEPT) -> list[float]:
    """Bytes that each worker has for encoded partitions.

    partition: the bytes of the largest one; share: of the memory of a worker, at the most.
    """
    return [
        max(0.0, min(share * worker.limit, _FULL * worker.limit - worker.used - _COPIES * partition))
        for worker in workers
    ]


def _train(model: SampleModel, rounds: Rounds, show: Callable[[str], None]) -> tuple[FittedState, bool]:
    """Go on from the weights of the sample; the second is True if Ctrl-C has ended it before its time."""
    state: FittedState = model._state
    course = _Course(model, rounds)
    interrupted = False
    try:
        for number in range(course.n_rounds):
            if not course.advance(number):
                break
            show(course.line(number))
    except KeyboardInterrupt:
        interrupted = True
    network = replace(state.network, parameters=aligned_copy(course.best))
    found = course.scores
    if found is not None:
        smoothing = state.plan.training.label_smoothing
        factor = fit_inverse_temperature(found.log_odds, found.rows.y, found.weights, smoothing)
        scores = ValidationScores.of_log_odds(VALIDATION, [(found.rows, found.log_odds)], factor)
        state = replace(state, inverse_temperature=factor, scores=scores)
    return replace(state, network=network, history=course.history, best_epoch=course.best_round), interrupted


class _Course:
    """Where the rounds of a fit stand: the parameters, the best ones, and the curves."""

    def __init__(self, model: SampleModel, rounds: Rounds):
        state: FittedState = model._state
        self._rounds = rounds
        self._plan = model._training_plan(state.plan.training)
        self._holds_out = model.validation_fraction > 0
        self.n_rounds = self._plan.max_epochs  # as many as there would be epochs in memory
        self._parameters: NDArray[np.float32] = state.network.parameters
        self.best = self._parameters
        self.best_round = 0
        self.scores: Any = None
        self.history: dict[str, list[float]] = {name: [] for name in CURVES}

    def advance(self, number: int) -> bool:
        """One more round; False if the weights diverged."""
        plan = replace(self._plan, max_epochs=self.n_rounds)
        result = self._rounds.run(self._parameters, number, plan.learning_rate_of(number))
        if not np.abs(result.parameters).max() < LARGEST:  # nor if one is NaN
            self._stop_at(number)
            return False
        self._parameters = result.parameters
        self.history["training_loss"].append(result.loss)
        self.history["training_error"].append(result.error)
        scores = self._rounds.score(result.parameters) if self._holds_out else None
        if scores is not None:
            self.history["validation_loss"].append(scores.loss)
            self.history["validation_error"].append(scores.error)
        curve = self.history[_SCORES[self._plan.scoring]]
        if scores is None or curve[-1] <= min(curve):
            self.best, self.best_round, self.scores = result.parameters, number + 1, scores
        return True

    def _stop_at(self, number: int) -> None:
        remedy = (
            f"learning_rate={self._plan.learning_rate:g} is too large for this data: training diverged in round "
            f"{number + 1}. Use a smaller learning_rate (0.1, say), less momentum, or normalize='standard'."
        )
        if number == 0:
            raise DivergenceError(f"Training failed: {remedy}")
        warnings.warn(f"Training stopped early: {remedy} The weights from before are kept.", ConvergenceWarning)

    def line(self, number: int) -> str:
        curves = (f"  {name.replace('_', ' ')} {values[-1]:.4f}" for name, values in self.history.items() if values)
        return f"round {number + 1}/{self.n_rounds}" + "".join(curves)
