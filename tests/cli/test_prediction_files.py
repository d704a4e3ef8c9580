"""Predictions go to files in the format that the name determines, or to standard output."""

import csv
import json
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli_runner import PLAIN, error_of, run

from ldnn.cli.outputs import Output
from ldnn.cli.prediction_files import open_writer


def test_standard_input_and_output(folder):
    text = (folder / "people.csv").read_bytes()
    whole = run("predict", folder / "people.ldnn", folder / "people.csv", "-q").stdout
    assert run("predict", folder / "people.ldnn", "-", "-q", stdin=text).stdout == whole
    parquet = (folder / "people.parquet").read_bytes()
    assert run("predict", folder / "people.ldnn", "-", "-q", stdin=parquet).stdout == whole
    lines = run("predict", folder / "people.ldnn", "-", "-q", "--json", stdin=text).stdout.splitlines()
    assert len(lines) == 300 and json.loads(lines[0])["prediction"] in ("no", "yes")


def test_outputs_that_cannot_be_written(folder, tmp_path):
    call = ("predict", folder / "people.ldnn", folder / "people.csv", "-o")
    assert "ends in none of .csv" in error_of(*call, tmp_path / "out.xlsx")
    assert "There is no folder" in error_of(*call, tmp_path / "no" / "out.csv")


def test_the_columns_of_the_table_are_written_as_they_were(folder, people, tmp_path):
    """In their order, and numbers as they were typed, also where they have 32 bits."""
    table = people[["city", "answer", "age", "owner", "income"]].astype({"age": float}).assign(id=range(300))
    table["income"] = table["income"].round(2).astype("float32")
    table.loc[0, "income"] = 17.99
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_parquet(tmp_path / "t.parquet", index=False)
    for name in ("t.csv", "t.parquet"):
        call = ("predict", folder / "people.ldnn", tmp_path / name, "--with-input", "-q")
        header, first, *_ = run(*call).stdout.splitlines()
        assert header.startswith("city,answer,age,owner,income,id,prediction,probability_no")
        assert first.split(",")[4] == "17.99"
        row = json.loads(run(*call, "--json").stdout.splitlines()[0])
        assert list(row)[:6] == list(table) and row["income"] == 17.99


def test_every_cell_is_written_as_it_was_typed(tmp_path):
    """Amounts, percentages, dates, marks of missing values, spaces, zeros, columns without a name."""
    cells = [
        f'{k},"$7,{600 + k}",{k % 50}.50 %,{1 + k % 28:02}.03.2021,'
        f"{'NA' if k % 9 == 4 else f'0{k % 5}'},{' yes' if k % 2 else 'no'}"
        for k in range(120)
    ]
    (tmp_path / "t.csv").write_text(",price,share, day ,code,y\n" + "\n".join(cells) + "\n")
    run("fit", tmp_path / "t.csv", "-t", "y", "-o", tmp_path / "m.ldnn", "-q", "--text", "code", *PLAIN)
    call = ("predict", tmp_path / "m.ldnn", tmp_path / "t.csv", "--with-input", "-q")
    header, *lines = run(*call).stdout.splitlines()
    assert header.startswith(",price,share,day,code,y,prediction,")
    for line, typed in zip(lines, cells, strict=True):
        assert line.replace('" yes"', " yes").startswith(typed + ",")
    rows = [json.loads(line) for line in run(*call, "--json").stdout.splitlines()]
    assert [row["price"] for row in rows[:2]] == ["$7,600", "$7,601"]
    assert [row["code"] for row in rows[3:5]] == ["03", "NA"]


def test_types_of_parquet_columns_are_kept(tmp_path):
    random = np.random.default_rng(0)
    a = random.normal(size=90).astype(np.float32)
    table = pa.table(
        {
            "kind": pa.array(random.choice(["x", "y"], 90)).dictionary_encode(),
            "size": pa.array(random.integers(0, 9, 90), pa.int8()),
            "a": pa.array(a),
            "day": pa.array(random.integers(18_000, 18_090, 90).astype(np.int32), pa.date32()),
            "price": pa.array([f"{k}.10" for k in range(90)]).cast(pa.decimal128(9, 2)),
            "y": pa.array(np.where(a > 0, "yes", "no")),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    run("fit", tmp_path / "t.parquet", "-t", "y", "-o", tmp_path / "m.ldnn", "-q", *PLAIN)
    run("predict", tmp_path / "m.ldnn", tmp_path / "t.parquet", "--with-input", "-q", "-o", tmp_path / "p.parquet")
    assert pq.read_table(tmp_path / "p.parquet").select(table.column_names).equals(table)
    first = run("predict", tmp_path / "m.ldnn", tmp_path / "t.parquet", "--with-input", "-q").stdout.splitlines()[1]
    assert first.split(",")[3:5] == [str(table["day"][0]), "0.10"]


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no terminals")
def test_terminals_get_no_control_characters(tmp_path):
    """Files have texts as they are."""
    table = pa.table({"\x1b[31m": ["a\x07b", "\x1b[2J"]})
    reader, writer = os.openpty()
    with open_writer(Output(os.ttyname(writer), "csv"), table.schema) as write:
        write(table)
    os.close(writer)
    shown = os.read(reader, 10_000)
    os.close(reader)
    assert rb"a\x07b" in shown and b"\x1b" not in shown and b"\x07" not in shown
    with open_writer(Output(str(tmp_path / "out.csv"), "csv"), table.schema) as write:
        write(table)
    assert b"\x1b[2J" in (tmp_path / "out.csv").read_bytes()


def test_spreadsheets_execute_nothing(tmp_path):
    """A text that begins like a formula gets an apostrophe in CSV files; numbers stay, and other formats are exact."""
    table = pa.table(
        {"=name": ["=1+1", "@SUM(A1)", "-1", "-1+1", "+2.5e3", "\t=1", "plain", None], "number": [-1.5] * 8}
    )
    written = {}
    for name in ("out.csv", "out.jsonl"):
        with open_writer(Output.at(str(tmp_path / name), False), table.schema) as write:
            write(table)
        written[name] = (tmp_path / name).read_text()
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["'=name", "number"]
    assert [row[0] for row in rows[1:]] == ["'=1+1", "'@SUM(A1)", "-1", "'-1+1", "+2.5e3", "'\t=1", "plain", ""]
    assert {row[1] for row in rows[1:]} == {"-1.5"}
    assert json.loads(written["out.jsonl"].splitlines()[0])["=name"] == "=1+1"
