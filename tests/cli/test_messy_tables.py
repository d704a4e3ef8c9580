"""Models of messy tables are as good as those of their clean twins, on rows that they were not trained on."""

import re

import numpy as np
import pandas as pd
import pytest
from cli_runner import run
from messy_tables import CLEAN, MESSES, Mess, clean_rows

SMALL = [
    f"--set={parameter}"
    for parameter in ("n_conjunctions=2", "n_discriminants=2", "discriminant=linear", "n_estimators=1", "loss=log",
                      "learning_rate=0.1", "max_epochs=20")
]  # fmt: skip
TRAINING, TEST = clean_rows(0), clean_rows(1)


def error_and_notes(mess: Mess, folder) -> tuple[float, str]:
    """Of a model: its share of errors on the test rows; and what `fit` said about the table."""
    for name, rows in (("training", TRAINING), ("test", TEST)):
        (folder / f"{name}.csv").write_bytes(mess.content(rows))
    model, out = folder / "m.ldnn", folder / "out.csv"
    said = run("fit", folder / "training.csv", "-t", "answer", "-o", model, "-q", *mess.options, *mess.given, *SMALL)
    run("predict", model, folder / "test.csv", "-o", out, "-q", *mess.given)
    predicted = pd.read_csv(out)["prediction"]
    return float(np.mean(predicted.str.strip().str.lower() != mess.answers(TEST))), said.stderr


@pytest.fixture(scope="module")
def clean_error(tmp_path_factory):
    error, said = error_and_notes(CLEAN, tmp_path_factory.mktemp("clean"))
    assert error < 0.1 and said == ""
    return error


@pytest.mark.parametrize("name", MESSES)
def test_a_messy_table_is_read_as_its_clean_twin(name, clean_error, tmp_path):
    mess = MESSES[name]
    error, said = error_and_notes(mess, tmp_path)
    if mess.twin is not None:
        (tmp_path / "twin").mkdir()
        clean_error, _ = error_and_notes(mess.twin, tmp_path / "twin")
    assert error <= clean_error + 0.01
    assert re.search(mess.said, said), said


def test_there_are_no_notes_where_nothing_is_unusual(tmp_path):
    for name in ("datetimes", "padded", "byte order mark", "tabs", "header with spaces", "constant column"):
        (tmp_path / "t.csv").write_bytes(MESSES[name].content(TRAINING))
        assert run("fit", tmp_path / "t.csv", "-t", "answer", "-o", tmp_path / "m.ldnn", "-q", *SMALL).stderr == ""
