"""Sheets of Excel files."""

import sys
from datetime import datetime

import pyarrow as pa
import pytest
from cli_runner import PLAIN, error_of, run
from spreadsheet_writer import write_xlsx

from ldnn.cli.spreadsheets import read_sheet
from ldnn.cli.table_files import TableFormat, open_table

HEADER = ["whole", "part", "when", "good", "mixed", "y"]
ROWS = [
    [
        k,
        k / 4 if k % 7 else None,
        datetime(2024, 1, 1 + k % 28, k % 24),
        k % 3 == 0,
        k if k % 5 else "n/a",
        ["no", "yes"][k % 2],
    ]
    for k in range(60)
]


@pytest.fixture
def book(tmp_path):
    write_xlsx(tmp_path / "book.xlsx", Data=[HEADER, *ROWS], Notes=[["made by hand"]])
    return tmp_path / "book.xlsx"


def test_types_of_columns(book):
    with open_table(str(book)) as source:
        table = read_sheet(source, TableFormat())
    assert table.column_names == HEADER and table.num_rows == 60
    kinds = [pa.int64(), pa.float64(), pa.timestamp("us"), pa.bool_(), pa.string(), pa.string()]
    assert table.schema.types == kinds
    assert table["part"].null_count == 9 and table["part"][1].as_py() == 0.25
    assert table["when"][5].as_py() == datetime(2024, 1, 6, 5)
    assert table["mixed"].to_pylist()[:3] == ["n/a", "1", "2"]


def test_fit_and_predict(book, tmp_path):
    said = run("fit", book, "-t", "y", "-o", tmp_path / "m.ldnn", "-q", "--keep", "whole", *PLAIN).stderr
    assert "Read the sheet 'Data'" in said and "--sheet Notes" in said
    assert "Counted as missing values: 'n/a' in 'mixed'." in said
    lines = run("predict", tmp_path / "m.ldnn", book, "-q", "--with-input").stdout.splitlines()
    assert lines[0].startswith("whole,part,when,good,mixed,y,prediction")
    assert lines[2].startswith("1,0.25,2024-01-02 01:00:00,false,1,yes,")
    assert lines[1].startswith("0,,2024-01-01,true,n/a,no,")
    assert error_of("predict", tmp_path / "m.ldnn", book, "--sheet", "Note") == (
        f"{book} has no sheet 'Note'; did you mean 'Notes'?"
    )


def test_files_that_cannot_be_read(book, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cut.xlsx").write_bytes(book.read_bytes()[:900])
    assert "cannot be read as an Excel file" in error_of("fit", tmp_path / "cut.xlsx", "-t", "y")
    write_xlsx(tmp_path / "empty.xlsx", Data=[])
    assert "is empty" in error_of("fit", tmp_path / "empty.xlsx", "-t", "y")
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    assert (
        error_of("fit", book, "-t", "y")
        == f'{book} is an Excel file, which needs python-calamine: pip install "ldnn[cli]"'
    )
