"""One pass over the training rows: how often and in which order rows are visited, and which visits are skipped."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._encoding.rows import EncodedRows
from .._kernels import training_kernels
from .._plan import TrainingPlan
from .._table.distinct import LARGE
from .losses import losses_of

WELL_FITTED = np.float32(0.1)  # a network fits a row well if its output misses the target by less than this
_BLOCK = 1024  # visits to rows that lie together, in large tables


@dataclass(frozen=True)
class Epoch:
    """One pass over rows, in the given order.

    weights[row]: its weight at a visit; total_weight: of all visits. outputs[c, row] receives f_c(x) as it was just
    before the last visit. number: of this epoch, from 0.
    """

    rows: EncodedRows
    order: NDArray[np.int32]
    weights: NDArray[np.float32]
    total_weight: float
    outputs: NDArray[np.float32]
    number: int

    def visits_of(self, c: int, positive: int, plan: TrainingPlan) -> tuple[NDArray[np.int32], float]:
        """The visits that network c makes, and the loss of the skipped ones, as it was at their last visit.

        Well-fitted rows, whose gradient is near 0, are visited in every `revisit_every`-th epoch only. Row numbers are
        unrelated to the rows, so each epoch revisits an equal share of them.
        """
        if plan.revisit_every == 1 or self.number == 0:
            return self.order, 0.0
        low, high = (np.float32(target) for target in plan.targets)
        y, outputs = self.rows.y, self.outputs[c]
        is_due = np.zeros(len(y), dtype=bool)
        is_due[-self.number % plan.revisit_every :: plan.revisit_every] = True
        parted = np.empty_like(self.order)
        made, total = training_kernels.partition_well_fitted(
            self.order, y, positive, outputs, low, high, WELL_FITTED, is_due, self.weights, parted
        )
        if plan.loss == "log":
            skipped = parted[made:]
            targets = np.where(y[skipped] == positive, high, low)
            total = float(losses_of(outputs[skipped], targets, "log") @ self.weights[skipped])
        return parted[:made], total

    def error(self, n_estimators: int) -> float:
        """The share of wrong predictions."""
        outputs, y = self.outputs, self.rows.y
        if n_estimators > 1:
            outputs = outputs.reshape(n_estimators, -1, outputs.shape[1]).mean(axis=0)
        if len(outputs) == 1:
            wrong = (outputs[0] > 0.5) != (y == 1)
        else:
            own = outputs[y, np.arange(len(y))]
            wrong = own < outputs.max(axis=0)  # many times faster than argmax
        return float(np.average(wrong, weights=self.rows.weights))


def visits(weights: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The row numbers that an epoch visits, and the weight of each row at a visit.

    A row of weight 3 is visited three times, one of weight 2.5 three times with 5/6 of a gradient step each: no step is
    longer than the learning rate allows. Weights are rescaled to a mean between 1 and 10, so weights that sum to one,
    or that count a population, do not change the length of an epoch.
    """
    mean = weights.mean()
    scaled = weights * (np.clip(mean, 1.0, 10.0) / mean)
    counts = np.maximum(np.ceil(scaled - 1e-9), 1.0)
    scaled /= counts
    rows = np.arange(len(weights), dtype=np.int32)
    if counts.max() > 1:
        rows = np.repeat(rows, counts.astype(np.int64))
    return rows, scaled.astype(np.float32)


def shuffled(visited: NDArray[np.int32], generator: np.random.Generator) -> NDArray[np.int32]:
    """The visits of an epoch, given in the order of the rows, in a random order.

    In large tables, rows that lie together are visited together: they are sorted by their keys (`distinct_rows`), so a
    block of neighbours is a random sample.
    """
    order = visited.copy()
    if visited[-1] + 1 < LARGE:  # rows
        training_kernels.shuffle(order, generator.integers(2**64, dtype=np.uint64))
    else:
        in_blocks = len(visited) // _BLOCK * _BLOCK
        blocks = visited[:in_blocks].reshape(-1, _BLOCK)[generator.permutation(len(visited) // _BLOCK)]
        np.take(blocks, generator.permutation(_BLOCK), axis=1, out=order[:in_blocks].reshape(-1, _BLOCK))
    return order
