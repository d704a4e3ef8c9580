"""A model that is its rules, from the command line."""

import json
import re

import numpy as np
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


@pytest.fixture(scope="module")
def with_units(tmp_path_factory):
    """A file with units, and the rules of it: what is light and dear is wanted."""
    generator = np.random.default_rng(0)
    weight, price, share = generator.normal(70, 12, 300), generator.gamma(2, 900, 300), generator.random(300)
    wanted = ((weight < 65) & (price > 1200)) | (share > 0.9)
    folder = tmp_path_factory.mktemp("units")
    lines = [
        f'{w:.1f} kg,"$ {p:,.0f}",{s:.3f} %,{"yes" if y else "no"}'
        for w, p, s, y in zip(weight, price, 100 * share, wanted, strict=True)
    ]
    (folder / "t.csv").write_text("\n".join(["weight,price,share,answer", *lines]))
    run("fit", folder / "t.csv", "-t", "answer", "--rules", "--max-conditions", 3, "-o", folder / "m.ldnn", "-q")
    return folder


def test_rules_and_explanations_have_the_units_of_the_table(with_units):
    model, table = with_units / "m.ldnn", with_units / "t.csv"
    text = run("rules", model).stdout
    assert re.search(r"weight <= 6[45](\.\d)? kg\n", text) and re.search(r"price >= \$ 1,[12]\d\d\n", text)
    assert re.search(r"share >= (89|9\d)(\.\d+)? %\n", text)
    assert text.strip() == str(ldnn.load(model).rules_) == str(ldnn.load(model).frontier_[-1]["rules"])
    explained = run("explain", model, table, "--row", 1).stdout
    assert re.search(r"it is (\d.* kg|\$ [\d,]+|\d.* %)\n", explained)
    assert re.search(r"with (weight \d.* kg|price \$ [\d,]+|share \d.* %) instead of", explained)


def test_rules_of_networks_have_the_units_of_the_table(with_units, tmp_path):
    run("fit", with_units / "t.csv", "-t", "answer", "-o", tmp_path / "n.ldnn", "-q", "--set", "effort=0.1")
    assert re.search(
        r"(weight [<>]= \d.* kg|price [<>]= \$ [\d,]+|share [<>]= .* %)", run("rules", tmp_path / "n.ldnn").stdout
    )
    assert re.search(r"\$ \d|\d kg|\d %", run("explain", tmp_path / "n.ldnn", with_units / "t.csv", "--row", 1).stdout)
