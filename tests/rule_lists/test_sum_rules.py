from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from ldnn import RuleClassifier
from ldnn._rule_lists import rule_choice
from ldnn._rule_lists.bins import Bins
from ldnn._rule_lists.frontier import RuleSpace
from ldnn._rule_lists.rule_model import predicted_classes
from ldnn._rule_lists.sum_rules import sum_rules
from ldnn._table.training_table import TrainingTable

WEIGHTS = np.array([1, 0.8, 0.7, 0.6, 0.5, 0])


def rows(n=300, seed=0):
    """Two classes on both sides of a half-space, and noise near its boundary."""
    generator = np.random.default_rng(seed)
    X = pd.DataFrame(generator.normal(size=(n, 6)), columns=list("abcdef"))
    return X, (X.to_numpy() @ WEIGHTS + 0.5 * generator.normal(size=n) > 0).astype(int)


def table(X, y, weights=None):
    X = np.asarray(X, dtype=float)
    weights = np.ones(len(X)) if weights is None else weights
    is_category = np.zeros(X.shape[1], dtype=bool)
    return TrainingTable(X, np.arange(len(X)), y.astype(np.int32), weights, is_category, 2)


def space(most=8, alone=8, directions=(0,) * 6):
    costs = np.ones(6, dtype=np.intp)
    return RuleSpace((1,), 0, most, most, np.array(directions), costs, 3, alone, np.ones(6, dtype=bool))


def sizes(model):
    return [len(own.columns) for rule in model._state.rules for own in rule.conditions]


def test_one_sum_of_each_size():
    found = sum_rules(table(*rows()), space(), 0)
    assert list(found) == [2, 3, 4, 5, 6]
    assert 0 in found[2].terms.columns and set(found[5].terms.columns) == {0, 1, 2, 3, 4}
    assert found[5].above == 1 and min(found[5].terms.weights) > 0
    X, y = rows(2000, seed=1)
    right = np.mean(found[5].predict(X.to_numpy()) == y)
    assert right > 0.88 and right > np.mean(found[2].predict(X.to_numpy()) == y) + 0.05


def test_the_limit_is_the_most_accurate_one():
    X, y = rows()
    rule = sum_rules(table(X, y), space(), 0)[3]
    values = rule.terms.values(X.to_numpy())
    best = max(np.mean((values > limit) == y) for limit in values)
    assert rule.accuracy == pytest.approx(best) == np.mean(rule.predict(X.to_numpy()) == y)


def test_conditions_and_columns_are_limited():
    assert list(sum_rules(table(*rows()), space(most=4), 0)) == [2, 3, 4]
    assert list(sum_rules(table(*rows()), space(alone=3), 0)) == [2, 3]
    assert not sum_rules(table(*rows()), space(alone=1), 0)
    three = replace(table(*rows()), n_classes=3)
    assert not sum_rules(three, space(), 0)


def test_sums_that_break_a_direction_are_left_out():
    assert set(sum_rules(table(*rows()), space(directions=[1] * 6), 0)) >= {2, 3, 4, 5}
    assert not sum_rules(table(*rows()), space(directions=[-1] * 6), 0)
    mixed = sum_rules(table(*rows()), space(directions=[1, 1, 1, 0, -1, 0]), 0)
    assert {2, 3} <= set(mixed) and not any(4 in own.terms.columns for own in mixed.values())


def test_a_row_counts_by_its_weight():
    X, y = rows()
    counts = np.random.default_rng(2).integers(1, 4, len(y))
    weighted = sum_rules(table(X, y, counts.astype(float)), space(), 0)
    copied = sum_rules(table(X.loc[X.index.repeat(counts)], y.repeat(counts)), space(), 0)
    plain = sum_rules(table(X, y), space(), 0)
    assert weighted[5].accuracy == pytest.approx(copied[5].accuracy) != pytest.approx(plain[5].accuracy)
    is_noise = np.arange(len(y)) % 2 == 0  # whose wrong labels have nearly no weight
    trusted = sum_rules(table(X, np.where(is_noise, 1 - y, y), np.where(is_noise, 1e-6, 1.0)), space(), 0)[5]
    assert np.mean(trusted.predict(X.to_numpy()) == y) > 0.85


