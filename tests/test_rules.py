"""Models as rules: what is said must be what is measured, and what is measured must be what the network does."""

import json
import math
import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from configurations import NAMES
from hypothesis import given
from hypothesis import strategies as st
from networks import plain
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ldnn import LDNNClassifier, ModularNetworkClassifier
from ldnn.rules import explain, importance, rules
from ldnn.rules.conditions import Condition, Levels, Slope, Steps, number, roundest
from ldnn.rules.parts import Parts, Table, networks_of
from ldnn.rules.ruleset import percent
from ldnn.rules.thin import segments
from ldnn.training import mean_log_odds


@pytest.fixture(scope="module")
def bank():
    """A table with a rule in it: over 40 in Rome, or rich."""
    random = np.random.default_rng(0)
    n = 3000
    X = pd.DataFrame(
        {
            "age": random.integers(18, 80, n).astype(float),
            "city": random.choice(["Lima", "Oslo", "Rome"], n),
            "income": random.gamma(2, 20, n).round(1),
            "noise": random.standard_normal(n),
        }
    )
    y = np.where(((X["city"] == "Rome") & (X["age"] > 40)) | (X["income"] > 90), "pays", "does not")
    return X, y, LDNNClassifier(4, 4, bends="tree", n_networks=3, max_epochs=12, random_state=0).fit(X, y)


# --- the model, opened up ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_parts_are_the_model(fitted, name):
    """Half-spaces from columns, and outputs from half-spaces, as the kernels compute them."""
    model, X, _ = fitted[name]
    parts = Parts.of(model, model._read_table(X, model._state.beginning.columns))
    columns = np.array([np.tensordot(parts.weights[c], parts.features, axes=1) for c in range(len(parts.weights))])
    np.testing.assert_allclose(
        parts.half_spaces(0), np.moveaxis(columns[0] + parts.biases[0][..., None], 2, 0), rtol=1e-4, atol=1e-4
    )
    weights = parts.weights[0, 0, 0]
    apart = parts.contributions(weights).sum(axis=1) + weights[parts.owner < 0] @ parts.features[parts.owner < 0]
    np.testing.assert_allclose(apart + parts.biases[0, 0, 0], parts.half_spaces(0)[:, 0, 0], rtol=1e-3, atol=1e-3)
    log_odds = []
    for c in range(len(parts.weights)):
        log_not_f = parts.log_not_output(parts.conjunctions(parts.half_spaces(c).astype(float)))
        log_odds.append(np.log(-np.expm1(log_not_f)) - log_not_f)
    found = mean_log_odds(np.reshape(log_odds, (model._state.beginning.plan.n_networks, -1, len(X))))
    np.testing.assert_allclose(found, model._evaluate(X), rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("Classifier", [LDNNClassifier, ModularNetworkClassifier])
def test_slopes_are_derivatives(random, Classifier):
    X, y = random.standard_normal((80, 3)), random.integers(2, size=80)
    model = plain(2, 3, Classifier=Classifier, max_epochs=3).fit(X, y)
    parts = Parts.of(model, X)
    z = parts.half_spaces(0).astype(float)

    def output(z):
        return -np.expm1(parts.log_not_output(parts.conjunctions(z)))

    for i in range(2):
        for j in range(3):
            moved = z.copy()
            moved[:, i, j] += 1e-6
            np.testing.assert_allclose(parts.slopes(z)[:, i, j], (output(moved) - output(z)) / 1e-6, atol=1e-4)


def test_networks_of_classes(fitted):
    assert networks_of(fitted["straight voters"][0]) == {1: [0, 1, 2]}
    networks = networks_of(fitted["classes"][0])
    count = 3 * len(networks[0])
    assert list(networks) == [0, 1, 2] and sorted(c for own in networks.values() for c in own) == list(range(count))


# --- small tools ------------------------------------------------------------------------------------------------------

finite = st.floats(-1e12, 1e12, allow_nan=False, allow_subnormal=False)


@given(finite, finite)
def test_round_numbers_lie_between(a, b):
    low, high = sorted((a, b))
    found = roundest(low, high)
    assert low < found <= high or low == high == found
    shorter = float(f"{found:.{max(1, len(re.sub('[^0-9]', '', number(found)).strip('0'))) - 1}e}")
    assert math.isclose(shorter, found, rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(35, 36, 36), (35.2, 36.9, 36), (0.141, 0.1623, 0.15), (-3, 4, 0), (-7.3, -6.8, -7), (4.98, 5.02, 5),
     (119.3, 120.7, 120), (5059, 5178, 5100), (2, 2, 2)],
)  # fmt: skip
def test_round_numbers(low, high, expected):
    found = roundest(low, high)
    assert low < found <= high or low == high
    assert found == expected or len(number(found)) <= len(number(expected))


