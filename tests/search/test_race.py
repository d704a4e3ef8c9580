"""Which kinds of discriminants win."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_gaussian_quantiles

from ldnn import LDNNClassifier
from ldnn._model.calibration import fit_inverse_temperature
from ldnn._search import race
from ldnn._search.race import (
    _best_of_each_kind,
    _further_members,
    _in_the_running,
    _rate_of_linear_members,
    _rivals,
)
from ldnn._search.trials import Candidate, Trial, error_and_loss
from ldnn._table.training_table import TrainingTable
from ldnn._training.trainer import DivergenceError

PIECEWISE = {"piecewise", "piecewise-tree"}


def test_knots_are_chosen_where_they_help(random):
    X = random.uniform(0, 10, (3000, 4))
    stripes = (np.floor(X[:, 0]) % 2 == 1) ^ (X[:, 1] > 5)
    assert LDNNClassifier(random_state=0).fit(X, stripes).plan_["discriminant"] in PIECEWISE


def test_knots_are_not_chosen_where_they_hurt():
    """Rotated clusters: nothing happens along a single column."""
    X, y = make_classification(2000, 10, n_informative=10, n_redundant=0, n_clusters_per_class=4, random_state=0)
    model = LDNNClassifier(random_state=0).fit(X, y)
    first = [trial for trial in model.search_history_ if trial["round"] == 1]
    errors = {
        kind: min(
            np.mean([
                trial["validation_error"]
                for trial in first
                if (trial["discriminant"], trial["relative_learning_rate"]) == (kind, rate)
            ])
            for rate in {trial["relative_learning_rate"] for trial in first if trial["discriminant"] == kind}
        )
        for kind in ("linear", *PIECEWISE)
    }  # fmt: skip
    assert min(errors, key=errors.get) == "linear"
    assert model.plan_["discriminant"] not in PIECEWISE


class TestConics:
    def test_shells_around_a_point_are_bounded_by_conics(self):
        X, y = make_gaussian_quantiles(n_samples=1500, n_features=5, n_classes=3, random_state=0)
        errors = {}
        for discriminant in ("auto", "linear"):
            model = LDNNClassifier(discriminant=discriminant, random_state=0).fit(X[:1000], y[:1000])
            errors[discriminant] = 1 - model.score(X[1000:], y[1000:])
            assert model.plan_["discriminant"] == ("conic" if discriminant == "auto" else "linear")
        assert errors["auto"] < 0.5 * errors["linear"]

    def test_not_where_planes_do_as_well(self, random):
        X = random.standard_normal((800, 5))
        y = X @ np.arange(5) + random.standard_normal(800) > 0
        model = LDNNClassifier(random_state=0).fit(X, y)
        assert any(trial["discriminant"] == "conic" for trial in model.search_history_)
        assert model.plan_["discriminant"] == "linear"

    @pytest.mark.parametrize("discriminant", ["linear", "piecewise", "piecewise-quantile", "piecewise-tree"])
    def test_not_where_the_user_has_decided(self, random, discriminant):
        X = random.standard_normal((300, 3))
        model = LDNNClassifier(random_state=0, discriminant=discriminant).fit(X, (X**2).sum(axis=1) > 2)
        assert {trial["discriminant"] for trial in model.search_history_} == {discriminant}

    def test_not_where_there_would_be_too_many_products(self, random):
        X = random.standard_normal((300, 18))
        model = LDNNClassifier(random_state=0).fit(X, (X[:, :3] ** 2).sum(axis=1) > 2)
        assert {trial["discriminant"] for trial in model.search_history_} == {"linear", *PIECEWISE}


@pytest.mark.parametrize("is_sample", [True, False])
def test_all_columns_are_compared_again_after_a_sample(random, is_sample):
    """Selected columns look better on few rows than on all, so the second round compares them with all columns."""
    X, y = random.standard_normal((20, 4)), np.arange(20, dtype=np.int32) % 2
    table = TrainingTable(X, np.arange(20), y, np.ones(20), np.zeros(4, bool), 2)
    linear = LDNNClassifier(2, 2, discriminant="linear")._plan(table)
    piecewise = LDNNClassifier(2, 2, discriminant="piecewise")._plan(table)
    selected, knots, everything, worse = [
        Candidate(linear.with_encoding(n_selected=2), [0.1]),
        Candidate(piecewise.with_encoding(n_selected=2), [0.2]),
        Candidate(linear, [0.3]),
        Candidate(piecewise, [0.4]),
    ]
    found = _best_of_each_kind([selected, knots, everything, worse], is_sample)
    assert found == ([selected, knots, everything] if is_sample else [selected, knots])
    assert _best_of_each_kind([selected, worse, everything], is_sample) == [selected, worse]


class TestLinearMembers:
    """Linear members join piecewise-linear ones if both together do better on held-out rows than either."""

    def rate(self, random, linear_noise, is_own_noise=True, n_selected=None, label_smoothing=0.2):
        X, y = random.standard_normal((20_000, 3)), np.arange(20_000) % 2
        table = TrainingTable(X, np.arange(20_000), y.astype(np.int32), np.ones(20_000), np.zeros(3, bool), 2)
        linear = LDNNClassifier(2, 2, discriminant="linear")._plan(table).with_encoding(n_selected=n_selected)
        linear = linear.with_training(label_smoothing=label_smoothing)
        piecewise = LDNNClassifier(2, 2, discriminant="piecewise")._plan(table)
        signal = 2.0 * y - 1
        noisy = signal + random.standard_normal(20_000)
        outputs = [noisy, (signal if is_own_noise else noisy) + linear_noise * random.standard_normal(20_000)]
        candidates = []
        for plan, rate, output in ((piecewise, 5.0, outputs[0]), (linear, 20.0, outputs[1])):
            score = sum(
                error_and_loss(output[None], fit_inverse_temperature(output[None], y, np.ones(20_000), 0), table)
            )
            candidates.append(Candidate(replace(plan, relative_rate=rate), [score], outputs=[output[None]]))
        return _rate_of_linear_members(candidates, [table])

    def test_they_join_where_they_make_other_mistakes(self, random):
        assert self.rate(random, 1.0) == 20.0

    def test_not_where_they_are_much_worse(self, random):
        assert self.rate(random, 4.0) is None

    def test_not_where_they_make_the_same_mistakes(self, random):
        assert self.rate(random, 0.3, is_own_noise=False) is None

    def test_not_where_they_have_other_targets(self, random):
        assert self.rate(random, 1.0, label_smoothing=0.0) is None

    def test_not_where_they_see_other_columns(self, random):
        assert self.rate(random, 1.0, n_selected=2) is None


@pytest.fixture
def plan(random):
    X = random.standard_normal((20, 3))
    table = TrainingTable(X, np.arange(20), np.arange(20, dtype=np.int32) % 2, np.ones(20), np.zeros(3, bool), 2)
    return LDNNClassifier(2, 2, discriminant="piecewise")._plan(table)


def test_plans_that_are_far_behind_are_given_up(plan):
    linear = plan.with_encoding(knots=None)
    candidates = [Candidate(each, [score]) for each, score in ((plan, 0.3), (plan, 0.32), (plan, 0.34), (linear, 0.38))]
    assert _in_the_running(candidates) == [*candidates[:2], candidates[3]]  # the best of its kind is not far behind
    candidates[3].scores = [0.4]
    assert _in_the_running(candidates) == candidates[:2]


def test_the_better_half_goes_on_and_the_best_of_each_kind(plan):
    scores = [0.30, 0.31, 0.302, 0.304, 0.306, 0.308, 0.312, 0.314]
    candidates = [Candidate(plan, [score]) for score in scores] + [Candidate(plan.with_encoding(knots=None), [0.35])]
    assert _in_the_running(candidates) == candidates
    assert _in_the_running(candidates, may_halve=True) == [candidates[k] for k in (0, 2, 3, 4, 8)]
    assert _in_the_running(candidates[:4], may_halve=True) == [candidates[k] for k in (0, 2, 3)]  # not fewer than three


def test_about_equally_good_plans_of_another_kind_or_with_other_targets_are_compared_again(plan):
    linear, likely = plan.with_encoding(knots=None), plan.with_training(label_smoothing=0.0)
    ranked = [Candidate(each, [score]) for each, score in ((plan, 0.3), (plan, 0.301), (likely, 0.31), (linear, 0.312))]
    assert _rivals(ranked) == [linear, likely]
    ranked[2].scores = ranked[3].scores = [0.33]
    assert _rivals(ranked) == []


@pytest.mark.parametrize("is_noisy", [False, True])
def test_networks_are_trained_for_the_likelihood_where_classes_overlap(random, is_noisy):
    X = random.standard_normal((2000, 6))
    y = X.sum(axis=1) > (random.logistic(scale=1.4, size=2000) if is_noisy else 0)
    model = LDNNClassifier(discriminant="linear", random_state=0).fit(X, y)
    assert {trial["label_smoothing"] for trial in model.search_history_} == ({0.0, 0.2} if is_noisy else {0.2})
    assert {trial["label_smoothing"] for trial in model.search_history_ if trial["round"] == 1} == {0.2}
    trained = model._state.plan.training
    assert (trained.targets, trained.revisit_every) == (((0, 1), 1) if is_noisy else ((0.1, 0.9), 8))
    assert trained.loss == "log" or not is_noisy
    chosen = {name: model.plan_[name] for name in ("label_smoothing", "revisit_every")}
    assert chosen == {"label_smoothing": trained.label_smoothing, "revisit_every": trained.revisit_every}


@pytest.mark.parametrize(("rows", "share"), [(1500, 1), (2500, 0.7)])
def test_where_classes_overlap_large_tables_take_less_time(random, monkeypatch, rows, share):
    def affordable(plans, table, costs, seconds):
        spent.append(seconds)
        return original(plans, table, costs, seconds)

    original, spent = race.affordable, []
    monkeypatch.setattr(race, "affordable", affordable)
    X = random.standard_normal((rows, 3))
    LDNNClassifier(2, 2, discriminant="linear", random_state=0).fit(X, X[:, 0] > random.logistic(size=rows))
    assert spent == pytest.approx([spent[0], share * spent[0], share * spent[0]])


class TestCalibration:
    def test_members_start_in_other_ways(self, plan):
        assert [each.start.method for each in _further_members(plan)] == ["random", "rules"]
        assert _further_members(plan.with_start(method="kmeans")) == []

    def test_linear_members_join(self, plan):
        further = _further_members(replace(plan, relative_rate=5.0, linear_rate=2.0))
        assert [each.encoding.discriminant for each in further] == ["piecewise"] * 2 + ["linear"] * 2
        assert [each.relative_rate for each in further] == [5.0, 5.0, 2.0, 2.0]
        assert [each.start.method for each in further] == ["random", "rules", "auto", "random"]

    def test_members_that_diverge_are_left_out(self, moons, monkeypatch):
        def carry_out(trial, plan):
            if plan.start.method != "auto":
                raise DivergenceError
            return original(trial, plan)

        original = Trial.carry_out
        monkeypatch.setattr(Trial, "carry_out", carry_out)
        assert LDNNClassifier(random_state=0, effort=0.1).fit(*moons).score(*moons) > 0.9

    def test_equal_rows_of_different_classes(self, random):
        """Each of eight different rows occurs some hundred times, with both classes: probabilities must say so."""
        X = random.integers(2, size=(1200, 3)).astype(float)
        likely = np.where(X.sum(axis=1) > 1.5, 0.75, 0.3)
        y = random.random(1200) < likely
        proba = LDNNClassifier(random_state=0).fit(X, y).predict_proba(X)[:, 1]
        assert np.abs(proba - likely).max() < 0.1
