"""How many rules, conditions and columns are looked for."""

from ldnn import LDNNClassifier
from ldnn.rules import rules


def test_more_fidelity_says_more(bank):
    X, y, model = bank
    sizes, fidelities = [], []
    for wanted in (0.7, 0.9, 0.99):
        found = rules(model, X, y, fidelity=wanted, max_terms=3)
        sizes.append(sum(rule.draft.size for rule in found))
        fidelities.append(found.fidelity)
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1]
    assert fidelities == sorted(fidelities) and fidelities[-1] > 0.97


def test_limits(bank):
    X, _, model = bank
    found = rules(model, X, fidelity=1.0, max_rules=1, max_terms=2)
    assert len(found) == 1 and all(len(condition.columns) <= 2 for condition in found[0].draft.conditions)
    assert found.accuracy is None and found[0].precision is None
    assert "100 % was requested: raise max_rules or max_terms" in found.summary() and "right" not in str(found)


def test_equal_conjunctions_of_many_networks_become_one_rule(moons):
    X, y = moons
    model = LDNNClassifier(1, 2, discriminant="linear", n_estimators=6, max_epochs=10, random_state=0).fit(X, y)
    found = rules(model, X, y, fidelity=0.9)
    assert len(found) <= 2 and found.n_conjunctions == found.n_estimators == 6
    assert found[0].conjunctions >= 3
