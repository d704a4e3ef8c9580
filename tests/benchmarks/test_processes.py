import os
import sys
from importlib import import_module

import pytest

from benchmarks.harness import AbsentError
from benchmarks.processes import TooLongError, apart, run


def test_functions_are_called_in_another_process(tmp_path, monkeypatch):
    (tmp_path / "tiny.py").write_text(
        "import os\n"
        "from benchmarks.harness import AbsentError\n"
        "def echo(**arguments):\n    return {'got': arguments, 'pid': os.getpid()}\n"
        "def absent(reason):\n    raise AbsentError(reason)\n"
        "def broken():\n    raise ValueError('no')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    tiny = import_module("tiny")
    returned = apart(tiny.echo, a=1, b=["x"])
    assert returned["got"] == {"a": 1, "b": ["x"]}
    assert returned["pid"] != os.getpid()
    with pytest.raises(AbsentError, match="not here"):
        apart(tiny.absent, reason="not here")
    with pytest.raises(RuntimeError, match="ValueError: no"):
        apart(tiny.broken)


def test_a_process_that_takes_too_long_is_stopped():
    with pytest.raises(TooLongError, match="more than 1 s"):
        run([sys.executable, "-S", "-c", "while True: pass"], most_seconds=1)
