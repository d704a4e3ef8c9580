"""The page of a model is used as a reader does: in a real browser, with clicks; what it says is held against Python."""

import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from cli_runner import PLAIN, error_of, run
from customers import HOSTILE
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, roc_auc_score

from ldnn import LDNNClassifier, RuleClassifier
from ldnn._rule_lists.distillation import distilled
from ldnn.explore import explore


@pytest.fixture
def opened(visit):
    def go(path, **options):
        page = visit(path, **options)
        page.evaluate("ldnn.ready.then(() => true)")
        return page

    return go


def shown_row(page, X):
    """The row of the table that the page shows, as a frame of one row."""
    number = page.evaluate("ldnn.app.rowNumbers()[ldnn.app.state.row]")
    return X.iloc[[number - 1]].copy()


def probability(page, name):
    line = page.locator(".probability").filter(has=page.get_by_text(name, exact=True))
    return line.locator("b").inner_text()


def percent(share):
    return "< 0.1 %" if share < 5e-4 else "> 99.9 %" if share > 0.9995 else f"{100 * share:.1f} %"


def predicted(page):
    return re.match("Predicted: (.*), with", page.locator("#decision").inner_text())[1]


def counterfactual(page):
    for _ in range(100):
        text = page.locator("#counterfactual").inner_text()
        if "Searching" not in text:
            return text
        page.wait_for_timeout(100)
    return pytest.fail("the search does not end")


def test_one_file_below_a_megabyte(page_of_mixed):
    html = page_of_mixed.read_text()
    assert len(html.encode()) <= 1_000_000
    assert html.count("</script>") == 3  # names of columns and labels are escaped
    assert not re.search(r'(src|href)="(?!data:)', html)


def test_names_are_text_and_never_markup(page_of_mixed, opened):
    page = opened(page_of_mixed)
    assert page.title() == "Customers <b>"
    assert page.locator("img").count() == 0
    assert page.locator("label.name").filter(has_text="</script>").inner_text().startswith("city </script><img")
    assert "mid </script>" in page.locator("#bars").inner_text()


def test_a_changed_row_has_the_probability_of_python(mixed, page_of_mixed, opened):
    model, X, _ = mixed
    page = opened(page_of_mixed)
    page.evaluate("ldnn.app.startFrom(ldnn.app.rows().findIndex(row => Number.isNaN(row[4])))")
    row = shown_row(page, X)
    assert row["signed"].isna().all()
    page.get_by_label("age, as a number").fill("77")
    page.get_by_label("age, as a number").press("Enter")
    page.get_by_label(HOSTILE, exact=True).select_option("Rome")
    signed = page.locator(".field").filter(has=page.get_by_label("signed, as a date"))
    signed.get_by_label("missing").uncheck()  # a value that was missing can be given
    page.get_by_label("signed, as a date").fill("2021-11-24T13:30")
    page.get_by_label("member", exact=True).select_option("1")
    row["age"], row[HOSTILE], row["signed"], row["member"] = 77, "Rome", np.datetime64("2021-11-24T13:30"), True
    expected = model.predict_proba(row)[0]
    assert [probability(page, label) for label in model.classes_] == [percent(share) for share in expected]
    assert model.predict(row)[0] in page.locator("#decision").inner_text()
    field = page.locator(".field").filter(has=page.get_by_label("income, as a number"))
    field.get_by_label("missing").set_checked(not np.isnan(row["income"].iloc[0]))
    row["income"] = np.nan if field.get_by_label("missing").is_checked() else row["income"]
    if np.isnan(row["income"].iloc[0]):
        expected = model.predict_proba(row)[0]
        assert probability(page, model.classes_[0]) == percent(expected[0])
    page.get_by_role("button", name="Undo all changes", exact=True).click()
    assert "was" not in page.locator("#fields").inner_text()


def test_sliders_move_with_the_keyboard(mixed, page_of_mixed, opened):
    model, X, _ = mixed
    page = opened(page_of_mixed)
    row = shown_row(page, X)
    page.get_by_label("age", exact=True).press("ArrowRight")
    row["age"] += 1 if row["age"].iloc[0] < 89 else 0
    assert page.get_by_label("age, as a number").input_value() == str(row["age"].iloc[0])
    assert probability(page, "low") == percent(model.predict_proba(row)[0, 0])


