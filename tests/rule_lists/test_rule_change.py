from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_cells import random_case, smallest_size

from ldnn import RuleClassifier
from ldnn._rule_lists import rule_change
from ldnn._rule_lists.rule_change import smallest_change
from ldnn.rules import explain


@pytest.fixture(scope="module")
def fitted():
    """Yes for the red of at least 40 and less than 60 years, and where income is above 5,000."""
    generator = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": generator.integers(18, 80, 800),
            "colour": generator.choice(["blue", "green", "red"], 800),
            "income": np.where(generator.random(800) < 0.1, np.nan, generator.lognormal(8, 1, 800)),
            "member": generator.random(800) < 0.5,
        }
    )
    y = np.where((X["age"].between(40, 59) & (X["colour"] == "red")) | (X["income"] > 5000), "yes", "no")
    return RuleClassifier(6, random_state=0).fit(X, y), X


def scanned(state, row, fixed=()):
    """The size of the smallest change, over a fine grid of all values."""
    values = [np.arange(17.0, 81.0), np.arange(3.0), np.append(np.linspace(0, 12000, 241), row[2]), [0.0, 1.0]]
    values = [np.array([row[k]]) if k in fixed else own for k, own in enumerate(values)]
    grid = np.array(list(product(*values)))
    sizes = np.zeros(len(grid))
    for k in (0, 2, 3):
        size = np.ones(len(grid)) if np.isnan(row[k]) else np.abs(grid[:, k] - row[k]) / (state.scales[k] or 1.0)
        sizes += np.where(np.isnan(row[k]) & np.isnan(grid[:, k]), 0, size)
    sizes += grid[:, 1] != row[1]
    return sizes[state.predict(grid) != state.predict(row[None])[0]].min(initial=np.inf)


@pytest.mark.parametrize("fixed", [(), (0,), (1, 2)])
def test_no_change_is_smaller(fitted, fixed):
    model, X = fitted
    state = model._state
    for row in model._matrix(X.iloc[:12]).astype(float):
        found, best = smallest_change(state, row, set(fixed)), scanned(state, row, fixed)
        if found is None:
            assert best == np.inf
            continue
        assert found.is_smallest and found.size <= best + 0.05 * len(found.columns)  # values are round
        assert found.size >= best - 50 / state.scales[2] - 0.1  # the step of the grid
        assert state.predict(found.row[None])[0] == found.label != state.predict(row[None])[0]
        assert {*np.flatnonzero(found.row != row)} <= {*found.columns, *np.flatnonzero(np.isnan(row))}
        assert not {*found.columns} & {*fixed}


def test_a_change_is_told_in_the_units_of_the_table(fitted):
    model, _ = fitted
    row = {"age": 39, "colour": "red", "income": 1000.0, "member": False}
    found = explain(model, row)
    assert found.change.label == "yes" and found.change.values == {"age": ("39", "40")}
    assert "Smallest change that would change it: yes with age 40 instead of 39." in str(found)
    assert found.to_dict()["change"]["values"] == {"age": ("39", "40")}
    other = explain(model, row, fixed=["age", 1]).change
    assert [*other.values] == ["income"] and 4500 < float(other.values["income"][1]) < 5500
    none = explain(model, row, fixed=["age", "colour", "income"])
    assert none.change is None and "No change of the columns that may change" in str(none)


def test_columns_that_do_not_exist(fitted):
    model, X = fitted
    with pytest.raises(ValueError, match="fixed has 'size', which is not among the columns age, colour"):
        explain(model, X.iloc[:1], fixed="size")


def test_sums_of_columns():
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(600, 2)).round(1), columns=["a", "b"])
    model = RuleClassifier(2, columns_per_condition=2, random_state=0).fit(X, X["a"] + X["b"] > 0)
    change = explain(model, [0.5, 0.3], fixed="b").change
    assert [*change.values] == ["a"] and float(change.values["a"][1]) < -0.2 and change.is_smallest
    assert len(change.values["a"][1]) <= len("-0.25")
    before, after = model.predict(pd.DataFrame({"a": [0.5, float(change.values["a"][1])], "b": 0.3}))
    assert after == change.label != before


@settings(max_examples=300)
@given(st.integers(0, 2**32 - 1))
def test_no_change_is_smaller_in_any_cell(seed):
    """Rule lists of several classes with sums, integers, flags, categories and missing values."""
    model, row, fixed = random_case(seed)
    found, best = smallest_change(model, row, fixed), smallest_size(model, row, fixed)
    if found is None:
        assert best == np.inf
        return
    assert model.predict(found.row[None])[0] == found.label != model.predict(row[None])[0]
    assert found.is_smallest and best - 1e-3 <= found.size <= best + 0.05 * len(found.columns) + 1e-3
    assert not {*found.columns} & fixed
    for k in np.flatnonzero(model.is_whole & (found.row != row)):
        assert np.isnan(found.row[k]) or found.row[k].is_integer() or not row[k].is_integer()


@pytest.mark.parametrize("seed", range(20))
def test_after_many_steps_some_change_is_found(seed, monkeypatch):
    model, row, fixed = random_case(seed)
    best = smallest_change(model, row, fixed)
    monkeypatch.setattr(rule_change, "_MOST_REGIONS", 1)
    monkeypatch.setattr(rule_change, "_MOST_DEEP", 100)
    found = smallest_change(model, row, fixed)
    assert (found is None) == (best is None)
    if found is not None:
        assert model.predict(found.row[None])[0] == found.label != model.predict(row[None])[0]
        assert found.size >= best.size - 0.05 * len(best.columns)


def test_several_parts_of_a_date_stay_as_they_are():
    """A rule on the month and the day cannot have one of them changed alone."""
    days = pd.date_range("2020-01-01", periods=900).to_numpy()
    X = pd.DataFrame({"signed": np.tile(days, 2), "size": np.arange(1800) % 7})
    stamps = pd.DatetimeIndex(X["signed"])
    y = (stamps.month <= 3) & (stamps >= "2021-01-01")
    model = RuleClassifier(3, random_state=0).fit(X, y)
    assert any("month" in c for rule in model.rules_ for c in rule.conditions)
    used = {k for rule in model._state.rules for c in rule.conditions for k in c.columns}
    assert len(used) > 1 and explain(model, X.iloc[:1]).change is None


def test_several_classes():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(900, 3))
    y = np.where(X[:, 0] > 0.5, "a", np.where(X[:, 1] > 0, "b", "c"))
    model = RuleClassifier(4, random_state=0).fit(X, y)
    for row in X[:10]:
        change = smallest_change(model._state, row, set())
        assert model.predict(change.row[None])[0] == model.classes_[change.label] != model.predict(row[None])[0]


def test_of_equally_round_values_the_nearest_one_is_shown():
    generator = np.random.default_rng(0)
    X = pd.DataFrame({"width": generator.uniform(0, 3, 300).round(1)})
    model = RuleClassifier(1, random_state=0, n_jobs=1).fit(X, X["width"] >= 1.75)
    (limit,) = {c.low for rule in model._state.rules for c in rule.conditions} - {-np.inf}
    assert 1.7 < limit <= 1.8
    (_, new) = explain(model, {"width": 2.4}).change.values["width"]
    assert float(new) < limit and float(new) >= limit - 0.011
    (_, new) = explain(model, {"width": 1.0}).change.values["width"]
    assert float(new) == pytest.approx(limit)
