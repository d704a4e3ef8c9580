"""Predictions of files are those of the model."""

import json

import numpy as np
import pandas as pd
import pytest
from cli_runner import run

import ldnn


@pytest.fixture(scope="module")
def expected(folder, people):
    model = ldnn.load(folder / "people.ldnn")
    X = people.drop(columns="answer").astype({"age": float})
    return model.predict(X), model.predict_proba(X)


@pytest.mark.parametrize("table", ["people.csv", "people.parquet"])
@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("out.csv", pd.read_csv),
        ("out.parquet", pd.read_parquet),
        ("out.jsonl", lambda path: pd.read_json(path, lines=True)),
    ],
)
def test_predictions_are_those_of_the_model(folder, expected, tmp_path, table, name, read):
    printed = run("predict", folder / "people.ldnn", folder / table, "-o", tmp_path / name, "-q").stdout
    assert printed == f"300 predictions in {tmp_path / name}\n"
    out = read(tmp_path / name)
    assert list(out.columns) == ["prediction", "probability_no", "probability_yes"]
    assert (out["prediction"] == expected[0]).all()
    np.testing.assert_allclose(out[["probability_no", "probability_yes"]], expected[1], atol=6e-7)


def test_errors_are_counted_where_the_classes_are_known(folder, people, expected, tmp_path):
    call = ("predict", folder / "people.ldnn", folder / "people.csv", "-o", tmp_path / "out.csv")
    wrong = np.mean(expected[0] != people["answer"])
    assert f"{wrong:.2%} of 300 rows differ from the file's own column 'answer'" in run(*call).stderr
    result = json.loads(run(*call, "-q", "--json").stdout)
    assert result["rows"] == result["evaluated"] == 300 and result["error"] == pytest.approx(wrong)
    assert result["counts"] == {"no": int((expected[0] == "no").sum()), "yes": int((expected[0] == "yes").sum())}
    people.drop(columns="answer").to_csv(tmp_path / "new.csv", index=False)
    new = run("predict", folder / "people.ldnn", tmp_path / "new.csv", "-o", tmp_path / "o.csv", "-q", "--json").stdout
    assert (json.loads(new)["error"], json.loads(new)["evaluated"]) == (None, 0)


def test_categories_that_were_not_seen_in_training_are_counted(folder, people, tmp_path):
    table = people.assign(city=people["city"].where(people.index >= 7, "Atlantis"))
    table.to_csv(tmp_path / "new.csv", index=False)
    call = ("predict", folder / "people.ldnn", tmp_path / "new.csv", "-o", tmp_path / "out.csv")
    sentence = "note: 7 rows with a category of 'city' that was not seen in training."
    assert sentence in run(*call).stderr
    assert json.loads(run(*call, "--json").stdout)["unseen_categories"] == {"city": 7}
    assert (
        "not seen" not in run("predict", folder / "people.ldnn", folder / "people.csv", "-o", tmp_path / "o.csv").stderr
    )


def test_values_outside_of_the_range_and_unused_columns_are_said(folder, people, tmp_path):
    table = people.assign(income=people["income"].where(people.index >= 4, 1e6), note="x")
    table.to_csv(tmp_path / "new.csv", index=False)
    call = ("predict", folder / "people.ldnn", tmp_path / "new.csv", "-o", tmp_path / "out.csv")
    said = run(*call).stderr
    assert "note: Values outside the range of training: 'income' (4 rows, " in said
    assert "note: Not used by the model: 'note'." in said
    result = json.loads(run(*call, "--json").stdout)
    assert result["outside_range"] == {"income": 4} and result["unused_columns"] == ["note"]
    assert "outside" not in run(*call, "-q").stderr
