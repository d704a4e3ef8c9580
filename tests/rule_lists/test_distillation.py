import numpy as np
import pytest

from ldnn import LDNNClassifier
from ldnn._rule_lists.distillation import distilled


@pytest.fixture(scope="module")
def decided():
    """A model of three classes, rows, and its decisions about them."""
    X = np.random.default_rng(0).normal(size=(500, 3))
    y = np.where(X[:, 0] > 0.5, "a", np.where(X[:, 1] > 0, "b", "c"))
    model = LDNNClassifier(3, 2, max_epochs=15, random_state=0, n_jobs=1).fit(X, y)
    return model, model._matrix(X), model.predict(X)


def test_lists_are_faithful_and_the_simplest_one_is_short(decided):
    model, matrix, decisions = decided
    found = distilled(model, matrix, decisions)
    lengths = [own.n_conditions for own in found.lists]
    assert lengths == sorted(set(lengths)) and len(found.fidelities) == len(lengths)
    assert np.mean(found.chosen.classes[found.chosen.predict(matrix)] == decisions) > 0.9
    assert found.simplest(0.5).n_conditions < found.simplest(0.9).n_conditions <= found.lists[-1].n_conditions
    assert found.simplest(2.0) is found.chosen


def test_only_described_classes_have_rules(decided):
    model, matrix, decisions = decided
    found = distilled(model, matrix, decisions, described=np.array(["a"]), max_rules=1).lists[-1]
    assert [found.classes[rule.label] for rule in found.rules] == ["a"]


def test_rows_count_by_their_weights(decided):
    """Where class a has hardly any weight, a list that ignores it is as faithful as any."""
    model, matrix, decisions = decided
    weights = np.where(decisions == "a", 1e-6, 1.0)
    found = distilled(model, matrix, decisions, weights=weights).lists[-1]
    by_list = found.classes[found.predict(matrix)]
    assert not (by_list == "a").any() and np.mean((by_list == decisions)[decisions != "a"]) > 0.95
