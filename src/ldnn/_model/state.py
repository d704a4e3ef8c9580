"""FittedState: everything that a fit leaves behind, and that a continued fit starts from."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from .._encoding.clustering_space import ClusteringSpace
from .._encoding.components import mapped_back
from .._encoding.encoder import Encoder
from .._plan import Choice, Plan
from .._table.columns import Columns
from .._table.sparse_columns import SparseColumns
from .forward import positive_classes
from .network import Network, parameters_mapped_back
from .validation_scores import ValidationScores

Centroids = list[tuple[NDArray[np.float32] | None, NDArray[np.float32] | None]]


@dataclass(frozen=True)
class FittedState:
    """Everything about a fitted model.

    classes: (n_classes,), sorted. columns: how tables are read; None where they hold numbers only. choice: the plan,
    and how it was chosen. generator: the source of all randomness; split_seed: decides which rows are held out.
    initial_parameters: of the network, before training. centroids: of each network, in the clustering space. scores: of
    the validation rows; None if there were none.
    """

    classes: NDArray
    columns: Columns | SparseColumns | None
    choice: Choice
    generator: np.random.Generator
    split_seed: int
    encoder: Encoder
    network: Network
    initial_parameters: NDArray[np.float32]
    centroids: Centroids
    inverse_temperature: float
    history: dict[str, list[float]]
    best_epoch: int = 0
    scores: ValidationScores | None = None

    @property
    def plan(self) -> Plan:
        return self.choice.plan

    @property
    def positives(self) -> list[int]:
        """The index of the class that each network detects, of all ensemble members."""
        return positive_classes(len(self.classes)) * self.plan.n_estimators

    def settled(self) -> "FittedState":
        """After training: the model in terms of the columns themselves, on which a continued fit goes on.

        What was trained on principal components is mapped back to the columns, and the weights of numbers with long
        tails are folded into their knots.
        """
        state = self if self.encoder.components is None else self._mapped_back(self.encoder.components)
        if not state.encoder.long_tails:
            return state
        network = state.network.copy()
        state.encoder.fold_long_tails(network.parameters)
        network.velocity[:, [tail.number for tail in state.encoder.long_tails]] = 0
        # From now on linear members read these bases, too; the weights of their other knots are zero.
        return replace(state, network=replace(network, own_bases=[]))

    def _mapped_back(self, components: NDArray[np.float32]) -> "FittedState":
        encoder = replace(self.encoder, components=None)
        with threadpool_limits(limits=1, user_api="blas"):  # the number of threads may change the last bits
            centroids: Centroids = [
                (_side_mapped_back(positive, components), _side_mapped_back(negative, components))
                for positive, negative in self.centroids
            ]
            return replace(
                self,
                encoder=encoder,
                network=self.network.mapped_back(components, encoder.basis_table),
                initial_parameters=parameters_mapped_back(self.initial_parameters, components),
                centroids=centroids,
            )

    def check(self, columns: int) -> None:
        """Raise ValueError unless the parts fit together and to a table of so many columns."""
        if self.columns is not None:
            self.columns.check(columns)
            columns = len(self.columns.categories)
        self.encoder.check(columns)
        tables = [self.encoder.basis_table, self.encoder.linear_basis_table]
        self.network.check(self.encoder.n_dense, self.encoder.n_features, tables)
        networks, width = len(self.network.parameters), ClusteringSpace(self.encoder).width
        if not (
            self.initial_parameters.shape == self.network.parameters.shape
            and len(self.centroids) == len(self.positives) == networks
            and all(
                side is None or (side.dtype, side.shape) == (np.float32, (count, width))
                for pair, size in zip(self.centroids, self.network.sizes.tolist(), strict=True)
                for side, count in zip(pair, size, strict=True)
            )
        ):
            raise ValueError("The parts of the model do not fit together.")


def _side_mapped_back(
    centroids: NDArray[np.float32] | None, components: NDArray[np.float32]
) -> NDArray[np.float32] | None:
    return None if centroids is None else mapped_back(centroids, components)
