"""Tables in chunks are as whole ones, with the columns that the model expects."""

import gzip

import pandas as pd
import pyarrow as pa
import pytest
from cli_runner import error_of, run

from ldnn.cli import csv_parsing, table_chunks
from ldnn.cli.messages import UserError
from ldnn.cli.readings import Reading
from ldnn.cli.table_chunks import read_column


def test_chunks_are_as_the_whole(folder, tmp_path, monkeypatch):
    whole = run("predict", folder / "people.ldnn", folder / "people.csv", "-q").stdout
    monkeypatch.setattr(csv_parsing, "_BLOCK_BYTES", 1000)
    monkeypatch.setattr(table_chunks, "_CHUNK_ROWS", 64)
    for table in ("people.csv", "people.parquet"):
        assert run("predict", folder / "people.ldnn", folder / table, "-q").stdout == whole
    (tmp_path / "packed.csv.gz").write_bytes(gzip.compress((folder / "people.csv").read_bytes()))
    assert run("predict", folder / "people.ldnn", tmp_path / "packed.csv.gz", "-q").stdout == whole


def test_columns_in_another_order_and_further_ones(folder, people, tmp_path):
    whole = run("predict", folder / "people.ldnn", folder / "people.csv", "-q").stdout
    shuffled = people[["age", "answer", "city", "income", "owner"]].assign(note="x, y")
    shuffled.to_csv(tmp_path / "shuffled.csv", index=False, sep=";")
    assert run("predict", folder / "people.ldnn", tmp_path / "shuffled.csv", "-q").stdout == whole
    with_input = run("predict", folder / "people.ldnn", tmp_path / "shuffled.csv", "-q", "--with-input").stdout
    lines = with_input.splitlines()
    assert lines[0].replace('"', "").startswith("age,answer,city,income,owner,note,prediction,")
    assert '"x, y"' in lines[1]


def test_tables_without_the_expected_columns(folder, people, tmp_path):
    def message(table):
        table.to_csv(tmp_path / "t.csv", index=False)
        found = error_of("predict", folder / "people.ldnn", tmp_path / "t.csv", "-o", tmp_path / "out.csv", "-q")
        assert not (tmp_path / "out.csv").exists()
        return found

    assert "has no column 'income'; did you mean 'incomes'?" in message(people.rename(columns={"income": "incomes"}))
    assert "has no column 'city' (1 other is missing, too)" in message(people[["income", "owner"]])
    assert "a header but no rows" in message(people[:0])
    people.assign(income="text").to_parquet(tmp_path / "t.parquet")
    found = error_of("predict", folder / "people.ldnn", tmp_path / "t.parquet", "-q")
    assert "holds 'text' (row 1) where a number was expected" in found
    people.assign(income=pd.Timestamp("2021-03-05")).to_parquet(tmp_path / "t.parquet")
    found = error_of("predict", folder / "people.ldnn", tmp_path / "t.parquet", "-q")
    assert "'income' of" in found and "but the model expects a number" in found


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("17.04.2021", "if it is one, give the order of day and month with --dates day-first."),
        ("04.05.2021", "if it is one, give the order of day and month with --dates day-first or --dates month-first."),
        ("soon", "correct it, or count it as missing with --missing soon."),
    ],
)
def test_dates_in_another_order_than_in_training(text, remedy):
    with pytest.raises(UserError, match=f"holds '{text}' .row 1. where a date was expected; {remedy}"):
        read_column(pa.chunked_array([[text]]), "signed", Reading("date"), (), "t.csv", 0)
