"""Models from and to files and standard streams."""

import pandas as pd
from cli_runner import PLAIN, error_of, run
from click.testing import CliRunner

import ldnn
from ldnn.cli.commands import app


def test_models_by_standard_streams(folder):
    text = (folder / "people.csv").read_bytes()
    model = CliRunner().invoke(app, ["fit", "-", "-t", "answer", "-o", "-", "-q", *PLAIN], input=text).stdout_bytes
    assert model == (folder / "people.ldnn").read_bytes()
    whole = run("predict", folder / "people.ldnn", folder / "people.csv", "-q").stdout
    assert run("predict", "-", folder / "people.csv", "-q", stdin=model).stdout == whole
    assert "cannot both come from standard input" in error_of("predict", "-", "-", stdin=model)
    assert "Name the model file with -o" in error_of("fit", "-", "-t", "answer", stdin=text)


def test_files_that_are_not_models(folder):
    assert "not a file of ldnn" in error_of("predict", folder / "people.csv", folder / "people.csv")


def test_models_from_python(tmp_path):
    X, y = ldnn.datasets.make_two_moons(100, random_state=0)
    model = ldnn.LDNNClassifier(2, 2, max_epochs=2)
    ldnn.save(model.fit(X, y), tmp_path / "unnamed.ldnn")
    (tmp_path / "t.csv").write_text("b,a\n1,2\n3,4\n")
    assert "trained on columns without names" in error_of("predict", tmp_path / "unnamed.ldnn", tmp_path / "t.csv")
    table = pd.DataFrame(X, columns=["a", "b"])
    ldnn.save(model.fit(table, y), tmp_path / "named.ldnn")
    out = run("predict", tmp_path / "named.ldnn", tmp_path / "t.csv", "-q").stdout.splitlines()
    expected = model.predict(pd.DataFrame({"a": [2.0, 4.0], "b": [1.0, 3.0]}))
    assert [line.partition(",")[0] for line in out[1:]] == [str(label) for label in expected]


def test_kinds_of_columns_of_a_model_from_python(people):
    from ldnn.cli.model_store import expected_columns

    X = people.drop(columns="answer").astype({"age": float})
    model = ldnn.LDNNClassifier(2, 2, max_epochs=1).fit(X, people["answer"])
    expected = expected_columns(model, "m.ldnn")
    assert expected.names == ["income", "city", "owner", "age"]
    kinds = {name: reading.kind for name, reading in expected.readings.items()}
    assert kinds["city"] == "text" and kinds["income"] == kinds["age"] == "number"
    assert expected.target is None