def test_the_smallest_change_changes_the_decision(page_of_two, opened):
    page = opened(page_of_two)
    before = predicted(page)
    text = counterfactual(page)
    assert "→" in text and "standard deviations" in text
    size = float(re.search(r"found: ([\d.]+)", text)[1])
    page.get_by_role("button", name="Change the row so").click()
    after = predicted(page)
    assert {before, after} == {"True", "False"}
    assert f"then {after}" in text
    changed = [re.split(r": ", line)[0] for line in text.splitlines() if "→" in line]
    page.get_by_role("button", name="Undo all changes", exact=True).click()
    for name in changed:  # what may not change does not, and another change is not smaller
        page.get_by_label(f"{name} may not change").check()
    text = counterfactual(page)
    assert not [name for name in changed if f"{name}:" in text]
    assert "None was found" in text or float(re.search(r"found: ([\d.]+)", text)[1]) >= size - 0.01


def test_no_change_along_one_column_is_smaller(two_classes, page_of_two, opened):
    """The search finds at least what a scan of every column by Python finds."""
    model, X, _ = two_classes
    page = opened(page_of_two)
    for start in range(4):
        page.evaluate("k => ldnn.app.startFrom(k)", start)
        size = float(re.search(r"found: ([\d.]+)", counterfactual(page))[1])
        row = shown_row(page, X)
        decision, deviation = model.predict(row)[0], X["age"].std(ddof=0)
        ages = np.arange(18, 90)
        changes = model.predict(pd.concat([row] * len(ages)).assign(age=ages)) != decision
        assert (size <= np.abs(ages - row["age"].iloc[0])[changes] / deviation + 1e-6).all()


DECIDE = """() => {
    const { rules, state } = ldnn.app, list = rules.fresh(state.list);
    const labels = [...list.map(rule => rule.label), rules.otherwise(state.list)];
    return ldnn.app.matrixRows().map(row => labels.at(rules.firing(list, row)));
}"""


def test_rules_are_measured_on_the_rows_of_the_page(two_classes, page_of_two, opened):
    model, X, y = two_classes
    page = opened(page_of_two)
    numbers = np.array(page.evaluate("ldnn.app.rowNumbers()")) - 1
    assert len(numbers) == 200
    decisions = page.evaluate(DECIDE)
    wrong = int(np.sum(model.classes_[decisions] != y[numbers]))
    scores = page.locator("#scores")
    assert f"{wrong} (" in scores.get_by_role("row", name="rules").first.inner_text()
    model_row = scores.get_by_role("row", name="model").first.inner_text()
    assert f"{int(np.sum(model.predict(X.iloc[numbers]) != y[numbers]))} (" in model_row
    area = roc_auc_score(y[numbers], model.predict_proba(X.iloc[numbers])[:, 1])
    assert f"{area:.3f}" in model_row
    cells = scores.locator(".scroll").nth(0).locator("tbody td").all_inner_texts()
    expected = confusion_matrix(y[numbers], model.classes_[decisions])
    assert list(map(int, cells)) == expected.ravel().tolist()
    assert "200 rows of the table" in scores.inner_text() and "not known" in scores.inner_text()