@given(st.lists(st.tuples(st.floats(-10, 10), st.floats(0.1, 5)), min_size=1, max_size=7), st.integers(1, 4))
def test_segments_are_the_best(pairs, most):
    values, weights = np.array(pairs).T

    def error(cuts):
        groups = np.split(np.arange(len(values)), cuts)
        return sum(
            float(weights[g] @ (values[g] - np.average(values[g], weights=weights[g])) ** 2) for g in groups if len(g)
        )

    found = segments(values, weights, most)
    assert len(found) < most and found == sorted(set(found))
    best = min(error(list(cuts)) for k in range(most) for cuts in combinations(range(1, len(values)), k))
    assert error(found) <= best + 1e-6 * (1 + error([]))


def test_percent():
    assert [percent(share) for share in (0, 0.0004, 0.12345, 0.9999, 1)] == [
        "0.0 %", "under 0.1 %", "12.3 %", "99.9 %", "100 %",
    ]  # fmt: skip


TABLE = Table(
    ["age", "city", "bmi"], [None, np.array(["Lima", "Oslo", "Rome"], object), None], np.array([True, True, False])
)


@pytest.mark.parametrize(
    ("effects", "threshold", "text"),
    [
        ([Slope(0, 1.0, 0.0)], 36.0, "age >= 36"),
        ([Slope(0, -1.0, 0.0)], -36.5, "age <= 36.5 or missing"),
        ([Slope(2, 1.0, 99.0)], 0.25, "bmi >= 0.25"),
        ([Slope(2, 1.0, 0.0), Slope(0, -0.35, 0.0)], 21.0, "bmi - 0.35 × age >= 21"),  # noqa: RUF001
        ([Slope(2, -1.0, 0.0), Slope(0, 2.0, 0.0)], -3.5, "-bmi + 2 × age >= -3.5"),  # noqa: RUF001
        ([Steps(0, np.array([35.0, 60.0]), np.array([0.0, 2.0, 1.0]), 0.0)], 2.0, "age 35 to 60"),
        ([Steps(0, np.array([35.0, 60.0]), np.array([2.0, 0.0, 1.0]), 5.0)], 1.0, "age below 35 or from 60 or missing"),
        ([Steps(0, np.array([5.0, 12000.0]), np.array([0.0, 1.0, 2.0]), 0.0)], 1.0, "age from 5"),
        ([Levels(1, np.array([1.0, 0.0, 1.0]), 0.0)], 1.0, "city is not Oslo and not missing"),
        ([Levels(1, np.array([0.0, 0.0, 1.0]), 0.0)], 1.0, "city is Rome"),
        ([Levels(1, np.array([0.0, 0.0, 1.0]), 1.0)], 1.0, "city is Rome or missing"),
        (
            [Levels(1, np.array([0.0, 0.0, 4.0]), 0.0), Steps(2, np.array([25.0]), np.array([0.0, 7.0]), 0.0)],
            7.0,
            "at least 7 points (city: Rome 4, Lima, Oslo 0, missing 0; bmi: below 25 0, from 25 7)",
        ),
    ],
)  # fmt: skip
def test_conditions_in_words(effects, threshold, text):
    assert Condition(tuple(effects), threshold).text(TABLE) == text


def test_conditions_hold_as_they_say():
    matrix = np.array([[40, 2, 30], [20, 2, 20], [np.nan, -1, 26], [60, np.nan, 26]], float)
    age = Steps(0, np.array([35.0, 60.0]), np.array([0.0, 2.0, 1.0]), 5.0)
    city = Levels(1, np.array([0.0, 0.0, 4.0]), 1.0)
    bmi = Slope(2, 1.0, 0.0)
    np.testing.assert_array_equal(age.points(matrix[:, 0]), [2, 0, 5, 1])
    np.testing.assert_array_equal(city.points(matrix[:, 1]), [4, 4, 1, 1])
    np.testing.assert_array_equal(Condition((age, city, bmi), 33.0).holds(matrix), [True, False, False, False])
    np.testing.assert_array_equal(Condition((bmi,), 26.0).holds(matrix), [True, False, True, True])


# --- rules ------------------------------------------------------------------------------------------------------------


