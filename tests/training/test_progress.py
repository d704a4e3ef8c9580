import io
import sys

import pytest
from networks import plain

from ldnn import LDNNClassifier
from ldnn._training.progress import Progress, duration


def test_epochs_are_shown_on_request(moons, capsys):
    plain(3, 3, verbose=True, max_epochs=3).fit(*moons)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "epoch 3/3" in shown.err
    assert "validation loss" in shown.err
    plain(3, 3, max_epochs=3).fit(*moons)
    assert capsys.readouterr().err == ""


def test_the_search_is_shown_on_request(moons, capsys):
    LDNNClassifier(effort=0.01, random_state=0, verbose=True).fit(*moons)
    shown = capsys.readouterr().err
    assert "comparing plans, round 3 of 3" in shown
    assert "epoch" in shown


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("is_terminal", [True, False])
def test_lines_that_come_quickly_replace_each_other(monkeypatch, is_terminal):
    stream = Terminal() if is_terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    progress = Progress(True)
    for line in ("one", "two", "three"):
        progress.show(line)
    progress.close()
    assert stream.getvalue() == ("\rone\x1b[K\rthree\x1b[K\n" if is_terminal else "one\nthree\n")


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_line_before_long_work_is_not_skipped(monkeypatch, is_terminal):
    stream = Terminal() if is_terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    progress = Progress(True)
    progress.show("short", at_once=True)
    progress.show("long", at_once=True)
    assert stream.getvalue() == ("\rshort\x1b[K\rlong\x1b[K" if is_terminal else "short\n")


def test_a_bar_with_the_time_left(monkeypatch):
    monkeypatch.setattr(sys, "stderr", stream := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    clock = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    progress = Progress(True)
    clock[0] += 0.5
    progress.show("epoch 1/40", 1 / 40)  # too early to tell
    clock[0] += 9.5
    progress.show("epoch 10/40", 0.25)
    clock[0] += 30
    progress.show("epoch 40/40" + 60 * "x", 1.0)
    progress.close()
    lines = [line.removesuffix("\x1b[K") for line in stream.getvalue().strip("\n").split("\r")[1:]]
    assert lines[0] == "─" * 20 + "    2%  epoch 1/40"
    assert lines[1] == "━" * 5 + "─" * 15 + "   25%  30 s left  epoch 10/40"
    assert lines[2] == ("100%  epoch 40/40" + 60 * "x")[:59]  # no bar, and what does not fit cannot be rewritten


@pytest.mark.parametrize("seconds", [1, 3])
def test_short_work_shows_nothing(monkeypatch, seconds):
    monkeypatch.setattr(sys, "stderr", stream := io.StringIO())
    clock = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    progress = Progress(True, after=2.0)
    progress.show("first", 0.0)
    clock[0] += seconds
    progress.show("second", 0.5)
    progress.close()
    assert stream.getvalue() == ("" if seconds == 1 else " 50%  3 s left  second\n")


def test_without_a_terminal_there_is_no_bar(monkeypatch):
    monkeypatch.setattr(sys, "stderr", stream := io.StringIO())
    clock = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    progress = Progress(True)
    clock[0] += 20
    progress.show("epoch 1/4", 0.25)
    assert stream.getvalue() == " 25%  1 min 0 s left  epoch 1/4\n"


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.2, "1 s"), (59.5, "1 min 0 s"), (200, "3 min 20 s"), (7505, "2 h 5 min")]
)
def test_durations(seconds, said):
    assert duration(seconds) == said
