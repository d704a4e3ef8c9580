"""Rules of the class that no network detects: the first of two classes, where no conjunction of the network holds.

Its region is an intersection of unions of half-spaces: of every conjunction, at least one half-space fails. Candidates
are all conjunctions of a network failing together, and a single half-space that fails.
"""

import numpy as np
from numpy.typing import NDArray

from .decomposition import Decomposition
from .rule_search import ClassSearch
from .thinning import Direction

_MOST_HALF_SPACES = 64  # that are candidates by themselves


class ComplementSearch(ClassSearch):
    """Looks for the rules of the rows that the networks of the other class do not give it: target (n,)."""

    def __init__(
        self,
        parts: Decomposition,
        networks: list[int],
        target: NDArray[np.bool_],
        most_columns: int,
        weights: NDArray[np.intp] | None = None,
    ):
        super().__init__(parts, networks, target, most_columns, weights)
        half_spaces = [(c, i, j) for c in networks for i, j in np.ndindex(*self.z[c].shape[1:])]
        self._single = half_spaces[:_MOST_HALF_SPACES]
        self._networks = networks
        of_networks = [parts.log_not_output(parts.conjunctions(self.z[c])) for c in networks]
        of_half_spaces = [-self.z[c][:, i, j] for c, i, j in self._single]
        scores = np.column_stack([*of_networks, *of_half_spaces, -self.log_f])
        self.sources = [None] * scores.shape[1]
        self.order = np.argsort(-scores, axis=0)

    def _directions_of(self, candidate: int) -> list[Direction]:
        """Of a network, its conjunctions negated; of a half-space, it and the conjunctions that it is not part of;
        of all networks together, their mean.
        """
        if candidate not in self._directions:
            self._directions[candidate] = [_negated(direction) for direction in self._to_negate(candidate)]
        return self._directions[candidate]

    def _to_negate(self, candidate: int) -> list[Direction]:
        if candidate < len(self._networks):
            return self._means(self._networks[candidate])
        candidate -= len(self._networks)
        if candidate == len(self._single):
            return [self._mean_of_all()]
        c, i, j = self._single[candidate]
        return [self._of_conjunction(c, i)[j], *self._means(c, without=i)]

    def _means(self, c: int, without: int | None = None) -> list[Direction]:
        """The merged half-spaces of each conjunction of a network."""
        return [self._of_conjunction(c, i)[-1] for i in range(self.z[c].shape[1]) if i != without]


def _negated(direction: Direction) -> Direction:
    """The half-space on the other side."""
    return Direction(-direction.weights, -direction.aim, direction.importance)
