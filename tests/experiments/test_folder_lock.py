import subprocess
import sys
from pathlib import Path

import pytest

from experiments.folder_lock import NAME, locked

ROOT = Path(__file__).parents[2]
SECOND = """
import sys
from pathlib import Path
from experiments.folder_lock import locked
with locked(Path(sys.argv[1])):
    print("held")
"""


def second(folder):
    return subprocess.run([sys.executable, "-c", SECOND, str(folder)], cwd=ROOT, capture_output=True, text=True)


def test_only_one_process_holds_a_folder(tmp_path):
    folder = tmp_path / "new" / "results"
    with locked(folder):
        refused = second(folder)
    assert refused.returncode == 1
    assert refused.stdout == "" and len(refused.stderr.splitlines()) == 1 and str(folder) in refused.stderr
    assert (folder / NAME).exists()
    assert second(folder).stdout == "held\n"  # the file that is left behind locks nobody out


def test_a_process_that_failed_holds_nothing(tmp_path):
    with pytest.raises(ValueError), locked(tmp_path):
        raise ValueError
    assert second(tmp_path).stdout == "held\n"