def test_rules_decide_as_in_python(two_classes, page_of_two, opened):
    """The same rules, fitted to the decisions about the rows that are not in the page."""
    model, X, _ = two_classes
    page = opened(page_of_two)
    shown = np.array(page.evaluate("ldnn.app.rowNumbers()")) - 1
    others = np.random.default_rng(0).permutation(len(X))[: len(X) // 2]
    assert not np.isin(others, shown).any()
    matrix = model._matrix(X)
    found = distilled(model, matrix[others], model.predict(X.iloc[others]))
    np.testing.assert_array_equal(page.evaluate(DECIDE), found.chosen.predict(matrix[shown]))
    longest = found.lists[-1]
    page.get_by_label("Few or many conditions").fill("100")
    assert f"{longest.n_conditions} conditions in" in page.locator("#length-value").inner_text()
    np.testing.assert_array_equal(page.evaluate(DECIDE), longest.predict(matrix[shown]))
    assert "list=" in page.url
    assert "conditions" in page.locator("#frontier-plot svg").get_attribute("aria-label")


def test_rules_can_be_switched_off_and_moved(page_of_two, opened):
    page = opened(page_of_two)
    errors = page.locator("#scores").get_by_role("row", name="rules").first
    before = errors.inner_text()
    boxes = page.locator("#rule-list input[type=checkbox]")
    for k in range(boxes.count()):
        boxes.nth(k).uncheck()
    without = errors.inner_text()
    assert without != before
    assert "None, so the rules say" in page.locator("#firing").inner_text()
    page.get_by_role("button", name="Undo all changes of the rules").click()
    assert errors.inner_text() == before
    cut = page.locator("#rule-list .cut[type=number]").first
    value = float(cut.input_value())
    cut.fill(str(value + 1e6))
    cut.press("Enter")
    assert errors.inner_text() != before
    page.get_by_label("The model decides for").fill("0.99")
    assert "99.0 %" in page.locator("#scores").inner_text()
    page.get_by_role("button", name="look at row").first.click()
    assert page.evaluate("document.activeElement.id") == "row"


def test_the_map_and_the_shapes(mixed, page_of_mixed, opened):
    model, X, _ = mixed
    page = opened(page_of_mixed)
    page.locator("#map-x").select_option("income")
    page.locator("#map-y").select_option("age")
    page.locator("#polytopes").select_option("network 2 of 3")
    page.wait_for_timeout(500)
    box = page.locator("#plane").bounding_box()
    page.locator("#plane").click(position={"x": 0.6 * box["width"], "y": 0.4 * box["height"]})
    assert "was" in page.locator("#fields").inner_text()
    row = page.evaluate("[...ldnn.app.values()]")
    assert row[0] == round(row[0]) and X["income"].min() < row[1] < X["income"].max()
    age = row[0]
    page.locator("#plane").press("ArrowUp")
    assert page.evaluate("ldnn.app.values()[0]") > age
    found = page.evaluate("""async () => {
        const shapes = ldnn.shapes(ldnn.app.model, ldnn.app.columns, ldnn.app.rows());
        return shapes.mean(0, 0, async () => true);
    }""")
    numbers = np.array(page.evaluate("ldnn.app.rowNumbers()"))[:40] - 1
    for value, mean in list(zip(found["grid"], found["means"], strict=True))[::8]:
        expected = model.predict_proba(X.iloc[numbers].assign(age=value))[:, 0].mean()
        assert mean == pytest.approx(expected, abs=1e-6)
    page.locator("#shapes").scroll_into_view_if_needed()
    page.locator(".shape svg").first.wait_for()
    assert "mean probability of low" in page.locator(".shape svg").first.get_attribute("aria-label")


def test_the_address_can_be_shared(page_of_mixed, opened, visit):
    page = opened(page_of_mixed)
    page.get_by_role("button", name="Next error").click()
    assert "an error" in page.locator("#decision").inner_text()
    page.get_by_label("age, as a number").fill("33.0")
    page.get_by_label("age, as a number").press("Enter")
    page.get_by_label("income may not change").check()
    page.locator("#rule-list input[type=checkbox]").first.uncheck()
    state = "({row, shown, map, changes, locked, off}) => [row, shown, map, [...changes], [...locked], [...off]]"
    before, address = page.evaluate(f"({state})(ldnn.app.state)"), page.url
    page.goto("about:blank")
    page.goto(address)
    page.evaluate("ldnn.ready.then(() => true)")
    assert page.evaluate(f"({state})(ldnn.app.state)") == before
    page.goto("about:blank")
    page.goto(address.split("#")[0] + "#row=9999&set=77:1,2:99,x&lock=<b>&class=-1&map=1&cut=0.0.9:1&threshold=7")
    page.evaluate("ldnn.ready.then(() => true)")  # nonsense is ignored
    assert page.evaluate(f"({state})(ldnn.app.state)")[0] == 0


@pytest.mark.parametrize("width", [360, 800])
def test_nothing_is_cut_off(page_of_mixed, opened, width):
    page = opened(page_of_mixed, width=width, height=740, colors="dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_role("button", name="Switch to light").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("data", "n_columns"), [("mixed", 1), ("two_classes", 1), ("two_classes", 2)])
def test_a_model_that_is_its_rules(request, data, n_columns, opened, tmp_path):
    _, X, y = request.getfixturevalue(data)
    X, y = X[:400], y[:400] if n_columns == 1 else np.asarray(X["age"] + 30 * X["noise"] > 54)[:400]
    options = {"columns_per_condition": n_columns, "random_state": 0, "n_jobs": 1}
    model = RuleClassifier(max_conditions=6, **options).fit(X[:200], y[:200])
    page = opened(model.explore(X, y).write(tmp_path / "rules.html"))
    numbers = np.array(page.evaluate("ldnn.app.rowNumbers()")) - 1
    assert len(numbers) == 400
    found = np.array(page.evaluate("ldnn.app.allProbabilities()"))
    np.testing.assert_allclose(found, model.predict_proba(X.iloc[numbers]), atol=1e-6)
    np.testing.assert_array_equal(
        page.evaluate(DECIDE), np.searchsorted(model.classes_, model.predict(X.iloc[numbers]))
    )
    text = page.locator("#rules").inner_text()
    assert "These rules are the model" in text and (n_columns == 1 or " \u00d7 " in text)
    assert page.get_by_text("Which conjunction decides").is_hidden() and page.locator("#polytopes").is_hidden()
    before = predicted(page)
    assert "→" in counterfactual(page)
    page.get_by_role("button", name="Change the row so").click()
    assert predicted(page) != before
    lengths = page.evaluate("ldnn.app.rules.lists.map(list => list.conditions)")
    assert lengths == [point["n_conditions"] for point in model.frontier_ if point["n_conditions"]]
    page.get_by_label("Few or many conditions").press("Home")  # to the shortest of the other lists
    assert page.locator("#length-value").inner_text().startswith(f"{lengths[0]} condition")
    assert page.locator("article.rule").count() == model.frontier_[1]["n_rules"]


def test_truth_values_read_as_their_names(opened, tmp_path, random):
    X = pd.DataFrame({"member": random.random(200) < 0.5, "size": random.random(200)})
    model = RuleClassifier(1, classes="no", random_state=0, n_jobs=1).fit(X, np.where(X["member"], "yes", "no"))
    page = opened(model.explore(X, np.where(X["member"], "yes", "no")).write(tmp_path / "flags.html"))
    assert page.locator("article.rule li").inner_text() == "not member"
    assert page.get_by_label("member", exact=True).locator("option").all_inner_texts() == ["false", "true"]
    assert page.locator("#scores .figures tbody tr").count() == 1  # the rules are those of the model
    assert sorted(counterfactual(page).splitlines()[0].split(" → ")) == ["member", "not member"]
    page.get_by_role("button", name="Change the row so").click()
    assert page.locator(".field.changed .was").inner_text() in ("was member", "was not member")
    page.locator("article.rule").get_by_role("checkbox").uncheck()
    assert page.locator("#scores .figures tbody tr").count() == 2
    assert "as changed" in page.locator("#scores").inner_text()


def test_rows_without_labels_and_arrays_without_names(visit, tmp_path, random):
    X = random.standard_normal((50, 3))
    model = LDNNClassifier(2, 2, max_epochs=3, validation_fraction=0.1, random_state=0).fit(X, X[:, 0] > 0)
    page = visit(explore(model, X, trained_on=True).write(tmp_path / "page.html"))
    page.evaluate("ldnn.ready.then(() => true)")
    assert "errors cannot be counted" in page.locator("#scores").inner_text()
    assert "was trained on these rows" in page.locator("#facts").inner_text()
    assert page.get_by_label("x0", exact=True).is_visible()
    assert not page.get_by_role("button", name="Next error").is_visible()


def test_what_cannot_be_shown_is_refused(mixed):
    model, X, y = mixed
    with pytest.raises(ValueError, match="would have .* bytes, more than max_bytes=50,000: fit a smaller model"):
        explore(model, X[:100], y[:100], max_bytes=50_000)
    with pytest.raises(ValueError, match="'other'"):
        explore(model, X[:60], ["other"] * 60)
    with pytest.raises(ValueError, match="max_rows=0"):
        explore(model, X, y, max_rows=0)
    with pytest.raises(TypeError, match="LogisticRegression cannot run in a page"):
        explore(LogisticRegression(), X, y)


def test_a_model_that_always_predicts_the_same(opened, tmp_path, random):
    X = random.standard_normal((80, 2))
    model = LDNNClassifier(1, 1, max_epochs=3, validation_fraction=0.1, random_state=0).fit(X, X[:, 0] > 0)
    page = opened(model.explore(X[X[:, 0] > 1.0].repeat(8, axis=0)).write(tmp_path / "page.html"))
    assert "There is no rule: always True" in page.locator("#rule-list").inner_text()


def test_a_small_page_has_fewer_rows():
    X, y = load_breast_cancer(return_X_y=True)
    rules = RuleClassifier(3, random_state=0, n_jobs=1).fit(X, y)
    whole = len(rules.explore(X, y).html.encode())
    page = rules.explore(X, y, max_bytes=whole - 20_000)
    assert len(page.html.encode()) <= whole - 20_000
    assert 50 < int(re.search(r'"rows":{"count":(\d+)', page.html)[1]) < 569


def test_a_large_model_is_rounded(many_classes, opened, tmp_path):
    """Twelve classes: what the page and the warning say of the differences is what they are."""
    model, X, y = many_classes
    whole = len(explore(model, X, y).html.encode())
    limit = 160_000 + (whole - 160_000) // 2
    with pytest.warns(UserWarning, match="With max_bytes=.*, nothing is rounded") as found:
        small = explore(model, X, y, trained_on=False, max_bytes=limit)
    assert len(small.html.encode()) <= limit < 0.8 * whole
    page = opened(small.write(tmp_path / "page.html"))
    numbers, probabilities = page.evaluate("[ldnn.app.rowNumbers(), ldnn.app.allProbabilities()]")
    expected = model.predict_proba(X[np.array(numbers) - 1])
    differences = np.abs(np.array(probabilities) - expected)
    difference = json.loads(page.locator("#data").text_content())["model"]["difference"]
    assert 1e-6 < differences.max() < 0.01
    assert differences.max() == pytest.approx(difference["largest"], abs=1e-6)
    assert differences.mean() == pytest.approx(difference["mean"], abs=1e-6)
    same = (np.array(probabilities).argmax(axis=1) == expected.argmax(axis=1)).mean()
    assert same == difference["same"]
    text = page.locator("#summary").inner_text()
    largest = re.search(r"with rounded weights.* and ([\d.]+) at most", text)[1]
    assert float(largest) == pytest.approx(difference["largest"], rel=0.05)
    assert f"{difference['largest']:.2g} at most" in str(found[0].message)


def test_nothing_is_rounded_where_there_is_room(many_classes, opened, tmp_path):
    model, X, y = many_classes
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page = opened(explore(model, X, y).write(tmp_path / "page.html"))
    numbers, probabilities = page.evaluate("[ldnn.app.rowNumbers(), ldnn.app.allProbabilities()]")
    expected = model.predict_proba(X[np.array(numbers) - 1])
    np.testing.assert_allclose(probabilities, expected, atol=1e-6)
    assert "the same probabilities as in Python" in page.locator("#summary").inner_text()


def test_the_command(tmp_path, monkeypatch, visit, random):
    monkeypatch.chdir(tmp_path)
    lines = [
        f"{a:.3f},{'xy'[b]},{'no' if a < 0 else 'yes'}"
        for a, b in zip(random.standard_normal(200), random.integers(2, size=200), strict=True)
    ]
    (tmp_path / "table.csv").write_text("a,b,answer\n" + "\n".join(lines) + "\n")
    run("fit", "table.csv", "-t", "answer", "-o", "m.ldnn", "-q", *PLAIN)
    assert "Page: m.html (" in run("explore", "m.ldnn", "table.csv", "--trained-on").stdout
    page = visit(tmp_path / "m.html")
    page.evaluate("ldnn.ready.then(() => true)")
    assert page.title() == "The model m"
    assert "rows of table.csv" in page.locator("#facts").inner_text()
    assert "trained on these rows" in page.locator("#facts").inner_text()
    assert "fit a smaller model" in error_of("explore", "m.ldnn", "table.csv", "--max-bytes", 1000)
    assert "no folder" in error_of("explore", "m.ldnn", "table.csv", "-o", "absent/page.html")


def test_numbers_have_the_units_of_the_file(opened, tmp_path):
    generator = np.random.default_rng(0)
    weight, price = generator.normal(70, 12, 200), generator.gamma(2, 900, 200)
    wanted = (weight < 65) & (price > 1200)
    lines = [f'{w:.1f} kg,"$ {p:,.0f}",{y}' for w, p, y in zip(weight, price, wanted, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["weight,price,answer", *lines]))
    model = ("m.ldnn", "--max-conditions", 2)
    run("fit", tmp_path / "t.csv", "-t", "answer", "--rules", "-o", tmp_path / model[0], *model[1:], "-q")
    run("explore", tmp_path / "m.ldnn", tmp_path / "t.csv", "-o", tmp_path / "page.html")
    page = opened(tmp_path / "page.html")
    assert (
        page.get_by_label("weight (kg)", exact=True).count() == page.get_by_label("price ($)", exact=True).count() == 1
    )
    rules = page.locator("#rule-list").inner_text()
    assert re.search(r"weight ≤\s+kg", rules) and re.search(r"price ≥ \$\s", rules)  # the limits are in boxes
    page.get_by_label("weight (kg)", exact=True).fill("60")
    page.get_by_label("price ($)", exact=True).evaluate(
        "box => { box.value = box.max; box.dispatchEvent(new Event('input')); }"
    )
    assert predicted(page) == "True"
    text = counterfactual(page)
    assert re.search(r"weight: [\d.]+ kg → [\d.]+ kg", text) or re.search(r"price: \$ [\d,]+ → \$ [\d,]+", text)
    assert page.evaluate("ldnn.app.columns.text(ldnn.app.columns.list[1], -12345.678)") == "-$ 12,345.7"
