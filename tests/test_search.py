"""What is chosen when nothing is set, and how it can be looked at."""

import warnings
from dataclasses import fields, replace

import numpy as np
import pytest
from networks import plain
from sklearn.datasets import load_digits, load_wine, make_classification, make_gaussian_quantiles
from sklearn.model_selection import train_test_split

from ldnn import LDNNClassifier
from ldnn.plan import Labelled, Trial
from ldnn.search import Costs, Open, _known_share, choose


def test_defaults_on_tables_of_several_kinds():
    """Error rates far below what a wrong choice would give."""
    for load, most in ((load_wine, 0.06), (load_digits, 0.04)):
        X, X_test, y, y_test = train_test_split(*load(return_X_y=True), random_state=0, stratify=load().target)
        assert 1 - LDNNClassifier(random_state=0).fit(X, y).score(X_test, y_test) < most


def test_the_choice_can_be_looked_at(moons):
    model = LDNNClassifier(random_state=0).fit(*moons)
    assert {entry["round"] for entry in model.search_history_} == {1, 2, 3}
    assert {entry["bends"] for entry in model.search_history_ if entry["round"] == 1} == {None, "mixed", "tree"}
    assert all(0 <= entry["validation_error"] <= 1 for entry in model.search_history_)
    last = [entry for entry in model.search_history_ if entry["round"] == 3]
    assert (model.plan_["n_conjunctions"], model.plan_["bends"]) in {(e["n_conjunctions"], e["bends"]) for e in last}
    assert model.n_epochs_ == model.plan_["max_epochs"]
    assert len(model.weights_) == model.plan_["n_networks"] >= 2


def test_what_is_given_is_not_searched(moons):
    X, y = moons
    assert plain(3, 3).fit(X, y).search_history_ == []
    model = LDNNClassifier(2, 4, step_size=0.1, max_epochs=7, n_networks=3, loss="log", random_state=0).fit(X, y)
    assert model.plan_["step_size"] == 0.1
    assert (model.plan_["n_conjunctions"], model.plan_["n_discriminants"]) == (2, 4)
    assert (model.plan_["max_epochs"], model.plan_["n_networks"], model.plan_["loss"]) == (7, 3, "log")
    assert {entry["n_conjunctions"] for entry in model.search_history_} == {2}
    assert len({entry["bends"] for entry in model.search_history_}) > 1  # this alone was open
    with pytest.raises(ValueError, match="go together"):
        LDNNClassifier(n_conjunctions=3).fit(X, y)


def labelled(X, y):
    return Labelled(
        X, np.arange(len(X)), y.astype(np.int32), np.ones(len(X)), np.zeros(X.shape[1], bool), int(y.max()) + 1
    )


def test_bends_are_chosen_where_they_help_and_not_where_they_hurt(random):
    X = random.uniform(0, 10, (3000, 4))
    stripes = (np.floor(X[:, 0]) % 2 == 1) ^ (X[:, 1] > 5)
    assert LDNNClassifier(random_state=0).fit(X, stripes).plan_["bends"] is not None
    X, y = make_classification(2000, 10, n_informative=10, n_redundant=0, n_clusters_per_class=4, random_state=0)
    model = LDNNClassifier(random_state=0).fit(X, y)  # rotated clusters: nothing happens along a single column
    first = [entry for entry in model.search_history_ if entry["round"] == 1]
    errors = {
        bends: min(np.mean([e["validation_error"] for e in first if (e["bends"], e["relative_step"]) == (bends, step)])
                   for step in (5.0, 20.0))
        for bends in (None, "mixed", "tree")
    }  # fmt: skip
    assert model.plan_["bends"] == min(errors, key=errors.get)


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

    @pytest.mark.parametrize("settled", [{"bends": None}, {"discriminant": "linear"}, {"bends": "tree"}])
    def test_not_where_the_user_has_settled_it(self, random, settled):
        X = random.standard_normal((300, 3))
        model = LDNNClassifier(random_state=0, **settled).fit(X, (X**2).sum(axis=1) > 2)
        assert all(trial["discriminant"] == "linear" for trial in model.search_history_)

    def test_not_where_there_would_be_too_many_products(self, random):
        X = random.standard_normal((300, 18))
        model = LDNNClassifier(random_state=0).fit(X, (X[:, :3] ** 2).sum(axis=1) > 2)
        assert all(trial["discriminant"] == "linear" for trial in model.search_history_)


def test_effort_buys_more_trials_and_networks(random):
    X = random.standard_normal((3000, 10))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    closed = Open(*[True] * len(fields(Open)))
    plan = LDNNClassifier(random_state=0, n_jobs=2)._plan()
    costs = Costs.of(labelled(X, y))
    spent = []
    for effort in (0.3, 3):
        choice = choose(plan, closed, labelled(X, y), None, effort, np.random.default_rng(0), lambda line: None)
        visits = sum(entry["rows"] * entry["max_epochs"] for entry in choice.history)
        spent.append((visits, costs.of_row(choice.plan)))
    assert spent[1] > spent[0]
    assert spent[1][1] >= spent[0][1]
    assert costs.allowance(2) == 2 * costs.allowance(1)


