"""Which kinds of discriminants win."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_gaussian_quantiles

from ldnn import LDNNClassifier
from ldnn._model.calibration import fit_inverse_temperature
from ldnn._search.race import _rate_of_linear_members
from ldnn._search.trials import Candidate, error_and_loss
from ldnn._table.training_table import TrainingTable

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
            for rate in (5.0, 20.0)
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


class TestLinearMembers:
    """Linear members join piecewise-linear ones if both together do better on held-out rows than either."""

    def rate(self, random, linear_noise, is_own_noise=True, n_selected=None):
        X, y = random.standard_normal((20_000, 3)), np.arange(20_000) % 2
        table = TrainingTable(X, np.arange(20_000), y.astype(np.int32), np.ones(20_000), np.zeros(3, bool), 2)
        linear = LDNNClassifier(2, 2, discriminant="linear")._plan(table).with_encoding(n_selected=n_selected)
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

    def test_not_where_they_see_other_columns(self, random):
        assert self.rate(random, 1.0, n_selected=2) is None
