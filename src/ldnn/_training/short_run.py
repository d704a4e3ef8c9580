"""Many epochs in one compiled call: on small tables, the steps between the epochs take most of the time.

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


def epochs_per_call(network: Network, rows: EncodedRows) -> int:
    """How many epochs of one network take a fraction of a second, by a cautious estimate; 0 if one takes longer."""
    if len(rows.X) >= LARGE:
        return 0
    visited, _ = visits(rows.weights)
    return int(_MOST_SECONDS * 1e9 / (nanoseconds_per_visit(network) * len(visited)))


def run_short(
    network: Network,
    plan: TrainingPlan,
    positives: list[int],
    rows: EncodedRows,
    generator: np.random.Generator,
    at_once: int,
) -> int | None:
    """Train networks in place for all epochs of the plan, `at_once` in one call: the visits of all of them; None if
    their weights diverged.
    """
    visited, visit_weights = visits(rows.weights)
    low, high = (np.float32(target) for target in plan.targets)
    seeds = generator.integers(2**64, size=plan.max_epochs, dtype=np.uint64)
    rates = {
        factor: np.array([rate_of(plan, epoch, factor) for epoch in range(plan.max_epochs)], dtype=np.float32)
        for factor in set(network.rate_factors)
    }
    order, parted = np.empty_like(visited), np.empty_like(visited)
    is_due = np.empty(len(rows.X), dtype=bool)
    workspace = network.workspace()
    total = 0
    for c, positive in enumerate(positives):
        arguments = {
            **network.kernel_arguments(c, rows.X, rows.positions, workspace),
            "y": rows.y,
            "positive": positive,
            "low": low,
            "high": high,
            "instance_weights": visit_weights,
            "visited": visited,
            "velocity": network.velocity[c],
            "is_log_loss": plan.loss == "log",
            "momentum": np.float32(plan.momentum),
            "outputs": np.zeros(len(rows.X), dtype=np.float32),
            "seeds": seeds,
            "learning_rates": rates[network.rate_factors[c]],
            "revisit_every": plan.revisit_every,
            "tolerance": WELL_FITTED,
            "order": order,
            "parted": parted,
            "is_due": is_due,
        }
        for begin in range(0, plan.max_epochs, at_once):
            end = min(begin + at_once, plan.max_epochs)
            total += training_kernels.train_epochs(**arguments, begin=begin, end=end)
    return total if network.is_sound() else None
