"""A model that is its rules, from the command line."""

import json

import pytest
from cli_runner import error_of, run

import ldnn


@pytest.fixture(scope="module")
def rule_file(folder, tmp_path_factory):
    path = tmp_path_factory.mktemp("rules") / "rules.ldnn"
    shown = run("fit", folder / "people.csv", "-t", "answer", "--rules", "--max-conditions", 3, "-o", path, "-q").stdout
    return path, " ".join(shown.split())


def test_fit_shows_the_rules_and_their_scores(rule_file, folder):
    path, shown = rule_file
    model = ldnn.load(path)
    assert isinstance(model, ldnn.RuleClassifier) and 1 <= model.n_conditions_ <= 3
    assert " ".join(str(model.rules_).split()) in shown
    assert "Measured on 300 rows: each predicted by rules that were fitted without it (5-fold" in shown


def test_predict_as_in_python(rule_file, folder, tmp_path, people):
    path, _ = rule_file
    run("predict", path, folder / "people.csv", "-o", tmp_path / "p.csv")
    found = [line.split(",")[0] for line in (tmp_path / "p.csv").read_text().splitlines()[1:]]
    X = people.drop(columns="answer").astype({"age": float})
    assert found == ldnn.load(path).predict(X).tolist()


def test_rules_with_and_without_a_table(rule_file, folder):
    path, _ = rule_file
    assert run("rules", path).stdout.strip() == str(ldnn.load(path).rules_)
    measured = json.loads(run("rules", path, folder / "people.csv", "--json").stdout)
    assert measured["n_rows"] == 300 and measured["accuracy"] > 0.95
    assert "fit it again with --set classes=LABEL" in error_of("rules", path, folder / "people.csv", "--class", "yes")


def test_explain_and_explore(rule_file, folder, tmp_path):
    path, _ = rule_file
    text = run("explain", path, folder / "people.csv", "--row", 2).stdout
    assert "with probability" in text and "income" in text and "relative to the mean" not in text
    assert json.loads(run("explain", path, folder / "people.csv", "--json").stdout)["rule"] >= 1
    table, fixed = folder / "people.csv", ldnn.load(path).feature_names_in_[0]
    change = json.loads(run("explain", path, table, "--fixed", fixed, "--json").stdout)["change"]
    assert change is None or fixed not in change["values"]
    assert "fixed has 'size', which is not among the columns" in error_of("explain", path, table, "--fixed", "size")
    run("explore", path, folder / "people.csv", "-o", tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size > 10_000


def test_progress_counts_all_fits(folder, tmp_path):
    shown = run("fit", folder / "people.csv", "-t", "answer", "--rules", "-o", tmp_path / "rules.ldnn").stderr
    shares = [int(line.split("%")[0]) for line in shown.splitlines() if "%" in line]
    assert shares == sorted(shares) and shares[0] < 17  # the first of six fits
    assert "100%  measuring them by cross-validation" in shown


def test_costs_and_json(folder, tmp_path):
    path = tmp_path / "costs.ldnn"
    options = ("--rules", "--cost", "yes=5", "--set", "max_conditions=2", "--json", "-q")
    found = json.loads(run("fit", folder / "people.csv", "-t", "answer", "-o", path, *options).stdout)
    assert len(found["rules"]["rules"]) >= 1 and found["held_out"]["costs"] is not None
    assert ldnn.load(path).max_conditions == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--max-conditions", 3), "--max-conditions is for rules"),
        (("--rules", "--in-parts"), "--in-parts is for networks"),
        (("--rules", "--effort", 2), "--effort is for networks"),
        (("--rules", "--set", "max_epochs=2"), "RuleClassifier has no parameter 'max_epochs'"),
    ],
)
def test_options_that_make_no_sense(folder, tmp_path, options, message):
    assert message in error_of("fit", folder / "people.csv", "-t", "answer", "-o", tmp_path / "m.ldnn", *options)


def test_plots_and_onnx_are_refused(rule_file, folder, tmp_path):
    path, _ = rule_file
    output = ("-o", tmp_path / "p.png")
    assert "a model of rules, without a network" in error_of("plot", "boundary", path, folder / "people.csv", *output)
    assert "cannot be exported to ONNX" in error_of("export", path, "-o", tmp_path / "m.onnx")
