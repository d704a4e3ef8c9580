"""What a worker does with one partition: pure functions of the partition, the weights and a seed.

So a task that is lost with its worker gives the same bits when another worker repeats it.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from .._encoding.monotone_cone import MonotoneCone
from .._encoding.rows import EncodedRows
from .._model.forward import predicted_classes
from .._model.memory import aligned_copy, aligned_zeros
from .._model.network import Network
from .._model.prediction import ensemble_log_odds
from .._model.state import FittedState
from .._model.validation_scores import HeldOutRows, ValidationRows
from .._plan import TrainingPlan
from .._table.distinct import split_off_validation
from .._threads import Workers
from .._training.epoch import WELL_FITTED, Epoch, shuffled, visits
from .._training.losses import losses_of_log_odds
from .._training.trainer import Trainer
from .._training.updates import JointUpdate
from .partitions import Part, in_partition
from .sizes import sized

for _kind in (EncodedRows, HeldOutRows, ValidationRows):
    sized(_kind)

Members = tuple[int, int]  # the first ensemble member, and the one after the last


@sized
@dataclass(frozen=True)
class LocalRows:
    """A partition as networks see it; held_out: None where no rows are held out."""

    training: EncodedRows
    held_out: ValidationRows | None


@sized
@dataclass(frozen=True)
class Learned:
    """The parameters of some ensemble members, and sums over the rows that they have learned: of their weights, and of
    loss and error, measured on each row just before it was learned.

    fitted: for each partition that they learned in this round, which rows each network fits well: a bit for each.
    """

    parameters: NDArray[np.float32]
    weight: float = 0.0
    loss: float = 0.0
    error: float = 0.0
    fitted: tuple[tuple[int, bytes], ...] = ()


@dataclass(frozen=True)
class Step:
    """What a task has to know about its round. number: of the round, counted from 0; epoch: that of a fit in memory;
    seed: of the fit; notes_fitted: whether to say which rows are well fitted.
    """

    number: int
    epoch: int
    learning_rate: float
    seed: int
    notes_fitted: bool = False


def networks_of(members: Members, n_networks: int, n_estimators: int) -> slice:
    """The networks of some ensemble members."""
    first, end = members
    return slice(first * n_networks // n_estimators, end * n_networks // n_estimators)


def encode(model: Any, part: Part, number: int) -> LocalRows:
    """Read partition `number` with the columns, classes and encoder of a model, and hold out validation rows."""
    state: FittedState = model._state
    with in_partition(number):
        _, _, table = model._read_training(*part.read(), None, state)
    generator = np.random.default_rng([state.split_seed, number])
    kept, held_out = split_off_validation(table.y, float(model.validation_fraction), generator)
    training = state.encoder.encode_table(table.subset(kept))
    if not held_out.size:
        return LocalRows(training, None)
    rest = table.subset(held_out)
    scored = HeldOutRows(rest.y, rest.row_weights, rest.is_weighted)
    return LocalRows(training, ValidationRows(state.encoder.encode_table(rest), scored))


def learn(
    model: Any,
    before: Learned | NDArray[np.float32],
    rows: LocalRows | Part,
    number: int,
    members: Members,
    step: Step,
    fitted: bytes | None = None,
    shared: LocalRows | None = None,
) -> Learned:
    """Train some ensemble members for one epoch on a partition, going on from what they learned before.

    before: on the partition before, or the parameters of all members at the beginning of the round. fitted: what was
    noted about these rows in the round before. shared: rows of all partitions, of which as many as the partition has
    are mixed in.
    """
    state: FittedState = model._state
    networks = networks_of(members, len(state.positives), state.plan.n_estimators)
    if not isinstance(before, Learned):
        before = Learned(before[networks])
    training = _local(model, rows, number).training
    if not len(training.y):  # of very small partitions that were exchanged
        return before
    weight = float(training.weights.sum())
    generator = np.random.default_rng([step.seed, step.number, number])
    if shared is not None:
        training = _mixed(training, shared.training, generator)
    network = _subset(state.network, networks, before.parameters)
    plan = replace(_plan(model), learning_rate=step.learning_rate, learning_rate_schedule="constant")
    positives = state.positives[networks]
    cone = MonotoneCone.of(state.encoder)
    trainer = Trainer(network, JointUpdate(), plan, positives, [], generator, {}, may_warn=False, cone=cone)
    outputs = _outputs(training, network, plan, positives, step, fitted)
    epoch = _epoch(training, outputs, step.epoch, generator)
    with Workers(1, len(positives)) as workers:  # Dask runs as many tasks as a worker has threads
        loss = trainer.train_networks(epoch, workers)
    errors = sum(_error(epoch, k, state) for k in range(members[1] - members[0]))
    noted = before.fitted
    if step.notes_fitted and plan.revisit_every > 1:
        noted += ((number, _packed(_are_fitted(outputs, training.y, plan, positives))),)
    return Learned(
        network.parameters, before.weight + weight, before.loss + weight * loss, before.error + weight * errors, noted
    )


@sized
@dataclass(frozen=True)
class Scores:
    """Sums over held-out rows: of their weights, losses and errors; and of some of them the log-odds (C, n), weights
    (n,) and what scores need, to calibrate probabilities with.
    """

    weight: float
    loss: float
    error: float
    log_odds: NDArray[np.float64]
    weights: NDArray[np.float64]
    rows: HeldOutRows


def score(
    model: Any, parameters: NDArray[np.float32], rows: LocalRows | Part, number: int, calibrating: int
) -> Scores | None:
    """How the networks with these parameters do on the held-out rows of a partition; None if there are none.

    calibrating: how many of the rows come back with their log-odds.
    """
    state: FittedState = model._state
    validation = _local(model, rows, number).held_out
    if validation is None:
        return None
    held_out = validation.encoded
    plan = _plan(model)
    network = _subset(state.network, slice(None), parameters)
    with Workers(1, len(parameters)) as workers:
        log_odds = ensemble_log_odds(
            JointUpdate().log_odds, network, held_out.features, state.plan.n_estimators, workers
        )
    low, high = plan.targets
    losses = [
        losses_of_log_odds(log_odds[c], np.where(held_out.y == positive, high, low), plan.loss) @ held_out.weights
        for c, positive in enumerate(state.positives[: len(log_odds)])
    ]
    wrong = predicted_classes(log_odds) != held_out.y
    some = slice(0, calibrating)
    return Scores(
        float(held_out.weights.sum()),
        float(sum(losses)),
        float(wrong @ held_out.weights),
        log_odds[:, some],
        held_out.weights[some],
        HeldOutRows(held_out.y[some], validation.held_out.weights[some], validation.held_out.is_weighted),
    )


def _local(model: Any, rows: LocalRows | Part, number: int) -> LocalRows:
    return rows if isinstance(rows, LocalRows) else encode(model, rows, number)


def _plan(model: Any) -> TrainingPlan:
    return model._training_plan(model._state.plan.training)


def _subset(network: Network, networks: slice, parameters: NDArray[np.float32]) -> Network:
    """Some of the networks, with parameters of their own."""
    return replace(
        network,
        parameters=aligned_copy(parameters),
        velocity=aligned_zeros(parameters.shape),
        sizes=network.sizes[networks],
        own_bases=network.own_bases[networks],
        rate_factors=network.rate_factors[networks],
    )


def _mixed(own: EncodedRows, shared: EncodedRows, generator: np.random.Generator) -> EncodedRows:
    """The rows of a partition, and at most as many random rows of the sample."""
    some = np.sort(generator.permutation(len(shared.y))[: len(own.y)])
    return EncodedRows(
        *(
            np.concatenate([getattr(own, name), getattr(shared, name)[some]])
            for name in ("X", "positions", "y", "weights")
        )
    )


def _epoch(rows: EncodedRows, outputs: NDArray[np.float32], number: int, generator: np.random.Generator) -> Epoch:
    visited, visit_weights = visits(rows.weights)
    total = float(visit_weights[visited].sum(dtype=np.float64))
    return Epoch(rows, shuffled(visited, generator), visit_weights, total, outputs, number)


def _outputs(
    rows: EncodedRows, network: Network, plan: TrainingPlan, positives: list[int], step: Step, fitted: bytes | None
) -> NDArray[np.float32]:
    """The outputs (C, n) of networks before an epoch, which decide about the rows that it skips: computed, or as far as
    it was noted which rows are well fitted. Before the first epoch, which skips none, they are 0.
    """
    shape = len(positives), len(rows.y)
    outputs = np.zeros(shape, dtype=np.float32)
    if plan.revisit_every == 1 or step.epoch == 0:
        return outputs
    if fitted is None:
        log_odds = np.empty((1, len(rows.y)))
        for c in range(len(outputs)):
            JointUpdate().log_odds(network, range(c, c + 1), rows.features, log_odds)
            outputs[c] = expit(log_odds[0])
        return outputs
    are_fitted = np.unpackbits(np.frombuffer(fitted, dtype=np.uint8), count=outputs.size).reshape(shape)
    targets = _targets(rows.y, plan, positives)
    return np.where(are_fitted, targets + np.sign(0.5 - targets) * WELL_FITTED / 2, np.float32(0.5))


def _are_fitted(
    outputs: NDArray[np.float32], y: NDArray[np.int32], plan: TrainingPlan, positives: list[int]
) -> NDArray[np.bool_]:
    """Which rows each network fits well (C, n)."""
    return np.abs(outputs - _targets(y, plan, positives)) < WELL_FITTED


def _targets(y: NDArray[np.int32], plan: TrainingPlan, positives: list[int]) -> NDArray[np.float32]:
    """What the outputs (C, n) should be."""
    low, high = map(np.float32, plan.targets)
    return np.where(y == np.array(positives)[:, None], high, low)


def _packed(bits: NDArray[np.bool_]) -> bytes:
    return np.packbits(bits).tobytes()


def _error(epoch: Epoch, member: int, state: FittedState) -> float:
    """The share of errors of one member, divided by the number of members."""
    count = len(state.positives) // state.plan.n_estimators
    own = epoch.outputs[member * count : (member + 1) * count]
    return replace(epoch, outputs=own).error(1) / state.plan.n_estimators
