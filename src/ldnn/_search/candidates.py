"""The plans that each round compares, and how many rows, epochs and splits there is time for."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from .._encoding.components import count_components
from .._encoding.fit_encoder import component_variances
from .._encoding.knots import has_varied_column, knots_matter
from .._encoding.products import product_pairs
from .._plan import EncodingPlan, KnotPlan, Plan
from .._table.training_table import TrainingTable
from .costs import Costs
from .space import SearchSpace, knot_plan, sizes_to_compare

HELD_OUT = 0.25  # of the rows, to evaluate on,
MOST_HELD_OUT = 10_000  # but at most these
MOST_SPLITS = 6  # of the same rows, on which a plan is tried
MEMBERS = 2  # of the final ensemble, at the least

_MAX_EPOCHS, _MIN_EPOCHS = 20, 5  # of the final networks
_TRIAL_EPOCHS = 6  # at the least,
_ENOUGH_EPOCHS = 10  # and, on several splits, at the most, or half of the final networks',
_FEW_ROWS = 150  # unless there are so few different rows that ten epochs are hardly any steps
_PRODUCTS_PER_COLUMN = 8  # conics with more products would take most of the time
_RATES = (5.0, 20.0)  # relative to the mean squared norm of a row
_FOLLOWING = ("piecewise-tree", "conic")  # discriminants that are tried with one of these rates
_RATE_RATIO = 2.5  # to the next smaller and larger learning rates, for the best of these
LOG_RATE = 0.5  # the cross-entropy has the longer gradients
_LIKELIHOOD_RATES = (0.2, 0.8, 3.2)  # with targets 0 and 1, whose gradients do not vanish before the weights are large
_MANY_COLUMNS = 50  # are worth selecting from,
_ROWS_PER_COLUMN = 30  # unless there are more rows than this
_STANDING_OUT = (3.0, 1.5)  # times the median importance: what selected columns have at the least
_IMPORTANCE_POWER = 0.5
_SHARES = (0.8, 0.95, 0.99)  # of the variance, explained by the components that are compared
_MANY_ROWS = 100_000  # from here on it matters less where the knots are


def first_plans(plan: Plan, space: SearchSpace, table: TrainingTable, rows: int) -> list[Plan]:
    """Kinds of discriminants, columns and components, each with several learning rates, for small networks.

    rows: that the final networks will be trained on; the table may be a sample of these.
    """
    if space.size:  # matters little for what is compared here
        plan = space.with_size(plan, max(2, round(0.6 * sizes_to_compare(rows)[1])))
    kinds = _kinds_of_discriminants(plan, space, table, rows)
    if space.normalize and kinds[0].encoding.knots is None:
        kinds.append(kinds[0].with_encoding(normalize="common"))
    if space.selection:
        kinds += [
            kind.with_encoding(n_selected=count)
            for count in _selected_counts(table)
            for kind in kinds
            if not kind.encoding.is_conic
        ]
    if space.components:
        kinds = [projected for kind in kinds for projected in _projected(kind, table)]
    rates: Iterable[float | None] = _RATES if space.rate else [plan.relative_rate]
    return [replace(kind, relative_rate=rate) for kind in kinds for rate in rates]


def leaders_and_others(plans: list[Plan]) -> tuple[list[Plan], list[Plan]]:
    """Plans with all learning rates; and those with knots of trees and conics, which follow with the better rates only
    (`at_better_rates`), unless the user wants nothing else.
    """
    others = [plan for plan in plans if plan.encoding.discriminant in _FOLLOWING]
    leaders = [plan for plan in plans if plan not in others]
    return (leaders, others) if leaders else (plans, [])


def at_better_rates(others: list[Plan], leaders: list[Plan]) -> list[Plan]:
    """The plans with the learning rate of the best leader for as many columns that has knots, or none, like them.

    leaders: the best first.
    """

    def is_alike(leader: EncodingPlan, own: EncodingPlan) -> bool:
        return (leader.n_selected, leader.knots is None) == (own.n_selected, own.knots is None)

    def rate_for(plan: Plan) -> float | None:
        alike = (each for each in leaders if is_alike(each.encoding, plan.encoding))
        return next(alike, leaders[0]).relative_rate

    return [plan for plan in others if plan.relative_rate == rate_for(plan)]


def _kinds_of_discriminants(plan: Plan, space: SearchSpace, table: TrainingTable, rows: int) -> list[Plan]:
    """Kinds whose networks differ on this table."""
    numbers = int((~table.is_category).sum())
    can_have_knots = plan.encoding.normalize != "whiten" and numbers > 0
    kinds = [plan]
    if space.knots and can_have_knots and knots_matter(table):
        kinds = [plan.with_encoding(knots=None), plan.with_encoding(knots=knot_plan("mixed", rows))]
        if rows < _MANY_ROWS and has_varied_column(table):
            kinds.append(plan.with_encoding(knots=knot_plan("tree", rows)))
    if space.conics and can_have_knots and len(product_pairs(numbers)) <= _PRODUCTS_PER_COLUMN * numbers:
        kinds.append(plan.with_encoding(knots=None, is_conic=True))
    return kinds


def _projected(plan: Plan, table: TrainingTable) -> list[Plan]:
    """A linear plan for all columns with more and with fewer components; other plans as they are."""
    encoding = plan.encoding
    if encoding.knots is not None or encoding.is_conic or encoding.n_selected is not None:
        return [plan]
    variances = component_variances(table, encoding)
    counts = dict.fromkeys(count_components(variances, share) for share in _SHARES)
    return [plan.with_encoding(n_components=count) for count in counts]


def _selected_counts(table: TrainingTable) -> list[int]:
    """How many columns to select, besides all of them: those whose importance stands out, where there are few rows per
    column.
    """
    rows, columns = len(table.rows), table.X.shape[1]
    if columns < _MANY_COLUMNS or rows > _ROWS_PER_COLUMN * columns:
        return []
    median = np.median(table.importances)
    counts = [int(np.count_nonzero(table.importances > ratio * median)) for ratio in _STANDING_OUT]
    return list(dict.fromkeys(count for count in counts if 0 < count <= columns // 2))


def by_importance(plans: list[Plan], space: SearchSpace) -> list[Plan]:
    """The plans for numbers that are scaled by their importance; none for selected columns, components and conics."""
    if not space.importance:
        return []
    return [
        plan.with_encoding(importance_power=_IMPORTANCE_POWER)
        for plan in plans
        if not plan.encoding.is_conic and plan.encoding.n_selected is plan.encoding.n_components is None
    ]


def by_likelihood(plans: list[Plan], space: SearchSpace, costs: Costs, epochs: int, seconds: float) -> list[Plan]:
    """The plans with the cross-entropy and targets 0 and 1, as far as there is time to train two members.

    Outputs are probabilities then, so rows that are fitted well must not be skipped.
    """
    if not space.likelihood:
        return []
    others = [
        replace(plan, relative_rate=rate).with_training(loss="log", label_smoothing=0.0, revisit_every=1)
        for plan in plans
        for rate in _LIKELIHOOD_RATES
    ]
    return [other for other in others if _is_affordable(other, costs, epochs, seconds)]


def other_rates(plan: Plan, space: SearchSpace, is_noisy: bool) -> list[Plan]:
    """The plan with a smaller and, unless classes overlap, with a larger learning rate."""
    if not space.rate or plan.relative_rate is None:
        return []
    ratios = [1 / _RATE_RATIO] if is_noisy else [1 / _RATE_RATIO, _RATE_RATIO]
    return [replace(plan, relative_rate=plan.relative_rate * ratio) for ratio in ratios]


def other_sizes(plan: Plan, space: SearchSpace, costs: Costs, epochs: int, seconds: float) -> list[Plan]:
    """The plan with other sizes, as far as there is time to train two members for `epochs` epochs."""
    others = []
    for size in sizes_to_compare(costs.rows) if space.size else []:
        other = space.with_size(plan, size)
        if other.start != plan.start and _is_affordable(other, costs, epochs, seconds):
            others.append(other)
    return others


def _is_affordable(plan: Plan, costs: Costs, epochs: int, seconds: float) -> bool:
    """Whether there is time to train two members for `epochs` epochs."""
    return costs.of_fit(replace(plan, n_estimators=MEMBERS).with_training(max_epochs=epochs)) <= seconds


def other_loss(plan: Plan, space: SearchSpace) -> list[Plan]:
    """The plan with the cross-entropy; where it has that already, with targets 0 and 1, finer learning rates."""
    if space.likelihood and plan.training.label_smoothing == 0:
        assert plan.relative_rate is not None
        return [replace(plan, relative_rate=plan.relative_rate * ratio) for ratio in (0.5, 2.0)]
    if not space.loss:
        return []
    rate = None if plan.relative_rate is None else plan.relative_rate * LOG_RATE
    return [replace(plan, relative_rate=rate).with_training(loss="log")]


def affordable(plans: list[Plan], table: TrainingTable, costs: Costs, seconds: float) -> tuple[int, int, list[Plan]]:
    """How many splits, how many rows to train on, and the plans with as many epochs as there is time for.

    Rows come first, since what is best for few of them may not be best for many; then epochs, then splits. Where there
    is time for several splits, not all epochs are needed.
    """
    epochs = plans[0].training.max_epochs
    all_rows = len(table.rows) - int(min(HELD_OUT * len(table.rows), MOST_HELD_OUT))
    rows = seconds / sum(costs.of_row(plan) for plan in plans)  # with all epochs
    shortened = int(np.clip(epochs * rows / all_rows, min(_TRIAL_EPOCHS, epochs), epochs))
    rows *= epochs / shortened
    possible = rows / all_rows
    if any(plan.encoding.needs_importances for plan in plans):  # in each split anew
        possible /= 1 + costs.of_selection() * possible / seconds
    splits = int(np.clip(possible, 1, MOST_SPLITS))
    n_rows = int(np.clip(rows, min(300, all_rows), all_rows))
    if splits > 1 and n_rows >= _FEW_ROWS:
        shortened = min(shortened, enough_epochs(epochs))
    return splits, n_rows, [plan.with_training(max_epochs=shortened) for plan in plans]


def enough_epochs(epochs: int) -> int:
    """How many of the epochs of the final networks tell which plans are better, given several splits."""
    return min(epochs, max(_ENOUGH_EPOCHS, epochs // 2))


def with_epochs(plan: Plan, space: SearchSpace, costs: Costs, seconds: float) -> Plan:
    """As many epochs as there is time for with two members of a middle size."""
    if not space.epochs:
        return plan
    middle = space.with_size(plan, sizes_to_compare(costs.rows)[1]) if space.size else plan
    encoding = plan.encoding
    if encoding.knots is None and space.knots and encoding.n_components is None:
        middle = middle.with_encoding(knots=KnotPlan("mixed", 0))
    members = replace(middle, n_estimators=MEMBERS)
    one, two = (costs.of_fit(members.with_training(max_epochs=epochs)) for epochs in (1, 2))
    return plan.with_training(max_epochs=int(np.clip(1 + (seconds - one) / (two - one), _MIN_EPOCHS, _MAX_EPOCHS)))


def with_epochs_on_components(plan: Plan, best: Plan, space: SearchSpace, costs: Costs, seconds: float) -> Plan:
    """Where the best plan so far uses few components, there is time for more epochs than on all columns."""
    if best.encoding.n_components is None:
        return plan
    return with_epochs(plan.with_encoding(n_components=best.encoding.n_components), space, costs, seconds)
