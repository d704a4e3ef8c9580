import pytest
from prepared_process import Process

from experiments.folder_lock import NAME, locked

SECOND = """
import sys
from pathlib import Path
from experiments.folder_lock import locked
with locked(Path(sys.argv[1])):
    print("held")
"""


def second(folder):
    """What a second process prints that wants the same folder, and its exit code."""
    return Process(SECOND, folder).result()


def test_only_one_process_holds_a_folder(tmp_path):
    folder = tmp_path / "new" / "results"
    with locked(folder):
        printed, errors, code = second(folder)
    assert code == 1
    assert printed == "" and len(errors.splitlines()) == 1 and str(folder) in errors
    assert (folder / NAME).exists()
    assert second(folder)[0] == "held\n"  # the file that is left behind locks nobody out


def test_a_process_that_failed_holds_nothing(tmp_path):
    with pytest.raises(ValueError), locked(tmp_path):
        raise ValueError
    assert second(tmp_path)[0] == "held\n"
