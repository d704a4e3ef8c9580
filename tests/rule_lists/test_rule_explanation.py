import numpy as np
import pandas as pd
import pytest

from ldnn import RuleClassifier
from ldnn.rules import explain


@pytest.fixture(scope="module")
def fitted():
    """Yes where age >= 40 and the colour is red, or where income is missing."""
    generator = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": generator.integers(18, 80, 600),
            "colour": generator.choice(["blue", "green", "red"], 600),
            "income": np.where(generator.random(600) < 0.2, np.nan, generator.lognormal(8, 1, 600)),
        }
    )
    y = np.where(((X["age"] >= 40) & (X["colour"] == "red")) | X["income"].isna(), "yes", "no")
    return RuleClassifier(3, classes="yes", random_state=0).fit(X, y), X


def test_the_rule_that_decides(fitted):
    model, _ = fitted
    found = explain(model, {"age": 60, "colour": "red", "income": 1234.56789})
    assert found.label == found.about == "yes" and found.is_decided and len(found.conditions) == 2
    assert model.rules_[found.rule - 1].conditions == tuple(condition.text for condition in found.conditions)
    text = str(found)
    assert "decides: all of its conditions hold" in text and "colour is red: yes, it is red" in text
    assert found.to_frame()["holds"].all() and found.to_dict()["rule"] == found.rule


def test_what_the_nearest_rule_lacks(fitted):
    model, X = fitted
    found = explain(model, {"age": 20, "colour": "red", "income": 1234.56789})
    assert found.label == "no" and not found.is_decided
    assert sum(not condition.holds for condition in found.conditions) == 1
    values = {condition.value for condition in found.conditions}
    assert "No rule holds." in str(found) and values in ({"20", "red"}, {"1234.57"})
    one = X.iloc[:1]
    assert explain(model, one).probability == model.predict_proba(one).max()


def test_names_are_escaped(fitted):
    _, X = fitted
    y = np.where(X["age"] > 50, "<b>", "<u>")
    html = explain(
        RuleClassifier(1, random_state=0).fit(X.rename(columns={"age": "<i>"}), y), [60, "red", 1]
    )._repr_html_()
    assert "<b>" not in html and "<i>" not in html and "&lt;i&gt;" in html


def test_no_rules(fitted):
    _, X = fitted
    model = RuleClassifier(3, random_state=0).fit(X, np.random.default_rng(0).random(600) < 0.1)
    assert len(model.rules_) == 0
    found = explain(model, X.iloc[:1])
    assert found.rule is None and "The model has no rules." in str(found)


def test_sums_show_their_value_and_those_of_all_columns():
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(500, 2)).round(1), columns=["a", "b"])
    model = RuleClassifier(2, columns_per_condition=2, random_state=0).fit(X, X["a"] + X["b"] > 0)
    found = explain(model, [1.5, -0.5])
    assert [condition.value for condition in found.conditions] in (["1 (a 1.5, b -0.5)"], ["1 (b -0.5, a 1.5)"])
    found = explain(model, [np.nan, -0.5])
    assert [condition.value.split(" (")[0] for condition in found.conditions] == ["missing"]


def test_booleans_read_as_in_the_rules():
    generator = np.random.default_rng(0)
    X = pd.DataFrame({"member": generator.random(200) < 0.5, "size": generator.random(200)})
    model = RuleClassifier(1, classes="no", random_state=0).fit(X, np.where(X["member"], "yes", "no"))
    no = explain(model, {"member": False, "size": 0.5})
    assert "  not member: yes\n" in str(no) and "yes with member instead of not member." in str(no)
    assert "  not member: no, it is member\n" in str(explain(model, [True, 0.5]))
    assert no.change.values == {"member": ("not member", "member")}
