"""`ldnn fit --passes`: Parquet files of any length, some rows at a time."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import ldnn
from ldnn.cli.commands import app
from ldnn.cli.tables import Reading, Wanted, pieces, sample

SETTINGS = "n_conjunctions=2 n_discriminants=2 bends=none n_networks=1 loss=squared step_size=0.2"
QUICK = [f"--set={setting}" for setting in SETTINGS.split()]


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result


@pytest.fixture
def table(random):
    """Numbers with holes, text, truth values; who is tall or from Rome says yes. Two rows do not say."""
    height, city = random.normal(0, 1, 1000), random.choice(["Oslo", "Rome", "Bern"], 1000)
    answer = np.where(height + 2 * (city == "Rome") > 0.7, "yes", "no").astype(object)
    height[::50] = np.nan
    answer[[3, 500]] = None
    return pd.DataFrame({"height": height, "city": city, "owner": random.random(1000) < 0.5, "answer": answer})


@pytest.fixture
def file(table, tmp_path, monkeypatch):
    monkeypatch.setattr("ldnn.cli.tables._PIECE", 300)
    monkeypatch.setattr("ldnn.cli.passing._SAMPLE", 200)
    table.to_parquet(tmp_path / "big.parquet", row_group_size=250)
    return tmp_path / "big.parquet"


def test_every_row_is_learned_in_every_pass(table, file, tmp_path):
    model_file = tmp_path / "big.ldnn"
    said = run("fit", file, "-t", "answer", "--passes", "3", "-o", model_file, "-q", "--json", *QUICK)
    result = json.loads(said.stdout)
    assert (result["rows"], result["columns"], result["classes"]) == (998, 3, ["no", "yes"])
    assert "2 rows without a value of 'answer' left out" in said.stderr
    model = ldnn.load(model_file)
    assert model.n_epochs_ == 1 + 3 * 4  # the sample, and each of four pieces in each pass
    known = table.dropna(subset="answer")
    assert model.score(known.drop(columns="answer"), known["answer"]) > 0.9
    predicted = run("predict", model_file, file, "-q").stdout.splitlines()
    assert len(predicted) == 1001


def test_the_same_seed_gives_the_same_model(file, tmp_path):
    for name in ("one", "other"):
        run("fit", file, "-t", "answer", "--passes", "1", "-o", tmp_path / name, "-q", *QUICK)
    one, other = (ldnn.load(tmp_path / name) for name in ("one", "other"))
    np.testing.assert_array_equal(one.weights_, other.weights_)


def test_a_sample_comes_from_all_over_the_file(tmp_path):
    pd.DataFrame({"x": np.arange(10_000.0)}).to_parquet(tmp_path / "long.parquet", row_group_size=1000)
    wanted = Wanted({"x": "number"})
    values = sample(str(tmp_path / "long.parquet"), wanted, 50)["x"].to_numpy()
    assert len(values) == 50
    assert sorted(set(values // 1000)) == list(range(10))
    with pieces(str(tmp_path / "long.parquet"), Reading(), wanted) as (_, tables):
        assert sum(len(piece) for piece in tables) == 10_000


def test_sorted_rows_are_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr("ldnn.cli.tables._PIECE", 1500)
    x = np.arange(6000.0)
    pd.DataFrame({"x": x, "y": (x > 2999).astype(int)}).to_parquet(tmp_path / "sorted.parquet", row_group_size=1000)
    said = run("fit", tmp_path / "sorted.parquet", "-t", "y", "--passes", "1", "-o", tmp_path / "m", "-q", *QUICK)
    assert "shuffle them" in said.stderr


@pytest.mark.parametrize(
    ("make", "target", "words"),
    [
        (lambda t: t, "anser", "There is no column 'anser' to learn; did you mean 'answer'?"),
        (lambda t: t[["answer"]], "answer", "There is no column but 'answer' to learn from."),
        (lambda t: t.assign(answer="yes"), "answer", "one class only"),
        (lambda t: t.assign(answer=pd.Series([None] * len(t), dtype="string")), "answer", "is empty"),
        (lambda t: t[:0], "answer", "has no rows"),
        (lambda t: pd.concat([t, t], ignore_index=True).assign(answer=range(2000)), "answer", "these are no classes"),
        (lambda t: t.assign(answer=t["height"]), "answer", "numbers with fractions"),
    ],
)  # fmt: skip
def test_wrong_files_get_a_sentence(table, tmp_path, make, target, words):
    make(table).to_parquet(tmp_path / "wrong.parquet")
    result = run("fit", tmp_path / "wrong.parquet", "-t", target, "--passes", "1", "-o", tmp_path / "m", code=1)
    assert words in result.stderr
    assert not (tmp_path / "m").exists()


def test_other_files_are_refused(table, tmp_path):
    table.to_csv(tmp_path / "table.csv", index=False)
    result = run("fit", tmp_path / "table.csv", "-t", "answer", "--passes", "1", "-o", tmp_path / "m", code=1)
    assert "Passes need a Parquet file" in result.stderr
