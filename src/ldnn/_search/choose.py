"""Fill in what is open in a plan, given the rows that it will be trained on."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from .._plan import Choice, Plan
from .._table.training_table import TrainingTable
from .candidates import HELD_OUT, MEMBERS, enough_epochs, with_epochs, with_epochs_on_components
from .costs import MANY_CLASSES, Costs
from .race import MANY_ROWS, Race
from .space import SearchSpace, guess
from .trials import Candidate

_MAX_MEMBERS = 8
_COMPARED_CLASSES = 30  # of more than `MANY_CLASSES`
_RATE_DECAY = 1 / 3  # the best learning rate falls with this power of the number of steps
_FEWEST_ROWS = 10  # to compare plans on


def choose(
    plan: Plan,
    space: SearchSpace,
    table: TrainingTable,
    effort: float,
    generator: np.random.Generator,
    report: Callable[[str, float], None],
    rows: int | None = None,
) -> Choice:
    """The plan with everything decided, by trials on held-out rows where plans have to be compared.

    rows: how many the final networks will be trained on, if the table is a sample of these.
    """
    scale = 1.0 if rows is None else rows / len(table.rows)
    costs = _costs(table, scale)
    search_seconds = costs.search_budget(effort)
    final_seconds = costs.budget(effort) - search_seconds
    plan = with_epochs(plan, space, costs, final_seconds)
    rarest = int(np.bincount(table.y, minlength=table.n_classes).min())
    if not space.needs_comparison or rarest < 2 or len(table.rows) < _FEWEST_ROWS:
        plan = guess(plan, space, costs.rows)
        return Choice(_with_estimators(plan, space, costs, search_seconds + final_seconds))
    compared = _with_some_classes(table)
    compared_costs = _costs(compared, scale)
    share = compared_costs.of_row(plan) * compared_costs.rows / costs.of_fit(plan)  # 1 if all classes are compared on
    race = Race(
        space, compared, compared_costs, compared_costs.search_budget(effort), share * final_seconds, generator, report
    )
    winner = race.run(plan.with_training(verbose=False))
    costs = replace(costs, well_fitted=winner.well_fitted)
    plan = with_epochs_on_components(plan, winner.plan, space, costs, final_seconds)
    final = _final_plan(plan, winner, space, costs, final_seconds)
    if compared is not table:
        winner = race.measured_on(table, final)
    return Choice(final, winner.temperature_of(final.n_estimators), race.history, race.scores)


def _costs(table: TrainingTable, scale: float) -> Costs:
    """The costs of a table with `scale` times as many rows."""
    costs = Costs.of(table)
    return replace(costs, rows=round(scale * costs.rows))


def _with_some_classes(table: TrainingTable) -> TrainingTable:
    """The table to compare plans on: of very many classes, the rows of some, evenly spaced."""
    if table.n_classes <= MANY_CLASSES:
        return table
    return table.of_classes(np.linspace(0, table.n_classes - 1, _COMPARED_CLASSES).astype(np.intp))


def _final_plan(plan: Plan, winner: Candidate, space: SearchSpace, costs: Costs, seconds: float) -> Plan:
    """The winner's plan with the epochs of `plan` and as many ensemble members as there is time for."""
    own = winner.plan.training
    training = replace(
        plan.training, loss=own.loss, label_smoothing=own.label_smoothing, revisit_every=own.revisit_every
    )
    epochs = training.max_epochs
    for_likelihood = space.likelihood and own.label_smoothing == 0
    if space.epochs and for_likelihood and costs.rows >= MANY_ROWS:
        epochs = enough_epochs(epochs)
    rate, linear_rate = winner.plan.relative_rate, winner.plan.linear_rate
    if space.rate and rate is not None:  # a longer run than the trials' wants a smaller learning rate
        trained = (1 - HELD_OUT) * costs.rows * epochs
        decay = min(1.0, winner.n_visits / trained) ** _RATE_DECAY
        rate *= decay
        linear_rate = None if linear_rate is None else linear_rate * decay
    final = replace(
        winner.plan, n_estimators=plan.n_estimators, training=training, relative_rate=rate, linear_rate=linear_rate
    )
    final = _with_estimators(final, space, costs, seconds)  # of all epochs: fewer are no reason to have more members
    final = final.with_training(max_epochs=epochs)
    return final if linear_rate is None else replace(final, n_linear=final.n_estimators // 2)


def _with_estimators(plan: Plan, space: SearchSpace, costs: Costs, seconds: float) -> Plan:
    """As many ensemble members as there is time for."""
    if not space.estimators:
        return plan
    one = costs.of_fit(replace(plan, n_estimators=1))
    return replace(plan, n_estimators=int(np.clip(seconds / one, MEMBERS, _MAX_MEMBERS)))
