"""What is compared in wide tables: selected columns, principal components and scales; and for how many epochs."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

from ldnn import LDNNClassifier
from ldnn._search.candidates import (
    _selected_counts,
    affordable,
    at_better_rates,
    by_importance,
    by_likelihood,
    first_plans,
    leaders_and_others,
    other_loss,
    other_rates,
)
from ldnn._search.costs import Costs
from ldnn._search.space import ENOUGH_ROWS
from ldnn._table.training_table import TrainingTable


def correlated(random, n, features, directions, noise):
    """Rows that differ most in few directions."""
    few = random.standard_normal((n, directions)) * np.arange(directions, 0, -1)
    mixed = few @ random.standard_normal((directions, features))
    return (mixed + noise * random.standard_normal((n, features))).astype(np.float32), few


def wide_table(random, n, features=220):
    X, few = correlated(random, n, features, directions=6, noise=1.0)
    return X, (few[:, 0] * few[:, 1] > 0).astype(int)


def compared(model, name):
    return {trial[name] for trial in model.search_history_}


class TestSelection:
    def test_a_wide_table_of_noise(self, monkeypatch):
        """Few of 300 columns tell anything; with all of them there are many more errors."""
        X, y = make_classification(
            600, 300, n_informative=6, n_redundant=4, class_sep=1.5, shuffle=False, random_state=2
        )
        X, X_test, y, y_test = train_test_split(X, y, random_state=0)
        model = LDNNClassifier(effort=0.3, random_state=0).fit(X, y)
        assert model.plan_["n_selected_columns"] is not None
        few, more = sorted(compared(model, "n_selected_columns") - {None})
        assert 4 <= few <= 40 < more <= 150
        search_space = LDNNClassifier._search_space
        monkeypatch.setattr(LDNNClassifier, "_search_space", lambda self: replace(search_space(self), selection=False))
        everything = LDNNClassifier(effort=0.3, random_state=0).fit(X, y)
        assert everything.plan_["n_selected_columns"] is None
        assert compared(everything, "n_selected_columns") == {None}
        assert model.score(X_test, y_test) > everything.score(X_test, y_test) + 0.05

    def test_tables_that_are_not_wide_are_seen_whole(self, random):
        X = random.standard_normal((600, 45))
        model = LDNNClassifier(random_state=0, effort=0.1).fit(X, X[:, 0] > 0)
        assert compared(model, "n_selected_columns") == {None}

    def test_what_stands_out_is_selected(self, random):
        """One column does; where there are many rows for each column, none is left out."""
        X = random.standard_normal((1600, 50))
        table = TrainingTable(X, np.arange(1600), (X[:, 9] > 0).astype(np.int32), np.ones(1600), np.zeros(50, bool), 2)
        assert _selected_counts(table.subset(np.arange(1500)))[0] == 1
        assert _selected_counts(table) == []

    def test_a_wide_table_of_categories(self, random):
        """Plans for different categories start from different clusters."""
        y = random.integers(2, size=120)
        frame = pd.DataFrame({f"c{k}": pd.Categorical(random.choice(list("abc"), 120)) for k in range(60)})
        frame["c7"] = pd.Categorical(np.where(y, "yes", "no"))
        model = LDNNClassifier(effort=0.3, random_state=0).fit(frame, y)
        assert model.plan_["n_selected_columns"] < 20
        assert model.score(frame, y) == 1

    def test_given_centroids_are_about_all_columns(self, random):
        """With automatic clusters, columns of the same table are selected from."""
        X = random.standard_normal((120, 60))
        settings = {"effort": 0.1, "random_state": 0}
        given = LDNNClassifier(2, 2, init=(X[:2], X[2:4]), **settings).fit(X, X[:, 0] > 0)
        assert compared(given, "n_selected_columns") == {None}
        assert None in compared(LDNNClassifier(2, 2, **settings).fit(X, X[:, 0] > 0), "n_selected_columns") > {None}


class TestImportance:
    def test_columns_of_noise_count_less(self, random, monkeypatch):
        """A circle in two of twelve columns."""
        X = random.standard_normal((3000, 12))
        y = X[:, 3] ** 2 + X[:, 8] ** 2 > 1.4
        fitted, X_test, fitted_y, y_test = train_test_split(X, y, random_state=0, train_size=1500)
        model = LDNNClassifier(random_state=0).fit(fitted, fitted_y)
        assert model.plan_["importance_power"] == 0.5
        assert {trial["importance_power"] for trial in model.search_history_ if trial["round"] == 2} == {0.0, 0.5}
        search_space = LDNNClassifier._search_space
        monkeypatch.setattr(LDNNClassifier, "_search_space", lambda self: replace(search_space(self), importance=False))
        alike = LDNNClassifier(random_state=0).fit(fitted, fitted_y)
        assert compared(alike, "importance_power") == {0.0}
        assert model.score(X_test, y_test) > alike.score(X_test, y_test) + 0.01

    @pytest.mark.parametrize("given", [{"normalize": "standard"}, {"normalize": None}, {"init": "given"}])
    def test_not_where_the_user_has_decided(self, random, given):
        X = random.standard_normal((ENOUGH_ROWS, 3))
        given = {"init": (X[:2], X[2:4])} if "init" in given else given
        table = TrainingTable(
            X, np.arange(len(X)), (X[:, 0] > 0).astype(np.int32), np.ones(len(X)), np.zeros(3, bool), 2
        )
        assert LDNNClassifier()._search_space().for_table(table).importance
        assert not LDNNClassifier(**given)._search_space().for_table(table).importance

    def test_plans_that_cannot_be_scaled(self, random):
        X = random.standard_normal((ENOUGH_ROWS, 3))
        table = TrainingTable(
            X, np.arange(len(X)), (X[:, 0] > 0).astype(np.int32), np.ones(len(X)), np.zeros(3, bool), 2
        )
        model = LDNNClassifier()
        plan, space = model._plan(table), model._search_space().for_table(table)
        others = [
            plan.with_encoding(is_conic=True),
            plan.with_encoding(n_selected=2),
            plan.with_encoding(n_components=2),
        ]
        assert by_importance([plan, *others], space) == [plan.with_encoding(importance_power=0.5)]
        assert by_importance([plan], space.for_table(table.subset(np.arange(ENOUGH_ROWS - 1)))) == []


class TestComponents:
    @pytest.mark.parametrize("n", [150, 400])  # fewer rows than columns, and more
    def test_components_of_wide_tables_are_compared(self, random, n):
        X, y = wide_table(random, n)
        model = LDNNClassifier(random_state=0, effort=0.2).fit(X, y)
        first = [trial for trial in model.search_history_ if trial["round"] == 1]
        projected = {(t["normalize"], t["n_components"]) for t in first if t["n_components"] is not None}
        assert {normalize for normalize, _ in projected} == {"standard", "common"}
        assert len(projected) == 6
        # No plan has linear discriminants on all columns.
        on_columns = [t for t in first if t["n_components"] is t["n_selected_columns"] is None]
        assert "linear" not in {trial["discriminant"] for trial in on_columns}
        plan = model.plan_
        assert plan["n_components"] is not None or plan["discriminant"] != "linear" or plan["n_selected_columns"]

    def test_what_is_given_is_not_compared(self, random):
        X, y = wide_table(random, 150)
        for normalize in ("standard", "common", "whiten"):
            model = LDNNClassifier(random_state=0, effort=0.1, normalize=normalize).fit(X, y)
            assert compared(model, "n_components") == {None}
            assert compared(model, "normalize") == {normalize}

    def test_narrow_tables_are_seen_in_columns(self, random):
        X, y = wide_table(random, 150)
        for model in (LDNNClassifier(effort=0.1), LDNNClassifier(2, 2, max_epochs=2)):
            model.set_params(random_state=0).fit(X[:, :50], y)
            assert compared(model, "n_components") == {None}
            assert (model.plan_["n_components"], model.plan_["normalize"]) == (None, "standard")

    def test_what_is_compared_does_not_depend_on_the_epochs(self, random):
        X, y = wide_table(random, 150)
        model = LDNNClassifier(2, 2, max_epochs=2, effort=0.1, random_state=0).fit(X, y)
        assert len(compared(model, "n_components") - {None}) > 1
        assert compared(model, "normalize") == {"standard", "common"}


@pytest.mark.parametrize(("epochs", "enough", "fewest"), [(4, 4, 4), (20, 10, 6), (60, 30, 20)])
def test_plans_are_compared_after_ten_epochs_or_half_of_them(random, epochs, enough, fewest):
    """On several splits, however much time there is. On one split, for all epochs, if there is time for these."""
    X = random.standard_normal((1200, 5))
    table = TrainingTable(X, np.arange(1200), (X[:, 0] > 0).astype(np.int32), np.ones(1200), np.zeros(5, bool), 2)
    costs, plan = Costs.of(table), LDNNClassifier(3, 3, max_epochs=epochs)._plan(table)
    splits, rows, (trial,) = affordable([plan], table, costs, seconds=100.0)
    assert (splits, rows, trial.training.max_epochs) == (6, 900, enough)
    splits, rows, (whole,) = affordable([plan], table, costs, seconds=900.5 * costs.of_row(plan))
    assert (splits, whole.training.max_epochs) == (1, epochs)
    splits, rows, (short,) = affordable([plan], table, costs, seconds=900.5 * costs.of_row(plan) / 3)
    assert (splits, short.training.max_epochs) == (1, fewest)


class TestTwoValues:
    """Where every column has two values, most kinds of discriminants are the same networks."""

    def trials(self, X, y):
        history = LDNNClassifier(3, 3, random_state=0).fit(X, y).search_history_
        others = ("discriminant", "n_knots")
        return [tuple((name, value) for name, value in trial.items() if name not in others) for trial in history], {
            trial["discriminant"] for trial in history
        }

    def test_no_two_trials_are_equal(self, random):
        X = random.integers(2, size=(600, 8))
        trials, discriminants = self.trials(X, X.sum(axis=1) + random.standard_normal(600) > 4)
        assert len(set(trials)) == len(trials)
        assert not discriminants & {"piecewise", "piecewise-tree"}

    def test_rare_values_are_encoded_otherwise_with_knots(self, random):
        X = np.column_stack([random.integers(2, size=(600, 7)), random.random(600) < 0.05])
        trials, discriminants = self.trials(X, X.sum(axis=1) + random.standard_normal(600) > 4)
        assert len(set(trials)) == len(trials)
        assert "piecewise" in discriminants and "piecewise-tree" not in discriminants


class TestRates:
    """Knots of trees and conics are tried with the learning rate that is better for the others."""

    @pytest.fixture
    def plans(self, random):
        X = random.standard_normal((1200, 5))
        table = TrainingTable(X, np.arange(1200), (X[:, 0] > 0).astype(np.int32), np.ones(1200), np.zeros(5, bool), 2)
        model = LDNNClassifier()
        return first_plans(model._plan(table), model._search_space().for_table(table), table, 1200)

    def test_leaders_are_of_two_kinds(self, plans):
        leaders, others = leaders_and_others(plans)
        assert {(each.encoding.discriminant, each.relative_rate) for each in leaders} == {
            (kind, rate) for kind in ("linear", "piecewise") for rate in (5, 20)
        }
        assert {each.encoding.discriminant for each in others} == {"piecewise-tree", "conic"}
        assert leaders_and_others(leaders) == (leaders, [])
        assert leaders_and_others(others) == (others, [])  # wanted by the user

    def test_the_others_have_the_rate_of_the_better_leader(self, plans):
        leaders, others = leaders_and_others(plans)
        order = {("linear", 20): 0, ("piecewise", 5): 1, ("linear", 5): 2, ("piecewise", 20): 3}
        leaders = sorted(leaders, key=lambda each: order[each.encoding.discriminant, each.relative_rate])
        chosen = {each.encoding.discriminant: each.relative_rate for each in at_better_rates(others, leaders)}
        assert chosen == {"piecewise-tree": 5, "conic": 20}
        few = [each.with_encoding(n_selected=2) for each in (*leaders[2:], *others)]
        chosen = {
            each.encoding.discriminant: each.relative_rate for each in at_better_rates(few[2:], leaders + few[:2])
        }
        assert chosen == {"piecewise-tree": 20, "conic": 5}  # as for the same columns
        chosen = [each.relative_rate for each in at_better_rates(others, leaders[:1])]
        assert chosen == [20, 20]  # of the only kind that leads

    @pytest.mark.parametrize(("is_noisy", "ratios"), [(False, [0.4, 2.5]), (True, [0.4])])
    def test_larger_rates_are_not_tried_where_classes_overlap(self, plans, is_noisy, ratios):
        space = LDNNClassifier()._search_space()
        found = [each.relative_rate / plans[0].relative_rate for each in other_rates(plans[0], space, is_noisy)]
        assert found == pytest.approx(ratios)
        assert other_rates(plans[0], replace(space, rate=False), is_noisy) == []


class TestLikelihood:
    """Plans with the cross-entropy and targets 0 and 1."""

    @pytest.fixture
    def table(self, random):
        X = random.standard_normal((1200, 5))
        return TrainingTable(X, np.arange(1200), (X[:, 0] > 0).astype(np.int32), np.ones(1200), np.zeros(5, bool), 2)

    def plans(self, table, seconds=100.0, **parameters):
        model = LDNNClassifier(3, 3, **parameters)
        space, costs = model._search_space().for_table(table), Costs.of(table)
        return by_likelihood([model._plan(table)], space, costs, 20, seconds)

    def test_they_visit_every_row_and_have_targets_0_and_1(self, table):
        plans = self.plans(table)
        assert len({plan.relative_rate for plan in plans}) == len(plans) > 1
        training = {(each.training.loss, each.training.targets, each.training.revisit_every) for each in plans}
        assert training == {("log", (0, 1), 1)}

    @pytest.mark.parametrize(
        "given", [{"loss": "squared"}, {"label_smoothing": 0.2}, {"learning_rate": 0.1}, {"revisit_every": 8}], ids=str
    )
    def test_not_where_the_user_has_decided(self, table, given):
        assert self.plans(table, loss="log") and not self.plans(table, **given)

    def test_not_where_there_is_no_time_for_two_members(self, table):
        (plan, *_), costs = self.plans(table), Costs.of(table)
        two = costs.of_fit(replace(plan, n_estimators=2).with_training(max_epochs=20))
        assert self.plans(table, 1.01 * two) and not self.plans(table, 0.99 * two)

    def test_then_finer_learning_rates_are_compared_instead_of_the_loss(self, table):
        space = LDNNClassifier(3, 3)._search_space().for_table(table)
        plan = self.plans(table)[0]
        assert [each.relative_rate / plan.relative_rate for each in other_loss(plan, space)] == [0.5, 2.0]
        (other,) = other_loss(LDNNClassifier(3, 3)._plan(table), space)
        assert (other.training.loss, other.training.label_smoothing) == ("log", 0.2)
