from dataclasses import replace

import numpy as np
import pytest

from ldnn import LDNNClassifier
from ldnn._plan import KnotPlan
from ldnn._search.costs import Costs, share_well_fitted
from ldnn._search.trials import Trial
from ldnn._table.training_table import TrainingTable


def table_of(X, y):
    return TrainingTable(
        X, np.arange(len(X)), y.astype(np.int32), np.ones(len(X)), np.zeros(X.shape[1], bool), int(y.max()) + 1
    )


def test_well_fitted_rows_are_counted_and_make_plans_cheaper(random):
    """Visits of a trial tell how many rows its networks fitted well; the same share gives the same visits back."""
    easy = random.standard_normal((600, 2)) + 4 * np.repeat([[0, 0], [1, 1]], 300, axis=0)
    noise = random.standard_normal((600, 2))
    shares, costs = [], []
    for X in (easy, noise):
        table = table_of(X, np.repeat([0, 1], 300))
        model = LDNNClassifier(
            5, 5, discriminant="linear", n_estimators=1, loss="squared", learning_rate=0.3, random_state=0
        )
        plan = model._plan(table)
        _, visits = Trial(table, table, 0).carry_out(plan)
        shares.append(share_well_fitted(visits, plan.training))
        later = 1 - shares[-1] * (1 - 1 / plan.training.revisit_every)
        assert 1 + later * (plan.training.max_epochs - 1) == pytest.approx(visits)
        costs.append(replace(Costs.of(table), well_fitted=shares[-1]).of_row(plan))
    assert shares[0] > 0.8 > 0.5 > shares[1]
    assert costs[0] < costs[1]


def test_where_every_row_is_visited_none_is_counted():
    plan = LDNNClassifier(revisit_every=1, max_epochs=10)._training_plan()
    assert share_well_fitted(10.0, plan) == 0


def test_the_budget_grows_with_the_effort_and_the_table(random):
    small, large = (Costs.of(table_of(random.standard_normal((n, 3)), np.arange(n) % 2)) for n in (100, 100_000))
    assert small.budget(2) == 2 * small.budget(1)
    assert small.search_budget(2) == 2 * small.search_budget(1) < small.budget(2)
    assert large.budget(1) > 3 * small.budget(1)


def test_more_work_costs_more(random):
    X = random.standard_normal((500, 10))
    table = table_of(X, np.arange(500) % 3)
    costs, plan = Costs.of(table), LDNNClassifier(3, 3, max_epochs=10)._plan(table)
    assert (costs.rows, costs.numbers, costs.varied, costs.categories, costs.networks) == (500, 10, 10, 0, 3)
    assert costs.of_fit(plan) == 500 * costs.of_row(plan)
    assert costs.of_row(replace(plan, n_estimators=3)) == pytest.approx(3 * costs.of_row(plan))
    for other in (
        plan.with_start(N=6),
        plan.with_training(max_epochs=20),
        plan.with_training(revisit_every=1),
        plan.with_encoding(knots=KnotPlan("mixed", 8)),
        plan.with_encoding(is_conic=True),
    ):
        assert costs.of_row(other) > costs.of_row(plan)
    for other in (plan.with_encoding(n_components=2), plan.with_encoding(n_selected=5)):
        assert costs.of_row(other) < costs.of_row(plan)
