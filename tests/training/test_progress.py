import io
import sys

import pytest
from networks import plain

from ldnn import LDNNClassifier
from ldnn._training.progress import Progress


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
    assert "comparing, round 3 of 3" in shown
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
