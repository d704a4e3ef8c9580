"""Identifiers are left out, measurements are not; columns that tell the class are pointed out."""

import numpy as np
import pyarrow as pa
import pytest

from ldnn.cli.suspicious_columns import (
    identifies_rows,
    note_measured_texts,
    note_odd_classes,
    note_placeholders,
    warn_of_leakage,
    without_identifiers,
)
from ldnn.cli.table_files import TableFormat

RANDOM = np.random.default_rng(0)
IDENTIFIERS = {
    "PassengerId": np.arange(1, 201),
    "row": RANDOM.permutation(200) + 1000,
    "row_index": RANDOM.choice(10**6, 200, replace=False),
    "half_of_all": np.sort(RANDOM.choice(400, 200, replace=False)),
    "ticket_no": RANDOM.choice(10**6, 200, replace=False),
    "float": np.arange(200.0),
    "name": [f"Person {k}" for k in range(200)],
    "ticket": [f"T{k // 2}" for k in range(200)],
}
MEASUREMENTS = {
    "length": RANDOM.normal(size=200),
    "grams": RANDOM.choice(10**6, 200, replace=False),
    "age": RANDOM.integers(18, 90, 200),
    "paid": RANDOM.choice(10**6, 200, replace=False),  # not an "id"
    "city": RANDOM.choice([f"city {k}" for k in range(40)], 200),
    "cabin": [f"C{k}" if k % 4 == 0 else None for k in range(200)],  # that it is missing says something
    "heat index": RANDOM.choice(10**6, 200, replace=False),
    "day": np.arange("2020-01-01", "2020-07-19", dtype="M8[D]"),
}


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_identifiers(name):
    assert identifies_rows(pa.chunked_array([pa.array(IDENTIFIERS[name])]), name)


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_measurements(name):
    assert not identifies_rows(pa.chunked_array([pa.array(MEASUREMENTS[name])]), name)


def test_identifiers_are_left_out_unless_they_are_kept():
    table = pa.table({"id": IDENTIFIERS["row"], "name": IDENTIFIERS["name"], "x": MEASUREMENTS["length"]})
    notes = []
    assert without_identifiers(table, TableFormat(), notes.append).column_names == ["x"]
    assert notes == ["Left out as identifiers of single rows: 'id', 'name'. Keep such a column with --keep id."]
    kept = TableFormat(kept_columns=("id",), text_columns=("name",))
    assert without_identifiers(table, kept, notes.append).column_names == table.column_names
    assert without_identifiers(table.select(["id"]), TableFormat(), notes.append).column_names == ["id"]
    assert len(notes) == 1


@pytest.mark.parametrize("text", ["{0}/8{0}", "{0}:30", "{0}.5 kg"])
def test_measurements_in_texts_that_cannot_be_read_are_pointed_out(text):
    table = pa.table({"x": MEASUREMENTS["length"], "m": [text.format(k) for k in range(100, 300)]})
    notes = []
    assert without_identifiers(table, TableFormat(), notes.append).column_names == ["x"]
    assert notes[0].endswith(f"If 'm' is measured ({text.format(100)!r}), write it as plain numbers.")


def test_categories_that_may_be_measurements_are_pointed_out():
    columns = {"m": "{0}:75", "codes": "{0:05}", "texts": "city {0}"}
    table = pa.table({name: [text.format(k % 12) for k in range(100)] for name, text in columns.items()})
    table = table.append_column("few", pa.array(["18-24", "25-34"] * 50))
    notes = []
    note_measured_texts(table, TableFormat(), notes.append)
    assert notes == ["Column 'm' is read as categories. If 'm' is measured ('0:75'), write it as plain numbers."]
    note_measured_texts(table, TableFormat(text_columns=("m",)), notes.append)
    assert len(notes) == 1


def test_classes_that_may_be_none_are_pointed_out():
    notes = []
    labels = ["yes", "no", "no"] * 20
    for more in (["Total"], ["n/a", "n/a"], ["unknown", "unknown"], ["a", "b"]):
        note_odd_classes(pa.chunked_array([[*labels, *more]]), "answer", notes.append)
    note_odd_classes(pa.chunked_array([["yes", "no"]]), "answer", notes.append)
    assert notes == [
        "Only one row has the class 'Total': is it a total, or a typing error?",
        "Counted as a class of 'answer': 'n/a'. If it means a missing value, use --missing=n/a.",
    ]


def test_placeholders_are_pointed_out():
    length, count = MEASUREMENTS["length"], np.arange(200) % 5
    table = pa.table(
        {
            "a": np.where(np.arange(200) < 5, -999, length),
            "once": np.where(np.arange(200) < 1, -999, length),
            "close": np.where(np.arange(200) < 5, 99, length * 60),
            "code": np.where(count == 4, 99, count),
            "spread": np.where(np.arange(200) < 5, -999, 10_000 * length),
            "missing": np.where(np.arange(200) < 5, np.nan, length),
            "day": MEASUREMENTS["day"],
        }
    )
    notes = []
    note_placeholders(table, notes.append)
    assert notes == [
        "Column 'a' has -999 in 5 rows, far from its other values. If that means a missing value, use --missing=-999."
    ]


def test_columns_that_tell_the_class():
    labels = RANDOM.choice(["x", "y", "z"], 200)
    code = np.unique(labels, return_inverse=True)[1]
    table = pa.table(
        {
            "amount": np.where(code == 2, np.nan, code + 0.1 * RANDOM.random(200)),
            "word": np.array(["red", "green", "blue"])[code],
            "unique": [f"w{k}" for k in range(200)],
            "noise": RANDOM.normal(size=200),
            "hint": np.where(RANDOM.random(200) < 0.05, 0, code),
        }
    )
    notes = []
    warn_of_leakage(table, labels, "answer", notes.append)
    assert len(notes) == 1
    assert notes[0].startswith("Possible leakage: 'amount' (100.0% of the rows), 'word' (100.0% of the rows)")
    assert notes[0].endswith("leave it out with --ignore amount.")
    warn_of_leakage(table.slice(0, 20), labels[:20], "answer", notes.append)
    assert len(notes) == 1
