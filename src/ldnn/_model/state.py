"""FittedState: everything that a fit leaves behind, and that a continued fit starts from."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from .._encoding.clustering_space import ClusteringSpace
from .._encoding.components import mapped_back
from .._encoding.encoder import Encoder
from .._plan import Choice, Plan
from .._table.checks import are_classes
from .._table.columns import Columns
from .._table.sparse_columns import SparseColumns
from .forward import positive_classes
from .initial_network import own_bases
from .network import Network, StoredNetwork, parameters_mapped_back
from .validation_scores import ValidationScores

CURVES = ("training_loss", "training_error", "validation_loss", "validation_error")

Centroids = list[tuple[NDArray[np.float32] | None, NDArray[np.float32] | None]]


@dataclass(frozen=True)
class FittedState:
    """Everything about a fitted model.

    classes: (n_classes,), sorted. columns: how tables are read; None where they hold numbers only. choice: the plan,
    and how it was chosen. generator: the source of all randomness; split_seed: decides which rows are held out.
    initial_parameters: of the network, before training. centroids: of each network, in the clustering space. scores: of
    the validation rows; None if there were none. importances: (features,), see `feature_importances_`; None before the
    end of training.
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
    importances: NDArray[np.float64] | None = None
    stored_as: ClassVar[type]  # in files

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

    def stored(self) -> "StoredState":
        return StoredState(**{**vars(self), "network": self.network.stored()})


@dataclass(frozen=True)
class StoredState:
    """What a file holds of a `FittedState`; see there."""

    classes: NDArray
    columns: Columns | SparseColumns | None
    choice: Choice
    generator: np.random.Generator
    split_seed: int
    encoder: Encoder
    network: StoredNetwork
    initial_parameters: NDArray[np.float32]
    centroids: Centroids
    inverse_temperature: float
    history: dict[str, list[float]]
    best_epoch: int
    scores: ValidationScores | None
    importances: NDArray[np.float64] | None

    def restored(self) -> FittedState:
        for holds, otherwise in self.claims():
            if not holds:
                raise ValueError(otherwise)
        encoder, plan = self.encoder, self.choice.plan
        bases = encoder.basis_table
        # Linear members read all bases once long tails were folded into them; see `settled`.
        linear = plan.n_linear and not encoder.long_tails
        own = own_bases(plan, encoder, len(self.network.parameters)) if linear else []
        network = self.network.restored(bases, encoder.n_dense, own)
        return FittedState(**{**vars(self), "network": network})

    def claims(self) -> Iterator[tuple[bool, str]]:
        """What must hold of all parts together, each with a clause for what is wrong otherwise."""
        encoder, network, plan = self.encoder, self.network, self.choice.plan
        yield are_classes(self.classes), "the classes are not different labels in their order"
        categories = {}
        if self.columns is not None:
            yield from self.columns.claims()
            found = self.columns.categories
            yield encoder.last_column < len(found), "the encoder uses a column that the table does not have"
            categories = {k: known for k, known in enumerate(found) if known is not None}
        yield from encoder.claims(categories)
        yield from network.claims(encoder.n_features)
        networks, space = len(network.parameters), ClusteringSpace(encoder)
        yield (
            networks == len(positive_classes(len(self.classes))) * plan.n_estimators,
            f"there are {networks} networks for {len(self.classes)} classes and {plan.n_estimators} ensemble members",
        )
        yield plan.n_linear <= plan.n_estimators, "there are more linear ensemble members than members"
        yield (
            all(
                side is None or side.shape == (count, space.width)
                for pair, sizes in zip(self.centroids, network.sizes.tolist(), strict=True)
                for side, count in zip(pair, sizes, strict=True)
            ),
            "the centroids are not those of the networks",
        )
        curves = [len(self.history.get(name, ())) for name in CURVES]
        yield list(self.history) == list(CURVES), f"the history does not consist of {', '.join(CURVES)}"
        yield (
            curves[0] == curves[1] >= curves[2] == curves[3] and self.best_epoch <= curves[0],
            "the curves of the history are not those of the same epochs",
        )


FittedState.stored_as = StoredState


def _side_mapped_back(
    centroids: NDArray[np.float32] | None, components: NDArray[np.float32]
) -> NDArray[np.float32] | None:
    return None if centroids is None else mapped_back(centroids, components)
