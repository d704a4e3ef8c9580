"""The letter data set, shrunk to a few rows, and the files of a data folder."""

from dataclasses import replace

from ldnn.datasets.table_specs import TABLES

LETTERS = b"B,1,2\nA,3,4\nA,5,6\nB,7,8\n"


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def change_letters(monkeypatch, **changes):
    monkeypatch.setitem(TABLES, "letter", replace(TABLES["letter"], **changes))
