"""The smallest change of a row, as the page finds it, against Python's."""

import numpy as np
import pandas as pd
import pytest
from rule_cells import random_case

from ldnn import RuleClassifier
from ldnn._rule_lists.rule_change import smallest_change
from ldnn.explore.rule_data import _list
from ldnn.rules import explain

FIND = """async cases => {
    const known = values => values.map(value => value ?? NaN), found = [];
    for (const { data, list, counts, row, fixed } of cases) {
        const ofMatrix = counts.map((count, table) => ({ table, categories: Array.from({ length: count }) }));
        const rules = ldnn.rules({ lists: [list], chosen: 0 }, ofMatrix);
        const { changeOf } = ldnn.ruleChange(data, rules, { list: [], ofMatrix }, []);
        const change = await changeOf(known(row), new Set(fixed), async () => true);
        const numbers = change.row && [...change.row].map(value => (Number.isNaN(value) ? null : value));
        found.push({ ...change, row: numbers });
    }
    return found;
}"""


def as_page_data(model, row, fixed):
    categories = model.schema.categories
    data = {"otherwise": model.default, "scales": model.scales.tolist(), "whole": model.is_whole.tolist()}
    return {
        "data": {**data, "units": model.schema.units},
        "list": _list(model.rules, model.default, np.arange(len(model.classes))),
        "counts": [0 if known is None else len(known) for known in categories],
        "row": [None if np.isnan(value) else value for value in row.tolist()],
        "fixed": sorted(fixed),
    }


def test_the_page_finds_the_change_of_python(scripts):
    cases = [random_case(seed) for seed in range(400)]
    found = scripts.evaluate(FIND, [as_page_data(*case) for case in cases])
    changes = [smallest_change(*case) for case in cases]
    assert sum(change is not None for change in changes) > 200
    for own, change in zip(found, changes, strict=True):
        assert (change is None) == (own["row"] is None) and own["exact"]
        if change is not None:
            assert own["size"] == pytest.approx(change.size, rel=1e-9)
            row = [np.nan if value is None else value for value in own["row"]]
            np.testing.assert_allclose(row, change.row, rtol=1e-12, atol=1e-12)


@pytest.fixture
def opened(visit):
    def go(path):
        page = visit(path)
        page.evaluate("ldnn.ready.then(() => true)")
        return page

    return go


def found_by(page, start):
    """(size, values, whether it is exact) of the smallest change of a row of the page."""
    return page.evaluate(
        """async start => {
            const { best, exact } = await ldnn.search.search(ldnn.app.rows()[start], new Set(), async () => true);
            return [best.size, [...best.values], exact];
        }""",
        start,
    )


def test_a_model_with_sums(opened, tmp_path, random):
    X = pd.DataFrame(random.normal(size=(400, 4)).round(2), columns=list("abcd"))
    X["e"] = random.integers(0, 9, 400)
    y = np.where(X["a"] + X["b"] + X["e"] > 5, "x", np.where(X["c"] - 2 * X["d"] > 1, "y", "z"))
    model = RuleClassifier(8, random_state=0, n_jobs=1).fit(X, y)
    assert any(len(c.columns) > 1 for rule in model._state.rules for c in rule.conditions)
    page = opened(model.explore(X, y, max_rows=40).write(tmp_path / "sums.html"))
    for start in range(20):
        row = X.iloc[[page.evaluate("k => ldnn.app.rowNumbers()[k]", start) - 1]]
        change = explain(model, row).change
        size, values, is_exact = found_by(page, start)
        assert is_exact and size == pytest.approx(change.size, rel=1e-6)
        changed = dict(zip(X.columns, values, strict=True))
        assert {name: f"{changed[name]:g}" for name in change.values} == {
            k: new for k, (_, new) in change.values.items()
        }
    page.locator("#counterfactual ul").wait_for()
    assert "The smallest change, with round values: " in page.locator("#counterfactual").inner_text()
    before = page.locator("#decision").inner_text()
    page.get_by_role("button", name="Change the row so").click()
    assert page.locator("#decision").inner_text().split(",")[0] != before.split(",")[0]


@pytest.mark.parametrize("part", ["month", "day_of_week", "hour"])
def test_a_part_of_a_date_changes_the_date(opened, tmp_path, random, part):
    stamps = pd.to_datetime("2020-01-15") + pd.to_timedelta(random.integers(0, 900 * 24 * 60, 600), unit="min")
    X = pd.DataFrame({"signed": stamps, "size": random.normal(size=600)})
    own = getattr(stamps, part)
    y = np.where(own >= np.quantile(own, 0.6), "late", "early")
    model = RuleClassifier(1, random_state=0, n_jobs=1).fit(X, y)
    page = opened(model.explore(X, y, max_rows=40).write(tmp_path / "dates.html"))
    for start in range(12):
        row = X.iloc[[page.evaluate("k => ldnn.app.rowNumbers()[k]", start) - 1]]
        size, (days, _), is_exact = found_by(page, start)
        assert is_exact and size == pytest.approx(explain(model, row).change.size, rel=1e-9)
        changed = row.assign(signed=pd.Timestamp("1970-01-01") + pd.Timedelta(round(days * 86400e6), unit="us"))
        assert model.predict(changed)[0] != model.predict(row)[0]


def test_nothing_that_may_change_helps(opened, tmp_path, random):
    X = pd.DataFrame({"a": random.normal(size=200), "b": random.normal(size=200)})
    model = RuleClassifier(1, random_state=0, n_jobs=1).fit(X, X["a"] > 0)
    page = opened(model.explore(X).write(tmp_path / "page.html"))
    page.get_by_label("a may not change").check()
    page.get_by_text("No change of the columns that may change would change the decision.").wait_for()
