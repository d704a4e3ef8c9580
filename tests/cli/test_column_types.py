"""Columns of numbers, truth values and text; others are refused."""

import math

import pyarrow as pa
import pytest
from cli_runner import PLAIN, check_refused, error_of, run

import ldnn
from ldnn.cli.column_types import check_mixed, column_kinds, missing_as_nan
from ldnn.cli.table_files import TableFormat

CONTENTS = {
    "mixed.csv": (
        b"a,answer\n1,x\n2,y\nmany,x\n",
        "'a' mixes numbers and text: 'many' in row 3 is not a number.*--missing many, .*--text a",
    ),
    "comma.csv": (b"a;answer\n1,5;x\n2,5;y\n", "'a' has decimal commas .*--decimal ,"),
    "dates.csv": (b"a,answer\n2020-01-01,x\n2020-01-02,y\n", "'a' holds dates or times.*--ignore a"),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_columns_that_cannot_be_learned_from(name, tmp_path):
    check_refused(tmp_path, name, *CONTENTS[name])


def test_the_solutions_that_messages_propose(tmp_path):
    rows = "".join(f"{k};{k},5;{'x' if k % 2 else 'y'}\n" for k in range(40))
    (tmp_path / "t.csv").write_text("a;b;answer\nmany;1,5;x\n" + rows)
    plain = ("-o", tmp_path / "m.ldnn", "-q", "-t", "answer", *PLAIN)
    assert "mixes" in error_of("fit", tmp_path / "t.csv", "--decimal", ",", *plain)
    run("fit", tmp_path / "t.csv", "--decimal", ",", "--missing", "many", *plain)
    assert ldnn.load(tmp_path / "m.ldnn").source_["kinds"] == {"a": "number", "b": "number"}
    run("fit", tmp_path / "t.csv", "--decimal", ",", "--text", "a", *plain)
    assert ldnn.load(tmp_path / "m.ldnn").source_["kinds"] == {"a": "text", "b": "number"}
    run("fit", tmp_path / "t.csv", "--decimal", ",", "--ignore", "a", *plain)
    assert list(ldnn.load(tmp_path / "m.ldnn").feature_names_in_) == ["b"]


def test_missing_numbers_and_truth_values_become_nan():
    table = pa.table({"n": [1, None], "t": [True, None], "s": ["x", None], "whole": [1, 2]})
    assert column_kinds(table) == {"n": "number", "t": "truth", "s": "text", "whole": "number"}
    filled = missing_as_nan(table)
    assert filled["n"][0].as_py() == filled["t"][0].as_py() == 1.0
    assert math.isnan(filled["n"][1].as_py()) and math.isnan(filled["t"][1].as_py())
    assert filled["s"].to_pylist() == ["x", None]
    assert filled["whole"].type == pa.int64()


def test_many_categories_are_noted():
    notes = []
    check_mixed(pa.table({"name": [f"n{k}" for k in range(300)]}), TableFormat(), notes.append)
    assert len(notes) == 1 and "'name' has 300 different texts" in notes[0] and "--ignore name" in notes[0]
