"""What LDNN and Mod-N do differently: how a network learns from some visits, and how it predicts."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .._kernels import modular_kernels, training_kernels
from .._model.prediction import NetworkLogOdds, joint_log_odds, modular_log_odds


class Update(Protocol):
    """How networks learn."""

    @property
    def log_odds(self) -> NetworkLogOdds:
        """How a network of this kind predicts."""

    def train(self, c: int, arguments: dict[str, Any]) -> float:
        """Let network c learn from some visits (see `Trainer._arguments`); returns the sum of the losses."""


@dataclass(frozen=True)
class JointUpdate:
    """LDNN: all discriminants of a network learn together, from one error function.

    uses_knots: False where no plan of this fit has knots. Then the code for knots is not even compiled, unless
    categories need it; otherwise one compiled version serves both, which compiles faster than two.
    """

    uses_knots: bool = True

    @property
    def log_odds(self) -> NetworkLogOdds:
        return joint_log_odds

    def train(self, c: int, arguments: dict[str, Any]) -> float:
        if not self.uses_knots and not len(arguments["bases"]):
            arguments = {**arguments, "positions": None}
        return training_kernels.train(**arguments)


@dataclass(frozen=True)
class ModularUpdate:
    """Mod-N: each discriminant learns alone, from the rows of its own pair of clusters.

    clusters: (C, n), the cluster of each row within its side.
    """

    clusters: NDArray[np.int64]

    @property
    def log_odds(self) -> NetworkLogOdds:
        return modular_log_odds

    def train(self, c: int, arguments: dict[str, Any]) -> float:
        return modular_kernels.train_modular(clusters=self.clusters[c], **arguments)
