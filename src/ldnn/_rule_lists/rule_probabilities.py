"""Class probabilities of rule lists: the class frequencies of training rows in the same situation.

For two classes, a row's score is the sum of the weights of the rules that hold, or minus the number of conditions that
the nearest rule lacks; probabilities rise with the score (isotonic regression). Where rules are monotone in a column,
probabilities are, too. For several classes, rows are in the same situation if the same rule decides, or if the same
number of conditions is missing for a rule to hold.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_PRIOR = 2.0  # rows that every group of rows is thought to have besides, with the frequencies of all rows
_FARTHEST = 3  # conditions that are missing; more count as so many
_CLOSE = 1e-6  # the decided class is more probable than the others at least by this


@dataclass(frozen=True)
class HeldConditions:
    """What rows meet of a rule list: n_lacking (n, R), the number of conditions of each rule that do not hold."""

    n_lacking: NDArray[np.intp]

    @property
    def first(self) -> NDArray[np.intp]:
        """(n,) the first rule that holds, R where none does."""
        n_rules = self.n_lacking.shape[1]
        holds = self.n_lacking == 0
        return np.where(holds.any(axis=1), holds.argmax(axis=1), n_rules) if n_rules else np.zeros(len(holds), np.intp)

    @property
    def distance(self) -> NDArray[np.intp]:
        """(n,) how many conditions are missing for a rule to hold, at most `_FARTHEST`."""
        return self.n_lacking.min(axis=1, initial=_FARTHEST)


@dataclass(frozen=True)
class RuleProbabilities:
    """default: the class where no rule holds. frequencies: (groups, C), the probabilities of each group of rows.
    weights: (R,) of the rules, and scores: (groups,) the scores of the groups, both for two classes only, else empty.
    """

    default: int
    frequencies: NDArray[np.float64]
    weights: NDArray[np.float64]
    scores: NDArray[np.float64]

    @classmethod
    def fit(
        cls, held: HeldConditions, labels: NDArray[np.intp], default: int, y: NDArray, weights: NDArray, n_classes: int
    ) -> "RuleProbabilities":
        """labels: (R,) the classes of the rules; y and weights: (n,) of the rows."""
        totals = np.eye(n_classes)[y] * weights[:, None] / weights.mean()
        prior = totals.mean(axis=0)
        if n_classes == 2:
            return cls._fit_two_classes(held, default, totals, prior)
        groups = _groups(held)
        n_groups = len(labels) + _FARTHEST + 1
        sums = np.stack([np.bincount(groups, column, minlength=n_groups) for column in totals.T], axis=1)
        frequencies = _normalized(sums + _PRIOR * prior)
        decided = np.append(labels, np.full(_FARTHEST + 1, default))
        return cls(default, _decided(frequencies, decided), np.empty(0), np.empty(0))

    @classmethod
    def _fit_two_classes(
        cls, held: HeldConditions, default: int, totals: NDArray, prior: NDArray
    ) -> "RuleProbabilities":
        from sklearn.isotonic import isotonic_regression

        own = 1 - default
        holds = held.n_lacking == 0
        inside = holds.T.astype(float) @ totals + _PRIOR * prior
        weights = np.maximum(np.log(inside[:, own] / inside[:, default]), 0.01)
        rows = _scores(held, weights)
        scores, groups = np.unique(rows, return_inverse=True)
        sums = np.stack([np.bincount(groups, column) for column in totals.T], axis=1) + _PRIOR * prior
        rising = isotonic_regression(_normalized(sums)[:, own], sample_weight=sums.sum(axis=1))
        frequencies = np.empty((len(scores), 2))
        frequencies[:, own], frequencies[:, default] = rising, 1 - rising
        return cls(default, _decided(frequencies, np.where(scores > 0, own, default)), weights, scores)

    def predict(self, held: HeldConditions) -> NDArray[np.float64]:
        """Probabilities (n, C)."""
        if self.frequencies.shape[1] > 2:
            return self.frequencies[_groups(held)]
        rows = _scores(held, self.weights)
        found = np.column_stack([np.interp(rows, self.scores, frequencies) for frequencies in self.frequencies.T])
        # A score that no training row has may lie between those of a rule and of none.
        return _decided(found, np.where(rows > 0, 1 - self.default, self.default))


def _groups(held: HeldConditions) -> NDArray[np.intp]:
    """(n,) the number of each row's group: the rule that decides, or, after all rules, how many conditions lack."""
    n_rules = held.n_lacking.shape[1]
    first = held.first
    return np.where(first < n_rules, first, n_rules + held.distance)


def _scores(held: HeldConditions, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    total = (held.n_lacking == 0) @ weights
    return np.where(total > 0, total, -held.distance.astype(float))


def _normalized(sums: NDArray) -> NDArray[np.float64]:
    return sums / sums.sum(axis=1, keepdims=True)


def _decided(frequencies: NDArray[np.float64], decided: NDArray[np.intp]) -> NDArray[np.float64]:
    """The frequencies, changed as little as possible so that the decided class is the most probable one."""
    changed = frequencies.copy()
    rows = np.arange(len(changed))
    others = changed.copy()
    others[rows, decided] = -1.0
    changed[rows, decided] = np.maximum(changed[rows, decided], others.max(axis=1) + _CLOSE)
    return _normalized(changed)
