import numpy as np
import pandas as pd
import pytest

from benchmarks import column_generation, rules
from benchmarks.rule_learners import Cart, ReadableRules
from ldnn.datasets import make_two_moons


def entry(budget, accuracy, n_conditions, columns=("a",)):
    return {"budget": budget, "accuracy": accuracy, "n_conditions": n_conditions, "auroc": 0.8,
            "fit_cpu_seconds": 0.1, "columns": list(columns)}  # fmt: skip


def results(**learners):
    """Of one table and the first fold: (accuracy, conditions) by learner, the same for all budgets."""
    return {
        learner: {"data": "pima", "learner": learner, "fold": 0, "budgets": [entry(b, *own) for b in rules.BUDGETS]}
        for learner, own in learners.items()
    }


def test_the_first_fold_of_all_tables_comes_first():
    names = list(rules.parts(False))
    assert names[0] == "pima, RuleClassifier, 0"
    per_fold = len(names) // 10
    assert all(name.endswith(", 0") for name in names[:per_fold])
    assert "letter, CART, 0" in names and "letter, FIGS, 0" not in names


def test_dominated_means_less_accurate_and_no_shorter():
    better = results(RuleClassifier=(80.0, 4), CART=(79.0, 5), FIGS=(81.0, 5), RIPPER=(70.0, 1))
    assert "dominated (by higher accuracy with no more conditions) on 0 of 1" in rules.tables(better)[0].notes[0]
    worse = results(RuleClassifier=(80.0, 4), CART=(81.0, 4), FIGS=(79.0, 5), RIPPER=(70.0, 1))
    assert "on 1 of 1 tables" in rules.tables(worse)[0].notes[0]


def test_learners_are_compared_on_halves_that_both_have_learned():
    found = results(RuleClassifier=(80.0, 4), CART=(79.0, 4))
    hard = results(RuleClassifier=(60.0, 4))["RuleClassifier"]
    found["hard"] = {**hard, "fold": 1}  # which CART has not learned
    short = [own for own in hard["budgets"] if own["budget"] < 50]
    found["short"] = {**hard, "fold": 2, "budgets": short}  # which CART has learned with more conditions
    found["long"] = {**found["CART"], "fold": 2, "budgets": [entry(50, 99.0, 4)]}
    tables = rules.tables(found)
    assert "on 0 of 1 tables" in tables[0].notes[0]
    pairs = next(table for table in tables if table.title.startswith("RuleClassifier beside"))
    assert pairs.rows[0] == ["CART", *["1 : 0 (+1.0)"] * len(rules.BUDGETS)]


def test_ranks_and_marks():
    found = dict.fromkeys(rules.LEARNERS, (60.0, 3)) | {
        "RuleClassifier": (80.0, 4),
        "CART": (79.0, 5),
        "FIGS": (81.0, 5),
    }
    table = rules.tables(results(**found))[1]
    assert table.columns[:4] == ["table", "RuleClassifier", "CART", "FIGS"]
    assert table.rows[0][:5] == ["pima", "80.0", "79.0", "**81.0**", "60.0"]
    assert table.rows[1][1:5] == ["2.00", "3.00", "1.00", "6.50"]


def test_shared_columns():
    two = [
        {"data": "pima", "fold": fold, "budgets": [entry(5, 80.0, 2, columns)]}
        for fold, columns in enumerate([("a", "b"), ("b", "c")])
    ]
    assert rules._shared(two) == pytest.approx(1 / 3)


@pytest.mark.parametrize("learner", [ReadableRules, Cart])
def test_learners_keep_to_their_budget(learner):
    points, y = make_two_moons(200, random_state=0)
    X = pd.DataFrame(points, columns=["x", "y"]).assign(kind=pd.Categorical(["a", "b"] * (len(y) // 2)))
    model = learner(4, 0).fit(X, y)
    assert 1 <= model.n_conditions <= 4 and model.columns <= {"x", "y", "kind", "kind_a", "kind_b"}
    assert np.mean(model.predict_proba(X).argmax(axis=1) == y) > 0.8


def test_the_note_says_how_many_halves_were_learned():
    found = results(RuleClassifier=(80.0, 4), CART=(79.0, 5))
    found["second"] = {**found["RuleClassifier"], "fold": 1}
    assert rules.tables(found)[0].notes[0].endswith("that were learned: RuleClassifier: 2; CART: 1.")


def test_rules_by_column_generation(monkeypatch):
    """A stand-in for the other interpreter answers with a rule that is too long for the first budget."""
    range_of_x = [[0, ">", -0.4], [0, "<=", 0.4]]
    longer = [{"weight": 1.0, "conditions": range_of_x}, {"weight": 1.0, "conditions": [[1, ">", 0.9]]}]
    models = [{"intercept": -0.5, "rules": longer[:1]}, {"intercept": -0.5, "rules": longer}]
    asked = []

    def fitted(kind, X, y, n_columns):
        asked.append((kind, n_columns))
        return {"seconds": 2.5, "models": models}

    monkeypatch.setattr(column_generation, "_fitted", fitted)
    X = pd.DataFrame(np.random.default_rng(0).uniform(-1, 1, (400, 2)), columns=["x", "y"])
    y = ((X["x"].abs() <= 0.4) | (X["y"] > 0.9)).to_numpy().astype(int)
    for budget, length, columns in ((1, 1, {"x"}), (2, 2, {"x", "y"})):
        model = column_generation.boolean_rules(budget, 0).fit(X, 1 - y)
        assert (model.n_conditions, model.columns, model.seconds_elsewhere) == (length, columns, 2.5)
        assert np.mean(model.predict_proba(X).argmax(axis=1) == 1 - y) > 0.9 + 0.04 * length
    assert asked == [("BooleanRuleCG", 2)] * 2


def test_without_an_interpreter_column_generation_is_absent(monkeypatch):
    monkeypatch.delenv("LDNN_AIX360", raising=False)
    with pytest.raises(ImportError, match="LDNN_AIX360"):
        column_generation._fitted("BooleanRuleCG", b"", b"", 1)
