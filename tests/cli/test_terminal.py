"""Exit codes, signals, pipes and full disks, in real processes; tables in the terminal."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from cli_runner import PLAIN
from prepared_process import Process, forgetting

import ldnn
from ldnn.cli.terminal import note, say, show_table
from ldnn.page import Column, Spread, Table


def start(*arguments, **more):
    return Process("ldnn", *arguments, **more)


@pytest.mark.skipif(sys.platform == "win32", reason="other signals there")
def test_stopped_predictions_leave_no_file(folder, people, tmp_path):
    """By another signal than the fit of the next test, which takes the same way out."""
    (tmp_path / "out.csv").write_text("from before")
    process = start("predict", folder / "people.ldnn", "-", "-o", tmp_path / "out.csv", stdin=True)
    rows = people.to_csv(index=False, header=False)
    process.stdin.write(people.to_csv(index=False))
    for _ in range(600):  # more than is read at once, and no end
        process.stdin.write(rows)
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(list(tmp_path.iterdir())) == 2  # it has begun to write, under another name
    process.send_signal(signal.SIGTERM)
    process.stdin.close()
    printed = process.stderr.read()
    assert process.wait(60) == 143, printed
    assert "Traceback" not in printed
    assert (tmp_path / "out.csv").read_text() == "from before"
    assert [file.name for file in tmp_path.iterdir()] == ["out.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="other signals there")
def test_a_stopped_fit_leaves_no_file(tmp_path):
    X, y = ldnn.datasets.make_two_moons(20000, random_state=0)
    pd.DataFrame(X, columns=["a", "b"]).assign(y=y).to_csv(tmp_path / "moons.csv", index=False)
    process = start("fit", tmp_path / "moons.csv", "-t", "y", "-o", tmp_path / "m.ldnn", "--effort", "100")
    assert "comparing" in process.stderr.readline()  # it is at work
    process.send_signal(signal.SIGINT)
    printed = process.stderr.read()
    assert process.wait(60) == 130
    assert printed.splitlines()[-1] == "ldnn: stopped; no file was written."
    assert "Traceback" not in printed
    assert [file.name for file in tmp_path.iterdir()] == ["moons.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="no such pipes there")
def test_a_reader_of_the_pipe_that_ends(folder, people, tmp_path):
    pd.concat([people] * 200).to_csv(tmp_path / "long.csv", index=False)
    process = start("predict", folder / "people.ldnn", tmp_path / "long.csv", "-q")
    assert process.stdout.readline().startswith("prediction,")
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(60) == 141


def stopped_at_import(module, *arguments):
    """A command that gets an interrupt while it imports a module, where an exception would be swallowed."""
    script = f"""{forgetting(module)}
import signal
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            try:
                signal.raise_signal(signal.SIGINT)
            except BaseException:
                print("swallowed", file=sys.stderr)