def test_a_planted_rule_is_found(bank):
    X, y, model = bank
    found = rules(model, X, y, fidelity=0.98)
    assert found.fidelity > 0.99 and found.otherwise == "does not"
    assert found[0].conditions == ("city is Rome", "age from 41")
    (income,) = found[1].conditions
    assert abs(float(re.fullmatch(r"income from ([\d.]+)", income)[1]) - 90) < 3
    assert all(rule.precision > 0.99 for rule in found)
    assert found[0].share > 0.7 > 0.3 > found[1].share > 0.1


@pytest.mark.parametrize("name", NAMES)
def test_what_is_said_is_measured(fitted, name):
    """On every kind of model: figures, predictions and all forms agree."""
    model, X, y = fitted[name]
    found = rules(model, X, y, fidelity=0.9)
    said = model.predict(X)
    by_rules = found.predict(X)
    assert by_rules.dtype == said.dtype
    assert found.fidelity == np.mean(by_rules == said)
    assert found.accuracy == np.mean(by_rules == y) and found.model_accuracy == np.mean(said == y)
    matrix = model._read_table(X, model._state.beginning.columns)
    for label in {rule.label for rule in found}:
        before = np.zeros(len(X), bool)
        shares = []
        for rule in (rule for rule in found if rule.label == label):
            holds = rule.draft.holds(matrix)
            assert rule.coverage == np.mean(holds) > 0
            assert rule.precision == np.mean(y[holds] == label) and rule.agreement == np.mean(said[holds] == label)
            shares.append(np.sum(holds & ~before & (said == label)) / np.sum(said == label))
            assert rule.share == pytest.approx(shares[-1])
            before |= holds
        assert shares[0] == max(shares)
    json.dumps(found.to_dict())
    text, page, frame = str(found), found.to_html(), found.to_frame()
    assert len(frame) == len(found)
    for rule in found:
        assert percent(rule.coverage) in text and percent(rule.coverage) in page
    assert f"{percent(found.fidelity)} of {len(X)} rows" in text


def test_rules_beat_saying_always_the_same(fitted):
    for model, X, _ in fitted.values():
        said = model.predict(X)
        _, counts = np.unique(said, return_counts=True)
        assert rules(model, X).fidelity >= counts.max() / len(said)


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
    assert len(found) == 1 and all(len(condition.effects) <= 2 for condition in found[0].draft.conditions)
    assert found.accuracy is None and found[0].precision is None
    assert "100 % was asked for: raise max_rules or max_terms" in found.summary() and "right" not in str(found)


def test_equal_conjunctions_of_many_networks_become_one_rule(moons):
    X, y = moons
    model = LDNNClassifier(1, 2, bends=None, n_networks=6, max_epochs=10, random_state=0).fit(X, y)
    found = rules(model, X, y, fidelity=0.9)
    assert len(found) <= 2 and found.n_conjunctions == found.n_networks == 6
    assert found[0].conjunctions >= 3


def test_several_classes(blobs):
    X, y = blobs
    found = rules(plain(2, 2, max_epochs=20).fit(X, y), X, y, fidelity=0.9)
    assert {rule.label for rule in found} | {found.otherwise} == {"a", "b", "c"}
    assert found.fidelity > 0.9
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


def test_names_are_escaped(random):
    X = pd.DataFrame({"<b>a & b": random.standard_normal(200), "b": random.standard_normal(200)})
    y = np.where(X.iloc[:, 0] > 0, "<i>", "no")
    page = rules(plain(1, 1, max_epochs=5).fit(X, y), X, y).to_html()
    assert "<b>a &" not in page and "<i>" not in page.replace("<i style", "") and "&lt;b&gt;a &amp; b" in page


def test_real_data():
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = LDNNClassifier(random_state=0).fit(X[::2], y[::2])
    found = rules(model, X[1::2], y[1::2])
    assert found.fidelity >= 0.95 and found.accuracy > 0.9
    assert len(found) <= 3 and sum(rule.draft.size for rule in found) <= 6


def test_adult(need):
    need("adult")
    from ldnn.datasets import load_adult

    data = load_adult(as_frame=True)
    X, y = data.data[:20000], np.asarray(data.target_names)[data.target[:20000]]
    model = LDNNClassifier(4, 4, bends="tree", n_networks=2, max_epochs=4, random_state=0).fit(X, y)
    found = rules(model, X, y, fidelity=0.93)
    assert found.fidelity > 0.9 and len(found) <= 6
    assert {"marital-status", "education-num"} & {name for rule in found for name in rule.columns}


