import numpy as np
import pandas as pd
import pytest

from ldnn import RuleClassifier
from ldnn._rule_lists.rule_choice import Frontier, HeldOut, candidates, smooth


def made(scores):
    scores = np.array(scores)
    errors = np.full(len(scores), 0.01)
    return Frontier(None, [], HeldOut(scores - 0.1, errors, scores, errors / 2))


def test_the_best_length_and_the_shortest_that_is_nearly_as_good():
    frontier = made([0.5, 0.7, 0.8, 0.805, 0.806, 0.807, 0.80, 0.7])
    assert frontier.best_length() == 5  # not much worse than 4, which is the best one
    assert frontier.shortest_length() == 3


def test_no_rules_are_not_enough_where_rules_are_clearly_more_accurate():
    """Even if forests, which learned little from few rows, expect hardly anything of them."""
    accuracies = np.array([0.91, 0.92, 0.93, 0.93, 0.93])
    errors = np.full(5, 0.009)
    frontier = Frontier(
        None, [], HeldOut(accuracies, errors, np.array([0.914, 0.914, 0.916, 0.916, 0.915]), errors / 2)
    )
    assert frontier.shortest_length() == 2


def test_a_difference_is_surer_than_either_accuracy():
    """The second list errs in one row more than the first, the third in as many others."""
    is_right = np.ones((3, 100))
    is_right[0, :20] = is_right[1, :21] = is_right[2, 10:30] = 0
    found = HeldOut.of_rows(is_right, np.array([0.8, 0.79, 0.8]), np.full(100, 0.01))
    np.testing.assert_allclose(found.accuracies, [0.8, 0.79, 0.8])
    np.testing.assert_allclose(found.errors[0], 0.04)
    np.testing.assert_allclose(found.differences, [0, np.sqrt(0.01 * 0.99 / 100), np.sqrt(0.2 / 100)])


def test_sums_are_used_where_they_help():
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(400, 3)), columns=list("abc"))
    for wanted, truth in ((False, X["a"] > 0), (True, X["a"] + X["b"] - X["c"] > 0)):
        y = truth ^ (generator.random(400) < 0.1)
        model = RuleClassifier(4, random_state=0, n_jobs=1).fit(X, y)
        assert any(len(own.columns) > 1 for rule in model._state.rules for own in rule.conditions) == wanted
        assert np.mean(model.predict(X) == truth) > 0.93


def test_several_classes_have_fewer_candidates():
    two, three = candidates((1,), 0, 2), candidates((0, 1, 2), -1, 3)
    assert len(two) > len(three) and {own.labels for own in two} == {(1,)}
    assert {own.label_share for own in three} == {1.0, 0.3}


def test_sets_of_many_categories_are_used_where_they_help():
    """A column whose 60 categories mean nothing, and one whose categories are all that counts."""
    generator = np.random.default_rng(0)
    X = pd.DataFrame({"town": generator.integers(0, 60, 700).astype(str), "age": generator.integers(18, 80, 700)})
    noisy = np.where(generator.random(700) < 0.25, generator.random(700) < 0.5, X["age"] >= 50)
    model = RuleClassifier(4, random_state=0, n_jobs=1).fit(X, noisy)
    assert not any("town" in text for rule in model.rules_ for text in rule.conditions)
    by_town = X["town"].str.len() == 1
    model = RuleClassifier(4, random_state=0, n_jobs=1).fit(X, by_town)
    assert model.score(X, by_town) > 0.95


def test_lists_are_chosen_by_labels_and_by_what_forests_expect():
    """Labels are so noisy here that forests know more."""
    generator = np.random.default_rng(0)
    X = generator.random((300, 3))
    y = generator.random(300) < np.where(X[:, 0] > 0.5, 0.7, 0.3)
    model = RuleClassifier(8, random_state=0, n_jobs=1).fit(X, y)
    assert {c for rule in model._state.rules for own in rule.conditions for c in own.columns} >= {0}
    truth = X[:, 0] > 0.5
    assert np.mean(model.predict(X) == truth) > 0.85


def test_single_accuracies_are_averaged_with_their_neighbours():
    assert smooth(np.array([0.5, 0.6, 0.9, 0.6, 0.7])).tolist() == pytest.approx([0.5, 0.65, 0.75, 0.7, 0.7])
    assert smooth(np.array([0.5, 0.6])).tolist() == [0.5, 0.6]
