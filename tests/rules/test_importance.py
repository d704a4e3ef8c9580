import pytest
from configurations import NAMES
from sklearn.exceptions import NotFittedError

from ldnn import LDNNClassifier, RuleClassifier
from ldnn.rules import importance


def test_importance(bank):
    X, _, model = bank
    found = importance(model, X)
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert sum(found.values()) == pytest.approx(1) and min(found.values()) >= 0
    assert min(found, key=found.get) == "noise" and found["noise"] < 0.1


@pytest.mark.parametrize("name", NAMES)
def test_importance_of_every_model(fitted, name):
    model, X, _ = fitted[name]
    found = importance(model, X)
    assert len(found) == model.n_features_in_ and sum(found.values()) == pytest.approx(1)


def test_of_a_model_that_is_not_fitted(bank):
    with pytest.raises(NotFittedError, match="not fitted"):
        importance(LDNNClassifier(), bank[0])


def test_of_rules(bank):
    X, y, _ = bank
    model = RuleClassifier(6, random_state=0).fit(X, y)
    found = importance(model, X)
    assert list(found.values()) == sorted(found.values(), reverse=True) and sum(found.values()) == pytest.approx(1)
    own = dict(zip(X.columns, model.feature_importances_, strict=True))
    assert all(abs(found[name] - share) < 0.05 for name, share in own.items())