def test_rows_without_a_value_get_their_most_frequent_class():
    X, y = rows()
    X.loc[:40, "a"] = np.nan
    for share in (0, 1):
        labels = np.where(X["a"].isna(), share, y)
        rule = sum_rules(table(X, labels), space(), 0)[2]
        assert 0 in rule.terms.columns and (rule.predict(X.to_numpy())[:41] == share).all()


@pytest.mark.parametrize("label", [0, 1])
def test_a_list_predicts_as_the_rule(label):
    X, y = rows()
    X.loc[:9, "a"] = np.nan
    rule = sum_rules(table(X, y), space(), 0)[4]
    bins = Bins.fit(X.to_numpy(), np.zeros(6, dtype=bool), [0] * 6, 16)
    bins, scored = rule.as_list(bins, label, 8)
    assert scored.length == 4 and scored.default == 1 - label
    np.testing.assert_array_equal(scored.predict(bins.codes(X.to_numpy())), rule.predict(X.to_numpy()))


class TestChosen:
    """By RuleClassifier, on held-out rows."""

    def test_a_single_sum_of_few_rows_with_an_oblique_boundary(self):
        X, y = rows()
        model = RuleClassifier(8, random_state=0, n_jobs=1).fit(X, y)
        assert sizes(model) == [5] and model.n_conditions_ == 5
        X_new, y_new = rows(2000, seed=1)
        short = RuleClassifier(8, columns_per_condition=3, random_state=0, n_jobs=1).fit(X, y)
        assert model.score(X_new, y_new) > max(0.88, short.score(X_new, y_new) + 0.03)
        shown = predicted_classes(model._state.rules, model._state.default, X_new.to_numpy())
        np.testing.assert_array_equal(model.predict(X_new), shown)
        np.testing.assert_array_equal(model.predict(X_new), model.predict_proba(X_new).argmax(axis=1))
        points = model.frontier_
        assert points[-1]["n_conditions"] == 5 and points[-1]["accuracy"] > points[2]["accuracy"]

    @pytest.mark.parametrize(("most", "columns"), [(3, "auto"), (8, 3), (8, 4), (8, 1)])
    def test_limits_are_kept(self, most, columns):
        model = RuleClassifier(most, columns_per_condition=columns, random_state=0, n_jobs=1).fit(*rows())
        assert model.n_conditions_ <= most and max(sizes(model)) <= (3 if columns == "auto" else columns)

    @pytest.mark.parametrize("described", [0, 1])
    def test_the_described_class_and_directions(self, described):
        X, y = rows()
        model = RuleClassifier(
            8, classes=described, monotonic_cst={"a": 1, "b": 1, "f": -1}, random_state=0, n_jobs=1
        ).fit(X, y)
        assert sizes(model) == [5] and [rule.label for rule in model.rules_] == [described]
        for column, change in (("a", 1.0), ("b", 0.5), ("f", -1.0)):
            changed = X.assign(**{column: X[column] + change})
            assert (model.predict_proba(changed)[:, 1] >= model.predict_proba(X)[:, 1]).all()

    def test_weights_are_copies(self):
        X, y = rows()
        counts = np.random.default_rng(2).integers(1, 4, len(y))
        weighted = RuleClassifier(8, random_state=0, n_jobs=1).fit(X, y, counts)
        copied = RuleClassifier(8, random_state=0, n_jobs=1).fit(X.loc[X.index.repeat(counts)], y.repeat(counts))
        assert sizes(weighted) == sizes(copied) == [5] and str(weighted.rules_) == str(copied.rules_)

    def test_not_for_many_rows(self, monkeypatch):
        monkeypatch.setattr(rule_choice, "_MANY_ROWS", 299)
        assert max(sizes(RuleClassifier(8, random_state=0, n_jobs=1).fit(*rows()))) <= 3

    def test_not_where_single_columns_decide(self):
        X, _ = rows()
        y = (X["a"] > 0) & (X["b"] > -0.5)
        model = RuleClassifier(8, random_state=0, n_jobs=1).fit(X, y)
        assert set(sizes(model)) == {1} and model.score(X, y) > 0.97