@pytest.mark.parametrize("rows", [2, 3, 5, 9, 10, 15])
def test_very_few_rows(random, rows):
    X = random.standard_normal((rows, 3))
    y = np.arange(rows) % 2
    model = LDNNClassifier(random_state=0).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()


def test_a_class_of_one_row(random):
    X = random.standard_normal((60, 2))
    y = np.where(np.arange(60) == 0, "rare", np.where(X[:, 0] > 0, "a", "b"))
    assert set(LDNNClassifier(random_state=0).fit(X, y).predict(X)) <= {"rare", "a", "b"}


class TestVoting:
    def test_the_mean_of_the_outputs_decides(self, blobs):
        X, y = blobs
        model = plain(2, 2, n_networks=3, max_epochs=5).fit(X, y)
        assert model.weights_.shape[0] == 9
        z = np.einsum("rk,cijk->rcij", X, model.weights_) + model.biases_
        f = 1 - np.prod(1 - np.prod(1 / (1 + np.exp(-z)), axis=3), axis=2)
        mean = f.reshape(len(X), 3, 3).mean(axis=1)
        np.testing.assert_allclose(1 / (1 + np.exp(-model.decision_function(X))), mean, rtol=1e-3, atol=1e-6)

    def test_networks_differ(self, moons):
        weights = plain(3, 3, n_networks=2, max_epochs=2).fit(*moons).weights_
        assert not np.allclose(weights[0], weights[1])


class TestProbabilities:
    def test_they_are_calibrated_on_validation_rows(self, random):
        """Labels that are right in 80 % of the cases: no probability should be far from that."""
        X = random.standard_normal((6000, 3))
        clean = X[:, 0] + X[:, 1] > 0
        y = clean ^ (random.random(6000) < 0.2)
        model = LDNNClassifier(random_state=0).fit(X[:4000], y[:4000])
        confidence = model.predict_proba(X[4000:]).max(axis=1)
        right = np.mean(model.predict(X[4000:]) == y[4000:])
        assert confidence.mean() == pytest.approx(right, abs=0.04)

    def test_sharpness_does_not_change_the_decision(self, blobs):
        X, y = blobs
        model = plain(2, 2, max_epochs=5).fit(X, y)
        np.testing.assert_array_equal(model.classes_[model.predict_proba(X).argmax(axis=1)], model.predict(X))

    def test_softened_targets_are_undone_without_validation_rows(self, moons):
        X, y = moons
        model = plain(3, 3, validation_fraction=0, softening=0.1).fit(X, y)
        assert model.sharpness_ == pytest.approx(np.log(99) / np.log(9))
        assert plain(3, 3, validation_fraction=0, softening=0).fit(X, y).sharpness_ == 1


def test_progress_of_the_search(moons, capsys):
    LDNNClassifier(random_state=0, verbose=True).fit(*moons)
    said = capsys.readouterr().err
    assert "comparing, round 3 of 3" in said
    assert "epoch" in said


def test_a_plan_that_diverges_is_not_chosen(moons, monkeypatch):
    """And nothing is said about it: the user has not asked for it."""
    monkeypatch.setattr("ldnn.search._STEPS", (5.0, 1e9))
    X, y = moons
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LDNNClassifier(random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9


def test_columns_with_heavy_tails(random):
    X = random.standard_cauchy((500, 4)) ** 3
    y = X[:, 0] + X[:, 1] > 0
    model = LDNNClassifier(random_state=0).fit(X, y)
    assert model.score(X, y) > 0.8
    assert np.isfinite(model.predict_proba(X)).all()


def test_known_rows_are_counted_and_make_plans_cheaper(random):
    """Visits of a trial tell how many rows its networks knew; the same share gives the same visits back."""
    plan = LDNNClassifier(5, 5, bends=None, n_networks=1, loss="squared", step_size=0.3, random_state=0)._plan()
    easy = random.standard_normal((600, 2)) + 4 * np.repeat([[0, 0], [1, 1]], 300, axis=0)
    noise = random.standard_normal((600, 2))
    known = []
    for X in (easy, noise):
        data = labelled(X, np.repeat([0, 1], 300))
        _, visits = Trial(data, data, 0).carry_out(plan)
        known.append(_known_share(visits, plan.settings))
        later = 1 - known[-1] * (1 - 1 / plan.settings.review_every)
        assert 1 + later * (plan.settings.max_epochs - 1) == pytest.approx(visits)
    assert known[0] > 0.8 > 0.5 > known[1]
    costs = [replace(Costs.of(data), known=share).of_row(plan) for share in known]
    assert costs[0] < costs[1]
