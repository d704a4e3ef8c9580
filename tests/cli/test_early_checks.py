"""Wrong calls are refused before anything heavy is imported."""

import shlex
import subprocess
import sys

import pytest
from cli_runner import error_of

HEAVY = "{'numpy', 'sklearn', 'scipy', 'pyarrow', 'numba', 'matplotlib', 'rich', 'jinja2', 'pydantic'}"
ENDINGS = ".csv, .parquet, .pq, .jsonl, .ndjson"
WRONG = [
    ("fit absent.csv -t y", "There is no file absent.csv."),
    ("fit tables.csv -t y", "There is no file tables.csv; did you mean 'table.csv'?"),
    ("fit table.csv -t z", "There is no column 'z' to predict; there are 'a', 'y'."),
    (
        "fit hats.csv -t y",
        "There is no column 'y' to predict; there are 'x^y'. Give the character between columns with --delimiter.",
    ),
    ("fit table.csv -t y --ignore b", "table.csv has no column 'b'; there are 'a', 'y'."),
    ("fit table.csv -t y -o no/m.ldnn", "There is no folder no for the model; create it first."),
    ("fit table.csv -t y --decimal x", "--decimal 'x' is neither . nor ,"),
    ("fit 'part-*.csv' -t y", "No file matches part-*.csv."),
    ("predict m.ldnn absent.csv", "There is no file absent.csv."),
    ("predict n.ldnn table.csv", "The model n.ldnn does not exist; did you mean 'm.ldnn'?"),
    ("predict m.ldnn table.csv -o out.txt", f"out.txt ends in none of {ENDINGS}; the name determines the format."),
    ("rules . table.csv", "The model . is a folder; give one that ldnn fit has written."),
    ("explain m.ldnn absent.csv", "There is no file absent.csv."),
    ("compare absent.csv -t y", "There is no file absent.csv."),
    ("plot boundry m.ldnn", "There is no plot 'boundry'; did you mean 'boundary'?"),
    ("plot boundary m.ldnn", "This plot needs rows: ldnn plot boundary m.ldnn TABLE"),
    ("profile absent.csv", "There is no file absent.csv."),
    ("profile table.csv -t z", "There is no column 'z' to predict; there are 'a', 'y'."),
    ("export absent.ldnn", "The model absent.ldnn does not exist; give one that ldnn fit has written."),
]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text("a,y\n1,x\n2,z\n")
    (tmp_path / "hats.csv").write_text("x^y\n1^2\n")
    (tmp_path / "m.ldnn").write_text("")


@pytest.mark.parametrize(("call", "sentence"), WRONG)
def test_what_is_wrong_is_said(call, sentence, here):
    assert error_of(*shlex.split(call)) == sentence


def test_nothing_heavy_is_imported(here):
    """One process for all calls: the command may be called again and again."""
    script = f"""
import io, shlex, sys
from contextlib import redirect_stderr, redirect_stdout
from ldnn.cli.commands import app
for call in {[call for call, _ in WRONG] + ["--help", "--version", "fit --help", "fit --no-such-option"]!r}:
    with redirect_stderr(io.StringIO()), redirect_stdout(io.StringIO()):
        try:
            app(shlex.split(call), prog_name="ldnn")
        except SystemExit:
            pass
    if found := {HEAVY} & set(sys.modules):
        sys.exit(f"{{call}} imports {{sorted(found)}}")
"""
    subprocess.run([sys.executable, "-c", script], check=True)
