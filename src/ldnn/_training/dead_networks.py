"""Dead networks: their outputs are near 0 for every row, where the squared loss has no gradient."""

import warnings
from collections.abc import Iterable
from typing import Any

from sklearn.exceptions import ConvergenceWarning

DEAD = 1e-4  # a network whose output never exceeds this is dead


def warn_of_dead_networks(labels: Iterable[Any], rows: str = "row") -> None:
    """Warn of the dead networks of these classes. rows: what the training rows are called."""
    for label in labels:
        warnings.warn(
            f"The network of class {label!r} is dead: its output is below {DEAD:g} for every training {rows}. Use a "
            "smaller learning rate, or loss='log', whose gradient does not vanish there.",
            ConvergenceWarning,
        )
