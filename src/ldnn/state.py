"""What a fit leaves behind: the decisions before the first half-space, and everything after it."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from .axes import turned_back
from .encode import Encoder
from .network import Network, parameters_turned_back
from .plan import Plan
from .table import Columns
from .training import network_codes


@dataclass
class Beginning:
    """What is decided before the first half-space.

    classes (n_classes,) are sorted; generator is the source of all randomness, split_seed decides which rows are held
    out; columns says how tables are read (None where they hold nothing but numbers).
    """

    classes: NDArray
    generator: np.random.Generator
    split_seed: int
    columns: Columns | None
    plan: Plan
    sharpness: float | None = None
    search_history: list[dict[str, Any]] = field(default_factory=list)

    @property
    def codes(self) -> list[int]:
        """The class number of each network, of all that vote."""
        return network_codes(len(self.classes)) * self.plan.n_networks


@dataclass
class State:
    """Everything that a fit leaves behind, and that a continued fit goes on from."""

    beginning: Beginning
    encoder: Encoder
    network: Network
    initial_parameters: NDArray[np.float32]
    centroids: list[tuple[NDArray[np.float32] | None, NDArray[np.float32] | None]]
    history: dict[str, list[float]]
    sharpness: float

    def settle(self) -> None:
        """After training: the model as it is for the columns themselves, in which a continued fit goes on.

        Knots tell what was learned of numbers with long tails (`Encoder.tails`), and columns what was learned on axes.
        """
        if self.encoder.axes is not None:
            self._leave(self.encoder.axes)
        if self.encoder.tails:
            self.encoder.fold_tails(self.network.parameters)
            self.network.velocity[:, [tail.number for tail in self.encoder.tails]] = 0
            # Straight networks, too, now read the lines of these numbers; their other knots weigh nothing.
            self.network.own_lines = [self.network.lines] * len(self.network.parameters)

    def _leave(self, axes: NDArray[np.float32]) -> None:
        self.encoder = replace(self.encoder, axes=None)
        with threadpool_limits(limits=1, user_api="blas"):  # the number of threads may change the last bits
            self.network = self.network.turned_back(axes, self.encoder.table)
            self.initial_parameters = parameters_turned_back(self.initial_parameters, axes)
            sides = [[None if side is None else turned_back(side, axes) for side in pair] for pair in self.centroids]
        self.centroids = [(positive, negative) for positive, negative in sides]

    def check(self, columns: int) -> None:
        """Refuse parts that do not fit together, or to a table of so many columns: they may come from a file."""
        Encoder.check(self.encoder, columns)
        tables = [self.encoder.table, self.encoder.straight_table]
        Network.check(self.network, self.encoder.dense, self.encoder.features, tables)
        networks, width = len(self.network.parameters), self.encoder.clustering_width
        if not (
            self.initial_parameters.shape == self.network.parameters.shape
            and len(self.centroids) == len(self.beginning.codes) == networks
            and all(
                side is None or (side.dtype, side.shape) == (np.float32, (count, width))
                for pair, size in zip(self.centroids, self.network.sizes.tolist(), strict=True)
                for side, count in zip(pair, size, strict=True)
            )
        ):
            raise ValueError("The parts of the model do not fit together.")
