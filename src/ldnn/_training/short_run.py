"""The epochs of a short run in one compiled call: on small tables, the steps between the epochs take most of the time.

The weights are those of `Trainer.run`, bit for bit; what is left out are the curves, warnings and progress.
"""

import numpy as np

from .._encoding.rows import EncodedRows
from .._kernels import training_kernels
from .._model.network import Network
from .._plan import TrainingPlan
from .._table.distinct import LARGE
from .epoch import WELL_FITTED, visits
from .trainer import nanoseconds_per_visit, rate_of

_MOST_SECONDS = 0.3  # of one call, during which Ctrl-C is not heard


def is_short(network: Network, plan: TrainingPlan, rows: EncodedRows) -> bool:
    """Whether all epochs of one network take a fraction of a second."""
    visited, _ = visits(rows.weights)
    seconds = 1e-9 * nanoseconds_per_visit(network) * len(visited) * plan.max_epochs
    return len(rows.X) < LARGE and seconds < _MOST_SECONDS


def run_short(
    network: Network, plan: TrainingPlan, positives: list[int], rows: EncodedRows, generator: np.random.Generator
) -> int | None:
    """Train networks in place for all epochs of the plan: the visits of all of them; None if their weights diverged."""
    visited, visit_weights = visits(rows.weights)
    low, high = (np.float32(target) for target in plan.targets)
    seeds = generator.integers(2**64, size=plan.max_epochs, dtype=np.uint64)
    order, parted = np.empty_like(visited), np.empty_like(visited)
    is_due = np.empty(len(rows.X), dtype=bool)
    total = 0
    for c, positive in enumerate(positives):
        rates = [rate_of(plan, epoch, network.rate_factors[c]) for epoch in range(plan.max_epochs)]
        total += training_kernels.train_epochs(
            **network.kernel_arguments(c, rows.X, rows.positions),
            y=rows.y,
            positive=positive,
            low=low,
            high=high,
            instance_weights=visit_weights,
            visited=visited,
            velocity=network.velocity[c],
            is_log_loss=plan.loss == "log",
            momentum=np.float32(plan.momentum),
            outputs=np.zeros(len(rows.X), dtype=np.float32),
            seeds=seeds,
            learning_rates=np.array(rates, dtype=np.float32),
            revisit_every=plan.revisit_every,
            tolerance=WELL_FITTED,
            order=order,
            parted=parted,
            is_due=is_due,
        )
    return total if network.is_sound() else None
