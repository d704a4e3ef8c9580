"""The command line: whole tables and pieces of them, and one sentence for each trouble."""

import gzip
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import ldnn
from ldnn.cli.commands import app

QUICK = [
    f"--set={setting}"
    for setting in ("n_conjunctions=2", "n_discriminants=2", "bends=none", "n_networks=1", "loss=squared",
                    "step_size=0.25", "max_epochs=5")
]  # fmt: skip


def run(*arguments, stdin=None, code=0):
    """Run a command in this process: what it printed, and what it said on the side."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
    assert result.exit_code == code, (result.output, result.exception)
    return result


def sentence(*arguments, **more):
    """The one sentence that a wrong call gets."""
    result = run(*arguments, code=1, **more)
    assert result.stdout == ""
    lines = [line for line in result.stderr.splitlines() if not line.startswith("note: ")]
    assert len(lines) == 1 and lines[0].startswith("ldnn: "), result.stderr
    return lines[0][6:]


@pytest.fixture(scope="session")
def people():
    """A table with numbers, text, truth values and holes."""
    random = np.random.default_rng(0)
    count = 300
    income = random.normal(40, 10, count)
    city = random.choice(["Oslo", "Rome", "Bern"], count)
    table = pd.DataFrame(
        {"income": income, "city": city, "owner": random.random(count) < 0.5, "age": random.integers(18, 80, count)}
    )
    table["answer"] = np.where(income + 10 * (city == "Rome") > 42, "yes", "no")
    table["age"] = table["age"].astype(object)
    table.loc[::7, "age"] = None
    table.loc[3, "city"] = None
    return table


@pytest.fixture(scope="session")
def folder(people, tmp_path_factory):
    """A table in several files, and a model of it."""
    folder = tmp_path_factory.mktemp("files")
    people.to_csv(folder / "people.csv", index=False)
    people.astype({"age": float}).to_parquet(folder / "people.parquet", row_group_size=70)
    run("fit", folder / "people.csv", "-t", "answer", "-o", folder / "people.ldnn", "-q", *QUICK)
    return folder


def test_version_and_help():
    assert run("--version").stdout == f"ldnn {ldnn.__version__}\n"
    said = run("--help").stdout
    for command in ("fit", "predict", "rules", "explain", "compare", "plot", "datasets", "export"):
        assert f"  {command} " in said
        assert "Usage: " in run(command, "--help").stdout


def test_help_is_light_and_extras_are_named():
    script = (
        "import sys; sys.argv = ['ldnn', '--help']; from ldnn.cli import main\ntry: main()\nexcept SystemExit: pass\n"
        "print(sorted({'numpy', 'sklearn', 'pyarrow', 'numba', 'matplotlib', 'rich'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-1] == "[]"
    script = "import sys; sys.modules['typer'] = None; from ldnn.cli import main; main()"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (1, 'ldnn: the command needs typer: pip install "ldnn[cli]"\n')


def test_fit_says_what_it_did(folder, tmp_path):
    file = tmp_path / "m.ldnn"
    call = ("fit", folder / "people.csv", "-t", "answer", "-o", file, "-q", *QUICK)
    told = run(*call, "--test", folder / "people.parquet").stdout
    assert "Learned 'answer' (2 classes: no, yes)\nfrom 300 rows and 4 columns" in told
    assert f"Model: {file}" in told
    result = json.loads(run(*call, "--json").stdout)
    assert (result["rows"], result["columns"], result["classes"]) == (300, 4, ["no", "yes"])
    assert 0 <= result["held_out_error"] < 0.5
    assert result["plan"]["n_conjunctions"] == 2
    # The same as from Python.
    model = ldnn.load(file)
    assert model.random_state == 0
    assert list(model.feature_names_in_) == ["income", "city", "owner", "age"]


def test_nothing_is_learned_that_could_not_be_written(folder, tmp_path):
    """What is wrong about the end of a command is said at its beginning: no hour of learning is lost."""
    table = (folder / "people.csv", "-t", "answer")
    nowhere = tmp_path / "no" / "out"
    assert (
        sentence("fit", *table, "-o", nowhere) == f"There is no folder {nowhere.parent} for the model; make it first."
    )
    assert sentence("fit", *table, "-o", tmp_path) == f"{tmp_path} is a folder; give the name of a file in it."
    assert "There is no file" in sentence("fit", *table, "-o", tmp_path / "m.ldnn", "--test", tmp_path / "absent.csv")
    assert (
        sentence("compare", *table, "-o", nowhere)
        == f"There is no folder {nowhere.parent} for the page; make it first."
    )
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_could_not_be_tested_is_kept(folder, people, tmp_path):
    people.drop(columns="city").to_csv(tmp_path / "other.csv", index=False)
    call = ("fit", folder / "people.csv", "-t", "answer", "-o", tmp_path / "m.ldnn", "-q", *QUICK)
    found = sentence(*call, "--test", tmp_path / "other.csv")
    assert found.startswith(f"The model is in {tmp_path / 'm.ldnn'}, but ") and "has no column 'city'" in found
    assert ldnn.load(tmp_path / "m.ldnn").source_["target"] == "answer"


def test_predictions_are_those_of_the_model(folder, people, tmp_path):
    model = ldnn.load(folder / "people.ldnn")
    X = people.drop(columns="answer")
    X["age"] = X["age"].astype(float)
    expected, proba = model.predict(X), model.predict_proba(X)
    for name in ("out.csv", "out.parquet", "out.jsonl"):
        for table in ("people.csv", "people.parquet"):
            said = run("predict", folder / "people.ldnn", folder / table, "-o", tmp_path / name, "-q").stdout
            assert said == f"300 predictions in {tmp_path / name}\n"
            read = {
                "csv": pd.read_csv,
                "parquet": pd.read_parquet,
                "jsonl": lambda path: pd.read_json(path, lines=True),
            }
            out = read[name.partition(".")[2]](tmp_path / name)
            assert list(out.columns) == ["prediction", "probability_no", "probability_yes"]
            assert (out["prediction"] == expected).all()
            np.testing.assert_allclose(out[["probability_no", "probability_yes"]], proba, atol=6e-7)
    said = run("predict", folder / "people.ldnn", folder / "people.csv", "-o", tmp_path / "out.csv")
    wrong = np.mean(expected != people["answer"])
    assert f"{wrong:.2%} of 300 rows differ from the file's own column 'answer'" in said.stderr
    told = json.loads(
        run("predict", folder / "people.ldnn", folder / "people.csv", "-o", tmp_path / "out.csv", "-q", "--json").stdout
    )
    assert told["rows"] == 300 and told["error"] == pytest.approx(wrong)
    assert told["counts"] == {"no": int((expected == "no").sum()), "yes": int((expected == "yes").sum())}


def test_standard_input_and_output(folder, people):
    text = (folder / "people.csv").read_bytes()
    whole = run("predict", folder / "people.ldnn", folder / "people.csv", "-q").stdout
    assert run("predict", folder / "people.ldnn", "-", "-q", stdin=text).stdout == whole
    assert (
        run("predict", folder / "people.ldnn", "-", "-q", stdin=(folder / "people.parquet").read_bytes()).stdout
        == whole
    )
    lines = run("predict", folder / "people.ldnn", "-", "-q", "--json", stdin=text).stdout.splitlines()
    assert len(lines) == 300 and json.loads(lines[0])["prediction"] in ("no", "yes")
    model = CliRunner().invoke(app, ["fit", "-", "-t", "answer", "-o", "-", "-q", *QUICK], input=text).stdout_bytes
    assert model == (folder / "people.ldnn").read_bytes()


def test_columns_in_another_order_and_further_ones(folder, people, tmp_path):
    whole = run("predict", folder / "people.ldnn", folder / "people.csv", "-q").stdout
    shuffled = people[["age", "answer", "city", "income", "owner"]].assign(note="x, y")
    shuffled.to_csv(tmp_path / "shuffled.csv", index=False, sep=";")
    assert run("predict", folder / "people.ldnn", tmp_path / "shuffled.csv", "-q").stdout == whole
    with_input = run("predict", folder / "people.ldnn", tmp_path / "shuffled.csv", "-q", "--with-input").stdout
    lines = with_input.splitlines()
    assert lines[0].replace('"', "").startswith("income,city,owner,age,answer,note,prediction,")
    assert '"x, y"' in lines[1]


def test_pieces_are_as_the_whole(folder, people, tmp_path, monkeypatch):
    from ldnn.cli import tables

    whole = run("predict", folder / "people.ldnn", folder / "people.csv", "-q").stdout
    monkeypatch.setattr(tables, "_BLOCK", 1000)
    monkeypatch.setattr(tables, "_PIECE", 64)
    for table in ("people.csv", "people.parquet"):
        assert run("predict", folder / "people.ldnn", folder / table, "-q").stdout == whole
    (tmp_path / "packed.csv.gz").write_bytes(gzip.compress((folder / "people.csv").read_bytes()))
    assert run("predict", folder / "people.ldnn", tmp_path / "packed.csv.gz", "-q").stdout == whole


CONTENTS = {
    "empty.csv": (b"", "is empty"),
    "blank.csv": (b"\n\n", "is empty"),
    "header.csv": (b"a,answer\n", "has a header but no rows"),
    "ragged.csv": (b"a,answer\n1,x\n2\n", r"A row of .*ragged.csv \('2'\) has 1 column instead of 2"),
    "latin.csv": ("a,answer\n1,é\n2,x\n".encode("latin-1"), "not written in utf8; name its encoding"),
    "mixed.csv": (
        b"a,answer\n1,x\n2,y\nmany,x\n",
        "'a' mixes numbers and text: 'many' in row 3 .*--missing many, .*--text a",
    ),
    "comma.csv": (b"a;answer\n1,5;x\n2,5;y\n", "'a' has decimal commas .*--decimal ,"),
    "sheet.csv": (b"PK\x03\x04....", "is a spreadsheet or an archive"),
    "binary.csv": (b"\x00\x01\x02\x03\x00\x00\x00\x00", "is no text file"),
    "text.parquet": (b"a,answer\n1,x\n", "is not a Parquet file, whatever its name says"),
    "cut.parquet": (b"PAR1\x00\x00\x00", "cannot be read"),
    "packed.csv": (gzip.compress(b"a,answer\n1,x\n"), "is compressed; rename it to end in .gz"),
    "plain.csv.gz": (b"a,answer\n1,x\n", "is not compressed, whatever its name says"),
    "dates.csv": (b"a,answer\n2020-01-01,x\n2020-01-02,y\n", "'a' holds dates or times.*--ignore a"),
    "twice.csv": (b"a,a,answer\n1,1,x\n2,3,y\n", "two columns named 'a'"),
    "one.csv": (b"a,answer\n1,x\n2,x\n", "'answer' has one class only"),
    "amounts.csv": (b"a,answer\n1,1.5\n2,2.5\n", "'answer' holds numbers with fractions: ldnn learns classes"),
    "alone.csv": (b"answer\nx\ny\n", "no column but 'answer'"),
    "unknown.csv": (b"a,answer\n1,\n2,NA\n", "'answer' is empty"),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_files_that_cannot_be_learned_from(name, tmp_path):
    content, pattern = CONTENTS[name]
    (tmp_path / name).write_bytes(content)
    said = sentence("fit", tmp_path / name, "-t", "answer", "-o", tmp_path / "m.ldnn")
    assert re.search(pattern, said), said
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_names_for_rows_are_no_classes(tmp_path):
    pd.DataFrame({"a": range(50), "id": range(50)}).to_csv(tmp_path / "t.csv", index=False)
    assert "'id' has 50 different values in 50 rows" in sentence("fit", tmp_path / "t.csv", "-t", "id")


def test_ways_out_that_the_sentences_name(tmp_path):
    rows = "".join(f"{k};{k},5;{'x' if k % 2 else 'y'}\n" for k in range(40))
    (tmp_path / "t.csv").write_text("a;b;answer\nmany;1,5;x\n" + rows)
    quick = ("-o", tmp_path / "m.ldnn", "-q", "-t", "answer", *QUICK)
    assert "mixes" in sentence("fit", tmp_path / "t.csv", "--decimal", ",", *quick)
    run("fit", tmp_path / "t.csv", "--decimal", ",", "--missing", "many", *quick)
    run("fit", tmp_path / "t.csv", "--decimal", ",", "--text", "a", *quick)
    assert ldnn.load(tmp_path / "m.ldnn").source_["kinds"] == {"a": "text", "b": "number"}
    run("fit", tmp_path / "t.csv", "--decimal", ",", "--ignore", "a", *quick)
    assert list(ldnn.load(tmp_path / "m.ldnn").feature_names_in_) == ["b"]
    (tmp_path / "l.csv").write_bytes("é,answer\n1,x\n2,y\n3,x\n4,y\n".encode("latin-1"))
    run("fit", tmp_path / "l.csv", "--encoding", "latin-1", *quick)
    assert list(ldnn.load(tmp_path / "m.ldnn").feature_names_in_) == ["é"]


def test_nearest_names_are_proposed(folder):
    assert sentence("fit", folder / "people.csv", "-t", "Answr") == (
        "There is no column 'Answr' to learn; did you mean 'answer'?"
    )
    assert "did you mean 'people.csv'?" in sentence("fit", folder / "peple.csv", "-t", "answer")
    assert "did you mean 'n_networks'?" in sentence(
        "fit", folder / "people.csv", "-t", "answer", "--set", "n_network=2"
    )
    assert "did you mean 'city'?" in sentence("fit", folder / "people.csv", "-t", "answer", "--ignore", "City")
    assert "did you mean 'breast_cancer'?" in sentence("datasets", "brest_cancer", "-o", "x.csv")
    assert "did you mean 'boundary'?" in sentence("plot", "boundry", folder / "people.ldnn")
    assert "Did you mean 'fit'?" in run("fti", code=2).stderr


def test_wrong_tables_at_prediction(folder, people, tmp_path):
    def said(table, **more):
        table.to_csv(tmp_path / "t.csv", index=False)
        found = sentence("predict", folder / "people.ldnn", tmp_path / "t.csv", "-o", tmp_path / "out.csv", "-q")
        assert not (tmp_path / "out.csv").exists()
        return found

    assert "has no column 'income'; did you mean 'incomes'?" in said(people.rename(columns={"income": "incomes"}))
    assert "has no column 'city' (1 other missing, too)" in said(people[["income", "owner"]])
    odd = people.assign(income=people["income"].astype(object))
    odd.loc[200, "income"] = "much"
    assert "'income' of" in said(odd) and "holds 'much'" in said(odd) and "--missing much" in said(odd)
    odd["income"] = "text"
    odd.to_parquet(tmp_path / "t.parquet")
    found = sentence("predict", folder / "people.ldnn", tmp_path / "t.parquet", "-q")
    assert "holds text, but the model was trained on numbers" in found
    assert "a header but no rows" in said(people[:0])
    assert "ends in none of .csv" in sentence(
        "predict", folder / "people.ldnn", folder / "people.csv", "-o", tmp_path / "out.xlsx"
    )
    assert "There is no folder" in sentence(
        "predict", folder / "people.ldnn", folder / "people.csv", "-o", tmp_path / "no" / "out.csv"
    )
    assert "not a file of ldnn" in sentence("predict", folder / "people.csv", folder / "people.csv")


def test_rules_and_explanations(folder, tmp_path):
    stored = run("rules", folder / "people.ldnn").stdout
    assert "income" in stored and "as the model does for" in stored
    assert run("rules", folder / "people.ldnn", folder / "people.csv").stdout == stored
    data = json.loads(run("rules", folder / "people.ldnn", "--json").stdout)
    assert data["rows"] == 300 and 0.5 < data["fidelity"] <= 1
    run("rules", folder / "people.ldnn", "-o", tmp_path / "rules.html")
    assert "<!doctype html>" in (tmp_path / "rules.html").read_text()
    explanation = json.loads(run("explain", folder / "people.ldnn", folder / "people.csv", "-r", 3, "--json").stdout)
    assert explanation["label"] in ("no", "yes")
    assert "There is no row 301" in sentence("explain", folder / "people.ldnn", folder / "people.csv", "-r", 301)
    X, y = ldnn.datasets.make_two_moons(100, random_state=0)
    ldnn.save(ldnn.LDNNClassifier(2, 2, max_epochs=2).fit(pd.DataFrame(X, columns=["a", "b"]), y), tmp_path / "m.ldnn")
    assert "holds no rules; give a table" in sentence("rules", tmp_path / "m.ldnn")


def test_models_from_python(tmp_path):
    X, y = ldnn.datasets.make_two_moons(100, random_state=0)
    model = ldnn.LDNNClassifier(2, 2, max_epochs=2)
    ldnn.save(model.fit(X, y), tmp_path / "unnamed.ldnn")
    (tmp_path / "t.csv").write_text("b,a\n1,2\n3,4\n")
    assert "trained on columns without names" in sentence("predict", tmp_path / "unnamed.ldnn", tmp_path / "t.csv")
    table = pd.DataFrame(X, columns=["a", "b"])
    ldnn.save(model.fit(table, y), tmp_path / "named.ldnn")
    out = run("predict", tmp_path / "named.ldnn", tmp_path / "t.csv", "-q").stdout.splitlines()
    expected = model.predict(pd.DataFrame({"a": [2.0, 4.0], "b": [1.0, 3.0]}))
    assert [line.partition(",")[0] for line in out[1:]] == [str(label) for label in expected]


@pytest.mark.parametrize("kind", ["boundary", "start", "conjunctions", "learning", "search", "rules"])
def test_plots(folder, tmp_path, kind):
    if kind == "search":
        assert "Nothing was compared" in sentence("plot", kind, folder / "people.ldnn", "-o", tmp_path / "p.png")
        return
    run("plot", kind, folder / "people.ldnn", folder / "people.csv", "-o", tmp_path / "p.svg")
    assert "<svg" in (tmp_path / "p.svg").read_text()
    if kind == "boundary":
        assert "needs rows" in sentence("plot", kind, folder / "people.ldnn", "-o", tmp_path / "q.png")
        assert "did you mean 'age'?" in sentence(
            "plot",
            kind,
            folder / "people.ldnn",
            folder / "people.csv",
            "-o",
            tmp_path / "q.png",
            "--columns",
            "income,Age",
        )


def test_datasets(tmp_path):
    listed = run("datasets").stdout
    assert "breast_cancer" in listed and "cifar10" in listed
    assert "archive.ics.uci.edu" in listed
    assert len(json.loads(run("datasets", "--json").stdout)["datasets"]) > 15
    said = run("datasets", "breast_cancer", "-o", tmp_path / "cancer.csv").stdout
    assert "569 rows and 31 columns" in said
    table = pd.read_csv(tmp_path / "cancer.csv")
    assert sorted(table["target"].unique()) == ["benign", "malignant"]
    run("datasets", "breast_cancer", "-o", tmp_path / "cancer.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "cancer.parquet"), table)
    assert "no official split" in sentence("datasets", "breast_cancer", "--subset", "test", "-o", tmp_path / "x.csv")


def test_the_commands_of_the_manual(tmp_path, monkeypatch):
    """One after the other, as a reader would type them; the long ones are only looked at."""
    page = (Path(__file__).parents[1] / "docs" / "cli.md").read_text()
    monkeypatch.chdir(tmp_path)
    commands = [shlex.split(line[2:]) for line in page.splitlines() if line.startswith("$ ldnn ")]
    assert len(commands) > 8
    for _, *arguments in commands:
        if arguments[0] == "fit" and "--in-parts" not in arguments:
            run(*arguments, "-q", *QUICK)
        elif arguments[0] in ("fit", "compare"):
            known = run(arguments[0], "--help").stdout
            assert all(argument in known for argument in arguments if argument.startswith("--"))
        else:
            run(*arguments)


def test_parquet_in_parts(people, tmp_path, monkeypatch):
    """A file that is sorted by its classes, of which only a sample is ever held as a whole."""
    from ldnn.cli import parts

    monkeypatch.setattr(parts, "_SAMPLE", 200)
    monkeypatch.setattr(parts, "_PART", 160)
    many = pd.concat([people] * 8).astype({"age": float}).sort_values("answer")
    many.iloc[:3, many.columns.get_loc("answer")] = "rare"
    many.iloc[5:8, many.columns.get_loc("answer")] = None
    many.to_parquet(tmp_path / "many.parquet", row_group_size=100, index=False)
    seen = []
    fit = ldnn.LDNNClassifier.partial_fit

    def partial_fit(model, X, y):
        seen.append((X.num_rows, len(set(y)), model.step_size))
        return fit(model, X, y)

    monkeypatch.setattr(ldnn.LDNNClassifier, "partial_fit", partial_fit)
    call = ("fit", tmp_path / "many.parquet", "-t", "answer", "-o", tmp_path / "m.ldnn", "--in-parts", "-q", *QUICK)
    result = json.loads(run(*call, "--passes", 2, "--json").stdout)
    assert result["rows"] == 2397 and result["classes"] == ["no", "rare", "yes"]
    sizes, classes, steps = zip(*seen, strict=True)
    assert sum(sizes) == 2 * 2397 and max(sizes) <= 160
    assert np.mean([count > 1 for count in classes]) > 0.8  # mixed, though the file is sorted
    assert list(steps) == sorted(steps, reverse=True) and steps[0] == 0.25
    told = run("predict", tmp_path / "m.ldnn", tmp_path / "many.parquet", "--json", "-o", tmp_path / "o.csv", "-q")
    assert json.loads(told.stdout)["error"] < 0.2
    (tmp_path / "t.csv").write_text("a,answer\n1,x\n")
    assert "only these can be read in parts" in sentence("fit", tmp_path / "t.csv", "-t", "answer", "--in-parts")


# --- real processes ---------------------------------------------------------------------------------------------------


def start(*arguments, **more):
    command = [sys.executable, "-m", "ldnn", *map(str, arguments)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(command, stderr=subprocess.PIPE, env=environment, **more)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_predictions_leave_no_file(folder, people, tmp_path, number, code):
    (tmp_path / "out.csv").write_text("from before")
    process = start("predict", folder / "people.ldnn", "-", "-o", tmp_path / "out.csv", stdin=subprocess.PIPE)
    rows = people.to_csv(index=False, header=False).encode()
    process.stdin.write(people.to_csv(index=False).encode())
    for _ in range(600):  # more than is read at once, and no end
        process.stdin.write(rows)
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(list(tmp_path.iterdir())) == 2  # it has begun to write, under another name
    process.send_signal(number)
    process.stdin.close()
    said = process.stderr.read().decode()
    assert process.wait(60) == code, said
    assert "Traceback" not in said
    assert (tmp_path / "out.csv").read_text() == "from before"
    assert [file.name for file in tmp_path.iterdir()] == ["out.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
def test_a_stopped_fit_leaves_no_file(tmp_path):
    X, y = ldnn.datasets.make_two_moons(20000, random_state=0)
    pd.DataFrame(X, columns=["a", "b"]).assign(y=y).to_csv(tmp_path / "moons.csv", index=False)
    process = start("fit", tmp_path / "moons.csv", "-t", "y", "-o", tmp_path / "m.ldnn", "--effort", "100")
    said = process.stderr.readline().decode()
    assert "comparing" in said  # it is at work
    process.send_signal(signal.SIGINT)
    said = process.stderr.read().decode()
    assert process.wait(60) == 130
    assert said.splitlines()[-1] == "ldnn: stopped; nothing was written."
    assert "Traceback" not in said
    assert [file.name for file in tmp_path.iterdir()] == ["moons.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="no such pipes there")
def test_a_reader_that_has_had_enough(folder, people, tmp_path):
    pd.concat([people] * 200).to_csv(tmp_path / "long.csv", index=False)
    process = start("predict", folder / "people.ldnn", tmp_path / "long.csv", "-q", stdout=subprocess.PIPE)
    assert process.stdout.readline().startswith(b'"prediction"')
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk to write to")
def test_a_full_disk(folder):
    process = start("predict", folder / "people.ldnn", folder / "people.csv", "-q", "-o", "/dev/full")
    said = process.stderr.read().decode()
    assert process.wait(60) == 1
    assert said.startswith("ldnn: ") and said.count("\n") == 1 and "space" in said
