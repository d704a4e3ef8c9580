"""Tables to learn from: their columns and labels."""

import pandas as pd
import pytest
from cli_runner import PLAIN, check_refused, error_of, run

from ldnn.cli.messages import UserError
from ldnn.cli.table_files import TableFormat
from ldnn.cli.training_tables import read_training_table

CONTENTS = {
    "twice.csv": (b"a,a,answer\n1,1,x\n2,3,y\n", "two columns named 'a'"),
    "one.csv": (b"a,answer\n1,x\n2,x\n", "'answer' has one class only"),
    "amounts.csv": (b"a,answer\n1,1.5\n2,2.5\n", "'answer' holds numbers with fractions: ldnn predicts classes"),
    "alone.csv": (b"answer\nx\ny\n", "no column besides 'answer'"),
    "unknown.csv": (b"a,answer\n1,\n2,NA\n", "'answer' is empty"),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_tables_that_cannot_be_learned_from(name, tmp_path):
    check_refused(tmp_path, name, *CONTENTS[name])


def test_identifiers_are_not_classes(tmp_path):
    pd.DataFrame({"a": range(50), "id": range(50)}).to_csv(tmp_path / "t.csv", index=False)
    assert "'id' has 50 different values in 50 rows" in error_of("fit", tmp_path / "t.csv", "-t", "id")


@pytest.mark.parametrize(
    ("values", "labels", "kind"),
    [("x,y,x", ["x", "y", "x"], "text"), ("1,2,1", [1, 2, 1], "number"), ("1.0,2.0,1.0", [1, 2, 1], "number"),
     ("true,false,true", [True, False, True], "truth")],
)  # fmt: skip
def test_labels_and_their_kind(tmp_path, values, labels, kind):
    """Rows without a class and columns without a name are ignored, with a note."""
    rows = "".join(f"{k},{k},{value}\n" for k, value in enumerate(values.split(",")))
    (tmp_path / "t.csv").write_text("a,,answer\n" + rows + "9,9,\n")
    notes = []
    found = read_training_table([str(tmp_path / "t.csv")], "answer", TableFormat(), notes.append)
    assert found.table.column_names == ["a"] and found.table["a"].to_pylist() == [0, 1, 2]
    assert (found.labels.tolist(), found.label_reading.kind) == (labels, kind)
    assert notes == ["Ignored 1 column without a name.", "Ignored 1 row without a value of 'answer'."]


def test_the_solutions_that_messages_propose(tmp_path):
    rows = "".join(f"{k % 7};{k},5;{'x' if k % 2 else 'y'}\n" for k in range(40))
    (tmp_path / "t.csv").write_text("a;b;answer\nmany;1,5;x\n" + rows)

    def kinds(**options):
        found = read_training_table([str(tmp_path / "t.csv")], "answer", TableFormat(**options), print)
        return {name: reading.kind for name, reading in found.readings.items()}

    with pytest.raises(UserError, match="'a' mixes numbers and text"):
        kinds()
    assert kinds(missing_values=("", "many")) == {"a": "number", "b": "number"}
    assert kinds(text_columns=("a",)) == {"a": "text", "b": "number"}
    assert kinds(ignored_columns=("a",)) == {"b": "number"}


def test_many_categories_are_noted(tmp_path):
    rows = "".join(f"n{k // 3},{k % 2}\n" for k in range(900))
    (tmp_path / "t.csv").write_text("name,answer\n" + rows)
    notes = []
    read_training_table([str(tmp_path / "t.csv")], "answer", TableFormat(), notes.append)
    assert len(notes) == 1 and "'name' has 300 different texts" in notes[0] and "--ignore name" in notes[0]


@pytest.mark.parametrize(
    ("content", "options", "values"),
    [
        ("a;b\n1.234;1,5\n56;2,5\n", {}, [1234.0, 56.0]),  # other columns have decimal commas
        ("a;b\n1.234;1.5\n5.678;2.5\n", {}, [1.234, 5.678]),
        ("a;b\n1.234;1\n5.678;2\n", {"decimal": ","}, [1234.0, 5678.0]),
        ("a;b\n1.234;1\n56;2\n", {"decimal": "."}, [1.234, 56.0]),
    ],
)
def test_points_as_thousands_separators(tmp_path, content, options, values):
    lines = content.splitlines()
    (tmp_path / "t.csv").write_text("\n".join([lines[0] + ";answer", lines[1] + ";x", lines[2] + ";y"]) + "\n")
    found = read_training_table([str(tmp_path / "t.csv")], "answer", TableFormat(**options), print)
    assert found.table["a"].to_pylist() == values


def test_points_that_cannot_be_told(tmp_path):
    (tmp_path / "t.csv").write_text("a,answer\n1.234,x\n56,y\n7.890,x\n")
    with pytest.raises(UserError, match="'a' leaves the decimal point open: '1.234' is 1.234 with .* and 1234 with"):
        read_training_table([str(tmp_path / "t.csv")], "answer", TableFormat(), print)


def test_codes_keep_their_leading_zeros(tmp_path):
    """Postal codes are categories, also in rows to predict, where none may begin with a zero."""
    rows = [(zip_code, "x" if zip_code in ("01067", "80331") else "y") for zip_code in ("01067", "10115", "80331") * 20]
    (tmp_path / "t.csv").write_text("zip,a,answer\n" + "".join(f"{z},{k},{y}\n" for k, (z, y) in enumerate(rows)))
    said = run("fit", tmp_path / "t.csv", "-t", "answer", "-o", tmp_path / "m.ldnn", *PLAIN).stderr
    assert "Read as codes, because of their leading zeros: 'zip' ('01067')." in said
    (tmp_path / "new.csv").write_text("zip,a\n80331,5\n10115,5\n")
    predicted = run("predict", tmp_path / "m.ldnn", tmp_path / "new.csv").stdout.splitlines()
    assert [line.split(",")[0] for line in predicted[1:]] == ["x", "y"]
