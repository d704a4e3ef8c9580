"""Rounds of local gradient descent on a cluster.

A lane is a copy of the networks that learns some partitions one after the other; lanes run side by side and are
averaged at the end of a round. Averages learn less than a single lane would, so a table has few lanes, each with many
rows. Where there are very few, the members of an ensemble, which know nothing of each other, run side by side, too, and
begin with different partitions.

Which partition comes when (see `Schedule`), and the order of its rows, depend on the table and the seed alone; sums are
taken in the order of the lanes. So bits depend on the partitions, never on the workers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from distributed import Future
from numpy.typing import NDArray

from .._model.validation_scores import HeldOutRows
from .local_training import Learned, Members, Scores, Step, learn, networks_of, score
from .schedule import Schedule
from .session import Session
from .sizes import sized

_FASTEST = 2  # times the learning rate: averages of lanes are less noisy, and take longer steps
_CALIBRATING = 100_000  # held-out rows whose log-odds are gathered
_MOST_BITS = 2**28  # that are noted of all rows together in a round
_TOGETHER = 16  # lanes that one task adds up


@dataclass(frozen=True)
class RoundPartition:
    """A partition for the tasks of a round. data: where they read it, or the future of its encoded rows if it is kept
    in the memory of a worker. keeper: the address of this worker; tasks wait for it, which takes less time than to move
    the rows to another one.
    """

    number: int
    rows: int
    data: Any
    keeper: str | None = None


@dataclass(frozen=True)
class RoundResult:
    """Parameters after a round, and the mean loss and error of the rows when they were learned."""

    parameters: NDArray[np.float32]
    loss: float
    error: float


@dataclass
class Rounds:
    """Runs rounds on the partitions of a table.

    model: the future of the model of the sample; n_networks: those of all its ensemble members; schedule: of the
    places in `sources`; shared: the future of rows that are mixed into each partition, or None.
    """

    session: Session
    model: Future
    n_networks: int
    sources: Sequence[RoundPartition]
    schedule: Schedule
    seed: int
    shared: Future | None = None
    _fitted: dict[tuple[Members, int], bytes] = field(default_factory=dict)

    def run(self, parameters: NDArray[np.float32], number: int, learning_rate: float) -> RoundResult:
        """One round, counted from 0, that starts from these parameters."""
        n_lanes, groups = self.schedule.n_lanes, self.schedule.groups
        epoch = number + (n_lanes > 1)  # the networks of several lanes have learned the sample before
        rate = learning_rate * min(n_lanes, _FASTEST)
        step = Step(number, epoch, rate, self.seed, self._notes_fitted)
        order = np.random.default_rng([self.seed, number]).permutation(len(self.sources))
        # Between two rounds all workers wait, so few tasks get their parameters without a task that delivers them.
        start = self.session.literal(parameters) if len(groups) == 1 else None
        sums = []
        for group, members in enumerate(groups):
            networks = networks_of(members, self.n_networks, self.schedule.n_estimators)
            own = Learned(parameters[networks]) if start is None else start
            lanes = self.schedule.lanes(group, number, order)
            sums.append(self._sums([self._lane(lane, own, members, step) for lane in lanes]))
        found = iter(self.session.gather([future for some in sums for future in some]))
        totals = [_weighted_sum([next(found) for _ in some]) for some in sums]
        self._fitted = {
            (members, partition): bits
            for members, total in zip(groups, totals, strict=True)
            for partition, bits in total.fitted
        }
        means = [_mean(total) for total in totals]
        return RoundResult(
            np.concatenate([mean.parameters for mean in means]).astype(np.float32),
            sum(mean.loss for mean in means),
            sum(mean.error for mean in means),
        )

    @property
    def _notes_fitted(self) -> bool:
        """Whether the rows that are well fitted are known from round to round, as in memory, or found by computing the
        outputs of all rows, which takes half as long as learning them.
        """
        bits = sum(source.rows for source in self.sources) * self.n_networks
        return self.shared is None and bits <= _MOST_BITS

    def _lane(self, order: Sequence[int], start: Future | Learned, members: Members, step: Step) -> Future:
        learned: Any = start
        for position, place in enumerate(order):
            source = self.sources[place]
            fitted = self._fitted.get((members, source.number))
            arguments = self.model, learned, source.data, source.number, members, step, fitted, self.shared
            learned = self.session.submit("learn", learn, *arguments, priority=-position, worker=source.keeper)
        return learned

    def _sums(self, lanes: list[Future]) -> list[Future]:
        """A few sums of the lanes, weighted by their rows, always added in the same order."""
        while len(lanes) > _TOGETHER:
            groups = [lanes[k : k + _TOGETHER] for k in range(0, len(lanes), _TOGETHER)]
            lanes = [self.session.submit("sum", _weighted_sum, group) for group in groups]
        return lanes

    def score(self, parameters: NDArray[np.float32]) -> Scores | None:
        """How these parameters do on the held-out rows of all partitions; None if there are none."""
        total = sum(source.rows for source in self.sources)
        start = self.session.literal(parameters)
        futures = []
        for source in self.sources:
            arguments = self.model, start, source.data, source.number, -(-_CALIBRATING * source.rows // total)
            futures.append(self.session.submit("score", score, *arguments, worker=source.keeper))
        return _merged([scores for scores in self.session.gather(futures) if scores is not None])


@sized
@dataclass(frozen=True)
class _Sum:
    """Sums over lanes: of their parameters times their weights (float64), of weights, losses and errors; and what was
    noted about all partitions, see `Learned`.
    """

    parameters: NDArray[np.float64]
    weight: float
    loss: float
    error: float
    fitted: tuple[tuple[int, bytes], ...] = ()


def _weighted_sum(lanes: "list[Learned | _Sum]") -> _Sum:
    parts = [
        lane if isinstance(lane, _Sum)
        else _Sum(lane.parameters.astype(np.float64) * lane.weight, lane.weight, lane.loss, lane.error, lane.fitted)
        for lane in lanes
    ]  # fmt: skip
    total = parts[0]
    for part in parts[1:]:
        total = _Sum(
            total.parameters + part.parameters,
            total.weight + part.weight,
            total.loss + part.loss,
            total.error + part.error,
            total.fitted + part.fitted,
        )
    return total


def _mean(total: _Sum) -> _Sum:
    return _Sum(total.parameters / total.weight, 1.0, total.loss / total.weight, total.error / total.weight)


def _merged(found: list[Scores]) -> Scores | None:
    if not found:
        return None
    weight = sum(scores.weight for scores in found)
    return Scores(
        weight,
        sum(scores.loss for scores in found) / weight,
        sum(scores.error for scores in found) / weight,
        np.concatenate([scores.log_odds for scores in found], axis=1),
        np.concatenate([scores.weights for scores in found]),
        HeldOutRows(
            np.concatenate([scores.rows.y for scores in found]),
            np.concatenate([scores.rows.weights for scores in found]),
            found[0].rows.is_weighted,
        ),
    )
