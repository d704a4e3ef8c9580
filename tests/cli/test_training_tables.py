"""Tables to learn from: their columns and labels."""

import pandas as pd
import pytest
from cli_runner import check_refused, error_of

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
    table, found, found_kind = read_training_table(str(tmp_path / "t.csv"), "answer", TableFormat(), notes.append)
    assert table.column_names == ["a"] and table["a"].to_pylist() == [0, 1, 2]
    assert (found.tolist(), found_kind) == (labels, kind)
    assert notes == ["Ignored 1 column without a name.", "Ignored 1 row without a value of 'answer'."]
