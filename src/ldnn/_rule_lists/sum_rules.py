"""Lists of a single condition, on a weighted sum of columns: one half-space.

Its columns and weights are those of a regression, which all rows decide together, and only its limit is the most
accurate one. On few rows with a smooth oblique boundary, that predicts new rows better than lists whose sums were
searched for by accuracy as well.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._table.training_table import TrainingTable
from .bins import Bins, limit_margins
from .column_sums import ColumnSum, regression_sums, sum_directions
from .frontier import RuleSpace, Scored
from .rule_list import RuleList


@dataclass(frozen=True)
class SumRule:
    """A row is of class `above` where the sum is larger than the limit, and of the other one of two classes elsewhere.

    limits: (2,) the limit lies between these neighbouring values of the sum. missing: the class of rows without a
    value. margins: (2,) see `Bins`. accuracy: in the rows that it was fitted to.
    """

    terms: ColumnSum
    limits: NDArray[np.float64]
    margins: NDArray[np.float64]
    above: int
    missing: int
    accuracy: float

    def predict(self, X: NDArray) -> NDArray[np.intp]:
        """Class indices (n,) of the rows of a matrix (n, F)."""
        values = self.terms.values(X)
        found = np.where(values > (self.limits / 2).sum(), self.above, 1 - self.above)
        return np.where(np.isnan(values), self.missing, found)

    def as_list(self, bins: Bins, label: int, most: int) -> tuple[Bins, Scored]:
        """Bins with the sum as a further column, and the list of one rule for a class."""
        column = len(bins.n_bins)
        bins = Bins(
            [*bins.limits, self.limits[None, :]],
            [*bins.margins, self.margins[None, :]],
            np.append(bins.n_bins, 2),
            np.append(bins.is_category, False),
            (*bins.sums, self.terms),
        )
        rules = RuleList.empty(most, bins)
        mask = np.zeros(rules.masks.shape[2], dtype=bool)
        mask[:3] = [self.above != label, self.above == label, self.missing == label]
        rules = rules.with_rule(0, label, [(column, mask)])
        return bins, Scored(self.accuracy, rules, 1 - label, len(self.terms.columns))


def sum_rules(table: TrainingTable, space: RuleSpace, seed: int) -> dict[int, SumRule]:
    """By its number of columns, from two to `space.max_alone`, the sum that explains two classes of some rows best;
    sums that have no round weights or break a direction are left out.
    """
    most = min(space.max_alone, space.most)
    if table.n_classes != 2 or most < 2 or space.is_summable is None:
        return {}
    X = table.X[table.rows]
    found = {}
    for terms in regression_sums(X, table.y, table.weights, space.is_summable, space.directions, most, seed):
        rule = _most_accurate(terms, X, table.y, table.weights / table.weights.sum())
        direction = int(sum_directions((terms,), space.directions)[0])
        if rule is not None and direction != (-1 if rule.above else 1):
            found[len(terms.columns)] = rule
    return found


def _most_accurate(terms: ColumnSum, X: NDArray, y: NDArray[np.int32], weights: NDArray[np.float64]) -> SumRule | None:
    """The rule with the best limit for the rows of a matrix (n, F); None if all their values are the same."""
    values, signs = terms.values(X), np.where(y == 1, weights, -weights)
    is_known = np.isfinite(values)
    missing = int(signs[~is_known].sum() > 0) if not is_known.all() else int(signs.sum() > 0)
    order = np.argsort(values[is_known], kind="stable")
    sorted_values = values[is_known][order]
    ends = np.flatnonzero(sorted_values[1:] > sorted_values[:-1])
    if not len(ends):
        return None
    below = np.cumsum(signs[is_known][order])
    surplus = below[-1] - 2 * below[ends]  # how much more of the second class than of the first is right above
    best = int(np.abs(surplus).argmax())
    limits = sorted_values[ends[best] : ends[best] + 2]
    rule = SumRule(terms, limits, limit_margins(values, limits[None, :])[0], int(surplus[best] > 0), missing, 0.0)
    accuracy = float(weights[rule.predict(X) == y].sum())
    return SumRule(terms, limits, rule.margins, rule.above, missing, accuracy)
