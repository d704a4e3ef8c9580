"""The commands as a user calls them."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from cli_runner import PLAIN, error_of, run

import ldnn


def test_version_and_help():
    assert run("--version").stdout == f"ldnn {ldnn.__version__}\n"
    text = run("--help").stdout
    for command in ("profile", "fit", "predict", "rules", "explain", "compare", "plot", "datasets", "export"):
        assert f"  {command} " in text
        assert "Usage: " in run(command, "--help").stdout


def test_help_is_light_and_extras_are_named():
    script = (
        "import sys; sys.argv = ['ldnn', '--help']; from ldnn.cli import main\ntry: main()\nexcept SystemExit: pass\n"
        "print(sorted({'numpy', 'sklearn', 'pyarrow', 'numba', 'matplotlib', 'rich'} & set(sys.modules)))"
    )
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines()[-1] == "[]"
    script = "import sys; sys.modules['click'] = None; from ldnn.cli import main; main()"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (1, 'ldnn: the command needs click: pip install "ldnn[cli]"\n')


def test_fit_reports_its_result(folder, people, tmp_path):
    file = tmp_path / "m.ldnn"
    call = ("fit", folder / "people.csv", "-t", "answer", "-o", file, "-q", *PLAIN)
    printed = run(*call, "--test", folder / "people.parquet").stdout
    assert "Learned 'answer' (2 classes: no, yes)\nfrom 300 rows and 4 columns" in printed
    assert f"Measured on 300 rows: all rows of {folder / 'people.parquet'} with a class." in printed
    assert f"Model: {file}" in printed
    result = json.loads(run(*call, "--json").stdout)
    assert (result["rows"], result["columns"], result["classes"]) == (300, 4, ["no", "yes"])
    assert result["held_out"]["n_rows"] == 30 and 0 <= result["held_out"]["error"] < 0.5
    assert result["most_frequent_class"] == people["answer"].mode()[0]
    assert result["plan"]["n_conjunctions"] == 2
    # The same as from Python.
    model = ldnn.load(file)
    assert model.random_state == 0
    assert list(model.feature_names_in_) == ["income", "city", "owner", "age"]


def test_outputs_are_checked_before_the_work(folder, tmp_path):
    """Errors about the output are reported at the start, so that no long training is lost."""
    table = (folder / "people.csv", "-t", "answer")
    nowhere = tmp_path / "no" / "out"
    assert (
        error_of("fit", *table, "-o", nowhere) == f"There is no folder {nowhere.parent} for the model; create it first."
    )
    assert error_of("fit", *table, "-o", tmp_path) == f"{tmp_path} is a folder; pass the name of a file in it."
    assert "There is no file" in error_of("fit", *table, "-o", tmp_path / "m.ldnn", "--test", tmp_path / "absent.csv")
    assert (
        error_of("compare", *table, "-o", nowhere)
        == f"There is no folder {nowhere.parent} for the page; create it first."
    )
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_could_not_be_tested_is_kept(folder, people, tmp_path):
    people.drop(columns="city").to_csv(tmp_path / "other.csv", index=False)
    call = ("fit", folder / "people.csv", "-t", "answer", "-o", tmp_path / "m.ldnn", "-q", *PLAIN)
    found = error_of(*call, "--test", tmp_path / "other.csv")
    assert found.startswith(f"The model is in {tmp_path / 'm.ldnn'}, but ") and "has no column 'city'" in found
    assert ldnn.load(tmp_path / "m.ldnn").source_["target"] == "answer"


def test_compare(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = folder / "people.csv"
    call = ("compare", table, "-t", "answer", "--folds", "2", "--only", "mod-n", "--only", "svm", "-q")
    printed = run(*call).stdout
    assert "classifier" in printed and "★" in printed and "Page: people-compare.html" in printed
    assert "<!doctype html>" in (tmp_path / "people-compare.html").read_text()
    result = json.loads(run(*call, "--json").stdout)
    assert sorted(entry["name"] for entry in result["classifiers"]) == ["Mod-N", "SVM"]
    assert re.match(r"Of 2 classifiers, .* made the fewest errors on held-out rows: [\d.]+ %\.", result["summary"])
    assert "did you mean 'Mod-N'?" in error_of("compare", table, "-t", "answer", "--only", "modn")


def test_similar_names_are_proposed(folder):
    assert error_of("fit", folder / "people.csv", "-t", "Answr") == (
        "There is no column 'Answr' to predict; did you mean 'answer'?"
    )
    assert "did you mean 'people.csv'?" in error_of("fit", folder / "peple.csv", "-t", "answer")
    assert "did you mean 'city'?" in error_of("fit", folder / "people.csv", "-t", "answer", "--ignore", "City")
    assert "did you mean 'breast_cancer'?" in error_of("datasets", "brest_cancer", "-o", "x.csv")
    assert "did you mean 'boundary'?" in error_of("plot", "boundry", folder / "people.ldnn")
    assert "Did you mean 'fit'?" in run("fti", code=2).stderr


def test_the_commands_of_the_manual(tmp_path, monkeypatch):
    """One after the other, as a reader would type them; of the long ones, only the options are checked."""
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()
    monkeypatch.chdir(tmp_path)
    commands = [shlex.split(line[2:]) for line in page.splitlines() if line.startswith("$ ldnn ")]
    assert len(commands) > 8
    numbers = range(60)
    for k in range(2):
        part = pa.table(
            {"a": [n % 7 for n in numbers], "b": [n % (4 + k) for n in numbers], "y": [n % 2 for n in numbers]}
        )
        pq.write_table(part, f"part-{k}.parquet")
    for name in ("orders.csv", "transactions.csv", "new.csv"):
        Path(name).write_text("a,b,y\n" + "".join(f"{n % 7},{n % 4},{['ok', 'fraud'][n % 2]}\n" for n in numbers))
    for _, *arguments in commands:
        if arguments[0] == "fit" and not {"--in-parts", "--cluster"} & set(arguments):
            run(*arguments, "-q", *PLAIN)
        elif arguments[0] in ("fit", "compare") or "--cluster" in arguments:
            known = run(arguments[0], "--help").stdout
            assert all(argument in known for argument in arguments if argument.startswith("--"))
        else:
            run(*arguments)


def test_an_input_is_never_overwritten(folder, tmp_path):
    table, model = tmp_path / "people.csv", tmp_path / "people.ldnn"
    table.write_bytes((folder / "people.csv").read_bytes())
    run("fit", table, "-t", "answer", "-o", model, "-q", *PLAIN)
    (tmp_path / "link.csv").symlink_to(table)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for call in (
        ("fit", table, "-t", "answer", "-o", table),
        ("fit", table, "-t", "answer", "-o", tmp_path / "link.csv"),
        ("predict", model, table, "-o", table),
        ("predict", model, table, "-o", model),
        ("rules", model, "-o", model),
        ("rules", model, table, "-o", table),
        ("compare", table, "-t", "answer", "-o", table),
        ("plot", "learning", model, "-o", model),
        ("export", model, "-o", model),
    ):
        assert error_of(*call) == f"{call[-1]} is one of the files that are read: name another file with -o."
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
