"""Rules and explanations."""

import json
import re

import pandas as pd
import pytest
from cli_runner import error_of, run

import ldnn


def test_rules(folder, tmp_path):
    stored = run("rules", folder / "people.ldnn").stdout
    assert "income" in stored and "with the model on" in stored
    assert "The model was trained on these rows." in " ".join(stored.split())
    again = " ".join(run("rules", folder / "people.ldnn", folder / "people.csv").stdout.split())
    assert again == " ".join(stored.split()).replace(" The model was trained on these rows.", "")
    data = json.loads(run("rules", folder / "people.ldnn", "--json").stdout)
    assert data["rows"] == 100 and 0.5 < data["fidelity"] <= 1
    run("rules", folder / "people.ldnn", "-o", tmp_path / "rules.html")
    assert "<!doctype html>" in (tmp_path / "rules.html").read_text()
    run("rules", folder / "people.ldnn", "-o", tmp_path / "rules.txt")
    assert (tmp_path / "rules.txt").read_text() == stored


def test_rows_without_a_class_and_of_other_classes_are_left_out(folder, tmp_path, people):
    incomplete = people.copy()
    incomplete["answer"] = incomplete["answer"].astype(object)
    incomplete.loc[:1, "answer"] = None
    incomplete.loc[2, "answer"] = "yesterday"
    incomplete.to_csv(tmp_path / "t.csv", index=False)
    people[3:].to_csv(tmp_path / "complete.csv", index=False)
    complete = run("rules", folder / "people.ldnn", tmp_path / "complete.csv")
    assert re.fullmatch("note: All figures are of rows of .*complete.csv; .*\n", complete.stderr)
    assert "right for" in " ".join(complete.stdout.split())
    found = run("rules", folder / "people.ldnn", tmp_path / "t.csv")
    assert found.stdout == complete.stdout
    assert found.stderr.splitlines()[:-1] == [
        "note: Left out 2 rows without a value of 'answer'.",
        "note: Left out 1 row of classes that the model does not know, such as yesterday.",
    ]
    plotted = run("plot", "boundary", folder / "people.ldnn", tmp_path / "t.csv", "-o", tmp_path / "t.svg")
    assert "Left out 2 rows" in plotted.stderr
    assert "<!-- no -->" in (tmp_path / "t.svg").read_text()  # the classes of the other rows are in the legend


def test_a_table_without_classes(folder, tmp_path, people):
    people.assign(answer=None).to_csv(tmp_path / "empty.csv", index=False)
    found = run("rules", folder / "people.ldnn", tmp_path / "empty.csv")
    assert "Left out" not in found.stderr and "with the model on" in found.stdout
    people.assign(answer="perhaps").to_csv(tmp_path / "other.csv", index=False)
    message = error_of("rules", folder / "people.ldnn", tmp_path / "other.csv")
    assert message == f"Column 'answer' of {tmp_path / 'other.csv'} has none of the model's classes."


def test_models_without_stored_rules(tmp_path):
    X, y = ldnn.datasets.make_two_moons(100, random_state=0)
    ldnn.save(ldnn.LDNNClassifier(2, 2, max_epochs=2).fit(pd.DataFrame(X, columns=["a", "b"]), y), tmp_path / "m.ldnn")
    assert "holds no rules; give a table" in error_of("rules", tmp_path / "m.ldnn")


def test_explanations(folder):
    explanation = json.loads(run("explain", folder / "people.ldnn", folder / "people.csv", "-r", 3, "--json").stdout)
    assert explanation["label"] in ("no", "yes")
    assert "There is no row 301" in error_of("explain", folder / "people.ldnn", folder / "people.csv", "-r", 301)


def test_stored_rules_of_a_stranger_run_no_script(folder, tmp_path, visit):
    """Rules in a file are text, whatever they say: neither a page nor a terminal obeys them."""
    model = ldnn.load(folder / "people.ldnn")
    bad = "<script>document.title = 'owned'</script><img src=x onerror=\"document.title = 'owned'\">\x1b[2J"
    stored = model.source_["rules"]
    model.source_["rules"] = {**stored, "html": bad}
    with pytest.raises(ValueError, match="source_.rules.html is unknown"):
        ldnn.save(model, tmp_path / "bad.ldnn")
    model.source_["rules"] = {"text": bad, "data": {**stored["data"], "reason": bad}}
    ldnn.save(model, tmp_path / "bad.ldnn")
    run("rules", tmp_path / "bad.ldnn", "-o", tmp_path / "rules.html")
    page = visit(tmp_path / "rules.html")
    assert page.title() != "owned" and page.locator("main script, main img").count() == 0
    assert "document.title" in page.locator("pre").inner_text()
    printed = run("rules", tmp_path / "bad.ldnn").stdout
    assert "\x1b" not in printed and "\\x1b[2J" in printed


def test_classes_to_describe(folder):
    call = ("rules", folder / "people.ldnn")
    data = json.loads(run(*call, folder / "people.csv", "--class", "no", "--json").stdout)
    assert data["described"] == ["no"] and data["otherwise"] == "yes" and data["reason"] == "as asked for"
    assert error_of(*call, folder / "people.csv", "--class", "perhaps") == (
        "The model has no class 'perhaps'; there are 'no', 'yes'."
    )
    assert error_of(*call, "--class", "no").startswith("--class needs rows to look for the rules on")
