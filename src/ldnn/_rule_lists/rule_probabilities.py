"""Class probabilities of rule lists.

For two classes, the log-odds of the described class are a sum of weights of conditions, of rules, and of one weight for
rows in which a rule holds: a logistic regression. A condition counts by its degree, a sigmoid of the distance from its
limit, and a rule by the product of these, as in the networks of the paper: so rows that nearly meet a condition are
more probable than rows far from it. No weight is negative: where rules are monotone in a column, probabilities are,
too. For several classes, probabilities are the class frequencies of training rows in the same situation: the same rule
decides, or the same number of conditions is missing for a rule to hold.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_PRIOR = 2.0  # rows that every group of rows is thought to have besides, with the frequencies of all rows
_FARTHEST = 3  # conditions that are missing; more count as so many
_CLOSE = 1e-6  # the decided class is more probable than the others at least by this
_PENALTY = 1.0  # of the squares of weights
_MOST_ROWS = 20_000  # that weights are fitted to


@dataclass(frozen=True)
class HeldConditions:
    """What rows meet of a rule list. holds: (n, K), all conditions, rule by rule; sizes: (R,), how many each has."""

    holds: NDArray[np.bool_]
    sizes: NDArray[np.intp]

    @property
    def n_lacking(self) -> NDArray[np.intp]:
        """(n, R) the number of conditions of each rule that do not hold."""
        ends = np.cumsum(self.sizes)
        lacking = np.zeros((len(self.holds), len(ends)), dtype=np.intp)
        for r, (end, size) in enumerate(zip(ends, self.sizes, strict=True)):
            lacking[:, r] = size - self.holds[:, end - size : end].sum(axis=1)
        return lacking

    @property
    def first(self) -> NDArray[np.intp]:
        """(n,) the first rule that holds, R where none does."""
        holds = self.n_lacking == 0
        return np.where(holds.any(axis=1), holds.argmax(axis=1), len(self.sizes)) if len(self.sizes) else holds.sum(1)

    @property
    def distance(self) -> NDArray[np.intp]:
        """(n,) how many conditions are missing for a rule to hold, at most `_FARTHEST`."""
        return self.n_lacking.min(axis=1, initial=_FARTHEST)


@dataclass(frozen=True)
class RuleProbabilities:
    """default: the class where no rule holds.

    For two classes, weights: (K + R,) of the degrees of conditions and rules, and offsets: (2,), the log-odds of the
    other class without them, where no rule holds and where one does; both are empty for several classes. frequencies:
    (groups, C), the probabilities of each group of rows; no groups for two classes.
    """

    default: int
    frequencies: NDArray[np.float64]
    weights: NDArray[np.float64]
    offsets: NDArray[np.float64]

    @classmethod
    def fit(
        cls,
        held: HeldConditions,
        degrees: NDArray[np.float64],
        labels: NDArray[np.intp],
        default: int,
        rows: tuple[NDArray[np.int32], NDArray[np.float64]],
        n_classes: int,
    ) -> "RuleProbabilities":
        """degrees: (n, K + R) of conditions and rules; labels: (R,) the classes of the rules; rows: (y, weights), (n,)
        each.
        """
        y, weights = rows[0], rows[1] / rows[1].mean()
        if n_classes == 2:
            found = _logistic(degrees, held.first < len(labels), y != default, weights)
            return cls(default, np.empty((0, 2)), *found)
        totals = np.eye(n_classes)[y] * weights[:, None]
        groups = _groups(held)
        n_groups = len(labels) + _FARTHEST + 1
        sums = np.stack([np.bincount(groups, column, minlength=n_groups) for column in totals.T], axis=1)
        frequencies = _normalized(sums + _PRIOR * totals.mean(axis=0))
        decided = np.append(labels, np.full(_FARTHEST + 1, default))
        return cls(default, _decided(frequencies, decided), np.empty(0), np.empty(0))

    def predict(self, held: HeldConditions, degrees: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities (n, C); degrees: (n, K + R) of conditions and rules."""
        if self.frequencies.shape[1] > 2:
            return self.frequencies[_groups(held)]
        is_own = held.first < len(held.sizes)
        log_odds = self.offsets[is_own.astype(np.intp)]
        for degree, weight in zip(degrees.T, self.weights, strict=True):  # in this order, however many rows there are
            log_odds = log_odds + degree * weight
        own = 1 / (1 + np.exp(-log_odds))
        # The rules decide; rows whose probability would contradict them stay in their order.
        own = np.where(is_own, np.maximum(own, 0.5 + _CLOSE * (1 + own)), np.minimum(own, 0.5 - _CLOSE * (2 - own)))
        return np.column_stack([own, 1 - own] if self.default == 1 else [1 - own, own])


def _logistic(
    degrees: NDArray[np.float64], holds: NDArray[np.bool_], is_own: NDArray[np.bool_], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weights (K + R,) and offsets (2,) of the most probable labels, see `RuleProbabilities`. holds: (n,) whether a
    rule does; weights: (n,) of the rows.
    """
    from scipy.optimize import minimize

    features = np.column_stack([degrees, holds, np.ones(len(holds))])
    if len(features) > _MOST_ROWS:
        sample = np.random.default_rng(0).permutation(len(features))[:_MOST_ROWS]
        features, is_own, weights = features[sample], is_own[sample], weights[sample]
    own = weights * is_own

    def loss(found: NDArray) -> tuple[float, NDArray]:
        log_odds = features @ found
        value = weights @ np.logaddexp(0, log_odds) - own @ log_odds + _PENALTY / 2 * found @ found
        slopes = features.T @ (weights / (1 + np.exp(-log_odds)) - own) + _PENALTY * found
        return value, slopes

    n_weights = features.shape[1] - 1
    bounds = [(0.0, 20.0)] * n_weights + [(-20.0, 20.0)]
    found = minimize(loss, np.zeros(n_weights + 1), jac=True, method="L-BFGS-B", bounds=bounds).x
    return found[:-2], np.array([found[-1], found[-1] + found[-2]])


def _groups(held: HeldConditions) -> NDArray[np.intp]:
    """(n,) the number of each row's group: the rule that decides, or, after all rules, how many conditions lack."""
    n_rules = held.n_lacking.shape[1]
    first = held.first
    return np.where(first < n_rules, first, n_rules + held.distance)


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