# --- one row ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_explanations_are_the_models(fitted, name):
    model, X, _ = fitted[name]
    rows = X[:12] if isinstance(X, np.ndarray) else X.head(12)
    parts = Parts.of(model, model._read_table(rows, model._state.beginning.columns))
    labels, probabilities = model.predict(rows), model.predict_proba(rows)
    for k in range(12):
        row = rows[k] if isinstance(rows, np.ndarray) else rows.iloc[k]
        found = explain(model, row)
        assert found.label == labels[k]
        assert found.probability == probabilities[k, list(model.classes_).index(labels[k])]
        c = networks_of(model)[list(model.classes_).index(found.about)][found.network - 1]
        z = parts.half_spaces(c)[k, found.conjunction - 1]
        used = z[: model.sizes_[c, 1]]
        margins = [half_space.margin for half_space in found.half_spaces]
        np.testing.assert_allclose(sorted(margins), np.sort(used), rtol=1e-4, atol=1e-4)
        assert np.abs(margins).tolist() == sorted(np.abs(margins))
        assert f"{found.label}, with probability" in str(found)
        json.dumps(found.to_dict())
        assert len(found.to_frame()) == sum(len(half_space.columns) for half_space in found.half_spaces)


def test_contributions_add_up(random):
    """Margins are the usual ones plus what each column adds."""
    X = random.standard_normal((300, 3)) * [1, 10, 0.1] + 5
    model = plain(2, 2, max_epochs=10).fit(X, X[:, 0] + X[:, 1] / 10 > 5.5)
    found = explain(model, X[0], X)
    c, i = 0, found.conjunction - 1
    usual = model.biases_[c, i] + model.weights_[c, i] @ X.mean(axis=0)
    rest = [half.margin - sum(added for _, added in half.columns.values()) for half in found.half_spaces]
    np.testing.assert_allclose(sorted(rest), np.sort(usual), atol=1e-3)
    for half_space in found.half_spaces:
        assert half_space.columns["x0"][0] == pytest.approx(X[0, 0])


def test_what_decides_a_row_of_a_planted_rule(bank):
    X, _, model = bank
    row = {"age": 60.0, "city": "Rome", "income": 20.0, "noise": 0.0}
    found = explain(model, row, X)
    assert found.label == "pays" == found.about and found.votes[1] == 3 and found.votes[0] >= 2
    assert next(iter(found.columns)) == "city" and found.columns["age"][1] > 1 > abs(found.columns["noise"][1])
    assert found.columns["city"][0] == "Rome" and found.columns["city"][1] > 0
    against = explain(model, {**row, "city": "Oslo"}, X)
    assert against.label == "does not" and against.about == "pays" and against.columns["city"][1] < 0
    assert "city = Oslo (-" in str(against) and "city = Oslo (-" in against.to_html()


def test_every_kind_of_row(bank):
    X, _, model = bank
    kinds = [X.iloc[3], X.iloc[[3]], dict(X.iloc[3]), X.iloc[3].tolist(), X.to_numpy(object)[3]]
    texts = {str(explain(model, row)) for row in kinds}
    assert len(texts) == 1


# --- columns ----------------------------------------------------------------------------------------------------------


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


# --- wrong calls ------------------------------------------------------------------------------------------------------


def test_wrong_calls(bank, moons):
    X, y, model = bank
    for call, error, message in [
        (lambda: rules(LogisticRegression(), X, y), TypeError, "not from a LogisticRegression; of a pipeline, give"),
        (lambda: rules(make_pipeline(StandardScaler(), model), X), TypeError, "not from a Pipeline"),
        (lambda: rules(LDNNClassifier(), X, y), NotFittedError, "not fitted"),
        (lambda: rules(model, X, y[:5]), ValueError, "inconsistent numbers of samples"),
        (lambda: rules(model, X, fidelity=95), ValueError, "fidelity=95 is not allowed: give a share above 0"),
        (lambda: rules(model, X, max_rules=0), ValueError, "max_rules=0 is not allowed: give a whole number"),
        (lambda: rules(model, X, max_terms=1.5), ValueError, "max_terms=1.5 is not allowed"),
        (lambda: rules(model, X[["age", "city"]]), ValueError, "feature names|features"),
        (lambda: explain(model, X), ValueError, "One row is explained at a time, but there are 3000"),
        (lambda: explain(model, {"age": 3}), ValueError, "The row has no value for 'city'"),
        (lambda: explain(plain(1, 1, max_epochs=1).fit(*moons), {"a": 1}), ValueError, "knows no names of columns"),
        (lambda: importance(LDNNClassifier(), X), NotFittedError, "not fitted"),
    ]:
        with pytest.raises(error, match=message):
            call()
