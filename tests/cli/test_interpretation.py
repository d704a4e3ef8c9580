"""Rules and explanations."""

import json

import pandas as pd
from cli_runner import error_of, run

import ldnn


def test_rules(folder, tmp_path):
    stored = run("rules", folder / "people.ldnn").stdout
    assert "income" in stored and "as the model does for" in stored
    assert run("rules", folder / "people.ldnn", folder / "people.csv").stdout == stored
    data = json.loads(run("rules", folder / "people.ldnn", "--json").stdout)
    assert data["rows"] == 300 and 0.5 < data["fidelity"] <= 1
    run("rules", folder / "people.ldnn", "-o", tmp_path / "rules.html")
    assert "<!doctype html>" in (tmp_path / "rules.html").read_text()
    run("rules", folder / "people.ldnn", "-o", tmp_path / "rules.txt")
    assert (tmp_path / "rules.txt").read_text() == stored


def test_models_without_stored_rules(tmp_path):
    X, y = ldnn.datasets.make_two_moons(100, random_state=0)
    ldnn.save(ldnn.LDNNClassifier(2, 2, max_epochs=2).fit(pd.DataFrame(X, columns=["a", "b"]), y), tmp_path / "m.ldnn")
    assert "holds no rules; give a table" in error_of("rules", tmp_path / "m.ldnn")


def test_explanations(folder):
    explanation = json.loads(run("explain", folder / "people.ldnn", folder / "people.csv", "-r", 3, "--json").stdout)
    assert explanation["label"] in ("no", "yes")
    assert "There is no row 301" in error_of("explain", folder / "people.ldnn", folder / "people.csv", "-r", 301)
