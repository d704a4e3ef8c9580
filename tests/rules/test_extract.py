"""Rules decide as the model does, and are simple where the model allows it."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from networks import plain
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ldnn import LDNNClassifier
from ldnn.rules import rules
from ldnn.rules.extract import _Sample


def test_a_planted_rule_is_found(bank):
    X, y, model = bank
    found = rules(model, X, y, fidelity=0.98)
    assert found.fidelity > 0.99 and found.otherwise == "does not"
    assert found[0].conditions == ("city is Rome", "age >= 41")
    (income,) = found[1].conditions
    assert abs(float(re.fullmatch(r"income >= ([\d.]+)", income)[1]) - 90) < 3
    assert all(rule.precision > 0.99 for rule in found)
    assert found[0].share > 0.7 > 0.3 > found[1].share > 0.1


def test_progress_is_shown_on_request(bank, monkeypatch, capsys):
    X, y, model = bank
    clock = iter(range(0, 10_000, 3))
    monkeypatch.setattr("ldnn._training.progress.time.monotonic", lambda: next(clock))
    rules(model, X, y, fidelity=0.98)
    assert capsys.readouterr().err == ""
    rules(model, X, y, fidelity=0.98, verbose=True)
    assert re.search(r"\d+%  \d+ s left  extracting rules|  0%  extracting rules", capsys.readouterr().err)


def test_the_fidelity_is_that_of_unseen_rows():
    """What is claimed agrees with rows that neither the rules nor their figures have seen, up to chance."""
    for load, seed in ((load_breast_cancer, 0), (partial(load_digits, n_class=4), 1), (load_wine, 2)):
        X, y = load(return_X_y=True)
        order = np.random.default_rng(seed).permutation(len(X))
        train, known, fresh = np.array_split(order, 3)
        model = plain(3, 3, max_epochs=20).fit(X[train], y[train])
        found = rules(model, X[known], y[known])
        said = model.predict(X[fresh])
        agreed = found.predict(X[fresh]) == said
        deviation = np.sqrt(agreed.mean() * (1 - agreed.mean()) * (1 / found.n_rows + 1 / len(fresh)))
        assert abs(found.fidelity - agreed.mean()) < 3 * deviation + 0.01
        assert found.n_rows + len(_Sample.of(model.predict(X[known]), np.array(found.described)).fitted) == len(known)


@pytest.mark.parametrize(("trained_on", "sentence"), [
    (True, "The model was trained on these rows."), (False, "The model has not seen these rows."), (None, ""),
])  # fmt: skip
def test_whether_the_model_has_seen_the_rows(moons, trained_on, sentence):
    X, y = moons
    found = rules(plain(2, 2, max_epochs=3).fit(X, y), X, y, trained_on=trained_on)
    text = " ".join(str(found).split())
    assert sentence in text and found.to_dict()["trained_on"] is trained_on
    assert ("these rows." in text) == (trained_on is not None)


def test_several_classes(blobs, monkeypatch):
    monkeypatch.setattr("ldnn._rule_lists.smoothed_labels._TREES", 40)  # as outside of tests
    X, y = blobs
    found = rules(plain(2, 2, max_epochs=20).fit(X, y), X, y, fidelity=0.9)
    assert {rule.label for rule in found} | {found.otherwise} == {"a", "b", "c"}
    assert found.fidelity >= 0.9
    assert all(rule.agreement > 0.5 for rule in found)


def test_one_answer_for_all_rows(bank):
    X, y, model = bank
    found = rules(model, X[y == "does not"][:50].assign(income=1.0, city="Oslo"))
    assert len(found) == 0 and found.fidelity == 1 and found.to_frame().empty
    assert "does not otherwise" in str(found)


def test_rows_are_few_or_missing(bank):
    X, y, model = bank
    assert rules(model, X[:1], y[:1]).n_rows == 1
    holes = X.assign(age=np.nan, noise=np.nan)
    assert np.isfinite(rules(model, holes, y).fidelity)


def test_real_data():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = LDNNClassifier(random_state=0).fit(X[::2], y[::2])
    found = rules(model, X[1::2], y[1::2])
    fitted = X[1::2].iloc[_Sample.of(model.predict(X[1::2]), np.array(found.described)).fitted]
    assert np.mean(found.predict(fitted) == model.predict(fitted)) >= 0.95  # as was asked for
    assert found.fidelity > 0.8 and found.accuracy > 0.8  # on the 95 rows that the rules have not seen
    assert len(found) <= 3 and sum(rule.draft.size for rule in found) <= 6


def test_adult(need):
    need("adult")
    from ldnn.datasets import load_adult

    data = load_adult(as_frame=True)
    X, y = data.data[:8000], np.asarray(data.target_names)[data.target[:8000]]
    model = LDNNClassifier(4, 4, discriminant="piecewise-tree", n_estimators=2, max_epochs=4, random_state=0).fit(X, y)
    found = rules(model, X, y, fidelity=0.93)
    assert found.fidelity > 0.9 and len(found) <= 6
    married, educated = {"marital-status", "relationship"}, {"education", "education-num"}
    assert (married | educated) & {name for rule in found for name in rule.columns}


def test_wrong_calls(bank):
    X, y, model = bank
    for call, error, message in [
        (lambda: rules(LogisticRegression(), X, y), TypeError, "not from a LogisticRegression; of a pipeline, give"),
        (lambda: rules(make_pipeline(StandardScaler(), model), X), TypeError, "not from a Pipeline"),
        (lambda: rules(LDNNClassifier(), X, y), NotFittedError, "not fitted"),
        (lambda: rules(model, X, y[:5]), ValueError, "inconsistent numbers of samples"),
        (lambda: rules(model, X, fidelity=95), ValueError, "fidelity=95 is not allowed: give a share above 0"),
        (lambda: rules(model, X, max_rules=0), ValueError, "max_rules=0 is not allowed: give an integer"),
        (lambda: rules(model, X, max_terms=1.5), ValueError, "max_terms=1.5 is not allowed"),
        (lambda: rules(model, X[["age", "city"]]), ValueError, "feature names|features"),
    ]:
        with pytest.raises(error, match=message):
            call()


@pytest.fixture(scope="module")
def rare():
    """One row in fifty is an alarm, the first of two classes: where a and b are both large."""
    random = np.random.default_rng(0)
    X = random.standard_normal((3000, 3)).round(2)
    y = np.where((X[:, 0] > 1) & (X[:, 1] > 1.1), "alarm", "quiet")
    return X, y, plain(1, 3, max_epochs=60, random_state=0).fit(X, y)


def test_a_rare_class_is_described(rare):
    X, y, model = rare
    assert np.mean(y == "alarm") < 0.03 and np.any(model.predict(X) == "alarm")
    found = rules(model, X, y)
    assert found.described == ("alarm",) and found.otherwise == "quiet" and len(found) >= 1
    assert "alarm (the rarer of two classes)" in found.summary()
    assert found.n_rows == 1000 and found.n_predicted >= found.n_found
    assert np.mean(found.predict(X) == model.predict(X)) > 0.98


def test_the_rows_of_a_rare_class_are_in_both_parts(rare):
    _, y, _ = rare
    sample = _Sample.of(np.repeat(y, 5), np.array(["alarm"]))
    is_rare = np.repeat(y, 5) == "alarm"
    assert len(sample.fitted) == 4000 and not set(sample.fitted) & set(sample.held_out)
    assert is_rare[sample.fitted].sum() == round(2 / 3 * is_rare.sum())
    assert is_rare[sample.held_out].mean() == pytest.approx(is_rare.mean(), rel=0.01)  # its figures are not distorted
    assert sample.weights[~is_rare[sample.fitted]].sum() == pytest.approx(2 / 3 * (~is_rare).sum(), rel=0.2)


def test_classes_are_chosen(rare, bank):
    X, y, model = rare
    assert rules(model, X, y, classes="quiet").described == ("quiet",)
    assert rules(model, X, y, classes=["alarm", "quiet"]).described == ("alarm", "quiet")
    X, y, model = bank
    assert rules(model, X, y).described == ("pays",)
    other = rules(model, X, y, classes=["does not"], fidelity=0.9)
    assert {rule.label for rule in other} == {"does not"} and other.otherwise == "pays" and other.fidelity > 0.85
    with pytest.raises(ValueError, match="are not classes of the model; it knows 'does not', 'pays'"):
        rules(model, X, y, classes=["sometimes"])


def test_a_class_that_the_model_never_predicts(rare):
    X, y, _ = rare
    model = plain(1, 1, max_epochs=1, random_state=0).fit(X[:, 2:], y)
    assert set(model.predict(X[:, 2:])) == {"quiet"}
    text = str(rules(model, X[:, 2:], y))
    expected = "No rules for alarm (the rarer of two classes): the model predicts it for none of"
    assert " ".join(text.split()).startswith(expected)


def test_rules_of_several_classes_are_a_list_that_decides_in_its_order():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = LDNNClassifier(4, 3, max_epochs=30, random_state=0).fit(X, y)
    found = rules(model, X, y, max_terms=1)
    assert found.is_ordered and len({rule.label for rule in found}) > 1 and "else " in str(found)
    by_hand = np.full(len(X), found.otherwise)
    for rule in reversed(found.rules):  # the first one that holds decides
        by_hand[rule.draft.holds(model._matrix(X))] = rule.label
    np.testing.assert_array_equal(found.predict(X), by_hand)
    assert np.mean(by_hand == model.predict(X)) > 0.9


def test_a_boolean_reads_as_its_name():
    generator = np.random.default_rng(0)
    X = pd.DataFrame({"member": generator.random(300) < 0.5, "size": generator.random(300)})
    y = np.where(X["member"], "yes", "no")
    model = LDNNClassifier(2, 2, max_epochs=15, random_state=0, n_jobs=1).fit(X, y)
    assert {rule.conditions for rule in rules(model, X, y, classes="yes")} == {("member",)}


@pytest.fixture(scope="module")
def curved():
    """A model of a class within a circle around the middle of three columns: no half-space, and no single column."""
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(600, 3)), columns=["a", "b", "c"])
    y = np.where((X**2).sum(axis=1) < 2.4, "in", "out")
    model = LDNNClassifier(4, 3, discriminant="piecewise", max_epochs=20, random_state=0, n_jobs=1).fit(X, y)
    return model, X, y


def test_scorecards_are_shown_where_they_are_asked_for(curved):
    model, X, y = curved
    assert "points" not in str(rules(model, X, y, fidelity=0.99))
    found = rules(model, X, y, fidelity=0.99, scorecards=True)
    assert "at least" in str(found) and "(Points of all columns are added up" in str(found)


def test_sums_of_columns_describe_what_single_columns_cannot():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(900, 3)), columns=["a", "b", "c"])
    y = X["a"] + X["b"] - X["c"] > 0
    model = LDNNClassifier(1, 1, discriminant="piecewise", max_epochs=20, random_state=0, n_jobs=1).fit(X, y)
    found = rules(model, X, y, fidelity=0.94)
    assert found.fidelity > rules(model, X, y, fidelity=0.94, max_terms=1).fidelity + 0.03
    (rule,) = found
    assert sorted(rule.columns) == ["a", "b", "c"] and "points" not in rule.conditions[0]
