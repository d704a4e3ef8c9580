"""Damaged CSV files are refused with a sentence, and their formats can be given."""

import pandas as pd
import pytest
from cli_runner import PLAIN, check_refused, error_of, run

import ldnn

CONTENTS = {
    "blank.csv": (b"\n\n", "is empty"),
    "header.csv": (b"a,answer\n", "has a header but no rows"),
    "ragged.csv": (b"a,answer\n1,x\n2\n", r"A row of .*ragged.csv \('2'\) has 1 column instead of 2"),
    "latin.csv": ("a,answer\n1,é\n2,x\n".encode("latin-1"), "not written in utf8; give its encoding"),
    "wide.csv": ("a,answer\n1,é\n2,x\n".encode("utf-16"), "is written in UTF-16; read it with --encoding utf-16"),
    "report.csv": (
        b"Report of May\n\na,answer\n1,x\n2,y\n",
        "no column 'answer' in the first line of .*in line 3. Rem",
    ),
    "joined.csv": (b"a,b,answer\n1,u,x\na,b,answer\n2,v,y\n", "Row 2 of .*joined.csv has the names of the columns"),
    "binary.csv": (b"\x00\x01\x02\x03\x00\x00\x00\x00", "is not a text file"),
    "cut.parquet": (b"PAR1\x00\x00\x00", "cannot be read"),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_damaged_files(name, tmp_path):
    check_refused(tmp_path, name, *CONTENTS[name])


def test_other_encodings(tmp_path):
    (tmp_path / "l.csv").write_bytes("é,answer\n1,x\n2,y\n3,x\n4,y\n".encode("latin-1"))
    call = ("fit", tmp_path / "l.csv", "-o", tmp_path / "m.ldnn", "-q", "-t", "answer", *PLAIN)
    run(*call, "--encoding", "latin-1")
    assert list(ldnn.load(tmp_path / "m.ldnn").feature_names_in_) == ["é"]
    for unknown in ("latn", "idna"):
        assert f"There is no encoding '{unknown}'" in error_of(*call, "--encoding", unknown)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_are_detected(folder, people, tmp_path, delimiter):
    people.to_csv(tmp_path / "t.csv", index=False, sep=delimiter)
    expected = run("predict", folder / "people.ldnn", folder / "people.csv", "-q").stdout
    assert run("predict", folder / "people.ldnn", tmp_path / "t.csv", "-q").stdout == expected


@pytest.mark.parametrize(
    "header",
    ["price, net;b;answer", "price, net, EUR;b, too, or, so;answer", '"price\n, net";b;answer', "sep=;\na;b;answer",
     '"sep=;"\r\na,b,c,d;b;answer'],
)  # fmt: skip
def test_what_stands_between_columns_with_marks_in_their_names(header, tmp_path):
    (tmp_path / "t.csv").write_text(f"{header}\n" + "7,5;2;x\n1,2;1;y\n3,4;1;x\n" * 5)
    run("fit", tmp_path / "t.csv", "-o", tmp_path / "m.ldnn", "-q", "-t", "answer", *PLAIN)
    assert ldnn.load(tmp_path / "m.ldnn").n_features_in_ == 2
    assert len(run("predict", tmp_path / "m.ldnn", tmp_path / "t.csv", "-q").stdout.splitlines()) == 16


def test_a_table_of_one_column(tmp_path):
    """Its values may contain what stands between columns elsewhere, and an empty line is a row."""
    (tmp_path / "t.csv").write_text("price;answer\n" + "$7,322;x\n$12;y\n;x\n" * 9)
    run("fit", tmp_path / "t.csv", "-o", tmp_path / "m.ldnn", "-q", "-t", "answer", *PLAIN)
    (tmp_path / "one.csv").write_text("price\n$7,322\n\n$12\n")
    alone = run("predict", tmp_path / "m.ldnn", tmp_path / "one.csv", "-q").stdout.splitlines()
    among = run("predict", tmp_path / "m.ldnn", tmp_path / "t.csv", "-q").stdout.splitlines()
    assert alone == [among[k] for k in (0, 1, 3, 2)]


def test_values_that_are_no_numbers_at_prediction(folder, people, tmp_path):
    odd = people.assign(income=people["income"].astype(object))
    odd.loc[200, "income"] = "much"
    odd.to_csv(tmp_path / "t.csv", index=False)
    message = error_of("predict", folder / "people.ldnn", tmp_path / "t.csv", "-o", tmp_path / "out.csv", "-q")
    assert "'income' of" in message and "holds 'much'" in message and "--missing much" in message
    assert not (tmp_path / "out.csv").exists()
    run("predict", folder / "people.ldnn", tmp_path / "t.csv", "-o", tmp_path / "out.csv", "-q", "--missing", "much")
    assert len(pd.read_csv(tmp_path / "out.csv")) == 300


def test_a_quotation_mark_that_is_missing(tmp_path):
    """All that follows is one cell."""
    lines = "".join(f"{number},q\n" for number in range(30_000))
    (tmp_path / "t.csv").write_text('a,answer\n1,"p\n' + lines)
    for call in (("fit", "-o", str(tmp_path / "m.ldnn"), "-t", "answer"), ("profile",)):
        assert "a quotation mark is probably missing" in error_of(call[0], tmp_path / "t.csv", *call[1:])


def test_names_of_any_length(tmp_path):
    long = "a" * 120_000
    (tmp_path / "t.csv").write_text(f"{long},answer\n" + "1,x\n2,y\n" * 5)
    run("fit", tmp_path / "t.csv", "-o", tmp_path / "m.ldnn", "-q", "-t", "answer", *PLAIN)
    assert list(ldnn.load(tmp_path / "m.ldnn").feature_names_in_) == [long]
    message = error_of("fit", tmp_path / "t.csv", "-t", "answr")
    assert message.startswith("There is no column 'answr' to predict; did you mean 'answer'?")