sys.meta_path.insert(0, Finder())
sys.argv = ["ldnn", *{list(map(str, arguments))}]
from ldnn.cli import main
main()
"""
    printed, errors, code = Process(script).result()
    assert code == 130, errors
    return printed + errors


@pytest.mark.skipif(sys.platform == "win32", reason="other signals there")
@pytest.mark.parametrize("module", ["ldnn.cli.commands", "numba", "ldnn._kernels.training_kernels"])
def test_ctrl_c_while_the_command_starts(folder, tmp_path, module):
    said = stopped_at_import(module, "fit", folder / "people.csv", "-t", "answer", "-o", tmp_path / "m.ldnn", *PLAIN)
    assert said == "ldnn: stopped; no file was written.\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="other signals there")
def test_ctrl_c_after_the_model_was_written(folder, tmp_path):
    """The module is imported to test the model, when that is in its file already."""
    table, model = folder / "people.csv", tmp_path / "m.ldnn"
    arguments = ("fit", table, "-t", "answer", "-o", model, "-q", *PLAIN, "--test", table)
    assert stopped_at_import("ldnn.cli.batch_prediction", *arguments) == f"ldnn: stopped; {model} was written.\n"
    ldnn.load(model)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk to write to")
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["datasets", "--json"]])
def test_standard_output_that_is_full_or_closed(arguments):
    command = f"{sys.executable} -m ldnn {' '.join(arguments)}"
    full = subprocess.run(f"{command} > /dev/full", shell=True, capture_output=True, check=False, text=True)
    assert full.returncode == 1
    assert full.stderr.startswith("ldnn: ") and full.stderr.count("\n") == 1 and "No space left" in full.stderr
    closed = subprocess.run(f"{command} >&-", shell=True, capture_output=True, check=False)
    assert (closed.returncode, closed.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk to write to")
def test_a_full_disk(folder):
    process = start("predict", folder / "people.ldnn", folder / "people.csv", "-q", "-o", "/dev/full")
    _, printed, code = process.result()
    assert code == 1
    assert printed.startswith("ldnn: ") and printed.count("\n") == 1 and "space" in printed


@pytest.mark.parametrize("is_terminal", [True, False])
def test_lines_end_between_words_in_a_terminal(monkeypatch, capsys, is_terminal):
    monkeypatch.setattr("sys.stdout.isatty", lambda: is_terminal, raising=False)
    monkeypatch.setenv("COLUMNS", "30")
    say("Measured on 142 rows: by (5-fold cross-validation).\n     and age >= 40 in 100 % of the rows")
    say("  1. (holds for 9.8 % of the rows)\n     city  Lima: 6 | Oslo: 14 | Rome: 20")
    note("a/path/that/is/longer/than/the/terminal/is.csv is kept")
    shown = capsys.readouterr()
    assert shown.err == "note: a/path/that/is/longer/than/the/terminal/is.csv is kept\n"  # not a terminal
    if not is_terminal:
        assert shown.out.count("\n") == 4
        return
    assert shown.out.splitlines() == [
        "Measured on 142 rows: by",
        "(5-fold cross-validation).",
        "     and age >= 40 in 100 % of",
        "     the rows",
        "  1. (holds for 9.8 % of the",
        "     rows)",
        "     city  Lima: 6 | Oslo: 14",
        "           | Rome: 20",
    ]


def test_tables_mark_the_best_and_show_ranges(capsys):
    columns = [Column("name"), Column("error", 1, "low")]
    show_table(Table(columns, [["a", Spread(2.0, 1.0, 3.0)], ["b", Spread(1.5, 1.0, 2.0)]]))
    lines = capsys.readouterr().out.splitlines()
    assert any("★ 1.5  1.0 to 2.0" in line and "b" in line for line in lines)
    assert not any("★" in line for line in lines if "2.0  1.0 to 3.0" in line)


@pytest.mark.parametrize("width", [80, 60, 20])
def test_nothing_is_cut_off_in_a_narrow_terminal(capsys, monkeypatch, width):
    """Words take several lines; numbers and the names of columns are whole."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    columns = [Column("column"), Column("holds"), Column("missing", 0), Column("different", 0), Column("fit")]
    rows = [["signed on", "truth values", f"{k}2.5 %", 1000 + k, "left out: identifies single rows"] for k in range(3)]
    show_table(Table(columns, rows))
    shown = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)
    assert "…" not in shown
    for word in ("column", "missing", "different", "signed", "12.5 %", "1,001"):
        assert word in shown
    assert "identifies" in shown and "truth" in shown
    assert max(map(len, shown.splitlines())) <= width


@pytest.mark.parametrize("width", [80, 60])
def test_a_comparison_in_a_narrow_terminal(capsys, monkeypatch, width):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    titles = {"error, %": 2, "p": 3, "area under ROC": 4, "log loss": 3, "fit, s": 2, "predict, s": 3}
    columns = [Column(""), *(Column(title, digits) for title, digits in titles.items())]
    rows = [[name, Spread(1.93, 0, 4.39), 1.0, 0.9958, 0.067, 0.75, 0.004] for name in ("LDNN", "logistic regression")]
    show_table(Table(columns, rows))
    shown = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)
    assert max(map(len, shown.splitlines())) <= width
    if width == 80:
        assert re.search(r"logistic +1\.93  0\.00 to 4\.39 +1\.000 +0\.9958 +0\.067 +0\.75 +0\.004", shown)
    else:
        assert "logistic regression\n  error, %: 1.93 (0.00 to 4.39)\n  p: 1.000\n  area under ROC: 0.9958\n" in shown


def test_long_words_do_not_widen_a_table(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    columns = [Column("column"), Column("holds"), Column("different", 0), Column("values"), Column("fit")]
    row = ["marital-status", "categories", 1234, "Married-civ-spouse, " * 3, "categories"]
    show_table(Table(columns, [row, [*row[:2], 7, "supercalifragilistic-expialidocious", "numbers"]]))
    shown = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)
    assert max(map(len, shown.splitlines())) <= 80
    assert "1,234" in shown and "holds: " not in shown


def test_titles_of_tables_are_shown_as_they_are(capsys):
    show_table(Table([Column("[/red]"), Column("\x1b[31m[bold]\x07")], [["[/a]", "b"]]))
    shown = capsys.readouterr().out
    assert "[/red]" in shown and r"\x1b[31m[bold]\x07" in shown and "[/a]" in shown and "\x1b" not in shown


def test_a_terminal_without_the_letters_of_a_label(folder, people, tmp_path):
    table = people.assign(answer=people["answer"].replace({"yes": "été", "no": "\x1b[31mhiver"}))
    table.to_csv(tmp_path / "seasons.csv", index=False)
    call = (sys.executable, "-m", "ldnn", "fit", tmp_path / "seasons.csv", "-t", "answer", "-o", tmp_path / "m.ldnn")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run([*map(str, call), *PLAIN], env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert rb"\xe9t\xe9" in done.stdout and rb"\x1b[31mhiver" in done.stdout and b"\x1b" not in done.stdout
    assert sorted(ldnn.load(tmp_path / "m.ldnn").classes_) == ["\x1b[31mhiver", "été"]
