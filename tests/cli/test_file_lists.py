"""Several files that are one table."""

import gzip
import json
import zipfile
from datetime import datetime

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli_runner import PLAIN, error_of, run
from spreadsheet_writer import write_xlsx

from ldnn import load
from ldnn.cli.file_lists import common_name, named_files
from ldnn.cli.messages import UserError

ROWS = [(k / 2 if k % 5 else None, k % 7, datetime(2024, 1, 1 + k % 28), ["no", "yes"][k % 2]) for k in range(40)]


@pytest.fixture
def parts(tmp_path):
    """Three Parquet files of one table, and the table."""
    random = np.random.default_rng(0)
    a, b = random.normal(size=(2, 300))
    table = pa.table({"a": a, "b": b, "y": np.where(a > b, "yes", "no")})
    for k in range(3):
        piece = table.slice(100 * k, 100)
        pq.write_table(piece.select(["y", "b", "a"] if k == 2 else ["a", "b", "y"]), tmp_path / f"part-{k}.parquet")
    pq.write_table(table, tmp_path / "whole.parquet")
    return tmp_path


def test_names(parts):
    found = named_files([str(parts / "part-*.parquet"), str(parts / "part-0.parquet")])
    assert [name[-9:] for name in found] == ["0.parquet", "1.parquet", "2.parquet"]
    assert (
        common_name(found) == "part" and common_name(["x/a-1.csv"]) == "a-1" and common_name(["1.csv", "2.csv"]) == "1"
    )
    with pytest.raises(UserError, match="No file matches"):
        named_files([str(parts / "other-*.parquet")])
    with pytest.raises(UserError, match="Standard input"):
        named_files(["-", "a.csv"])


@pytest.mark.parametrize("how", [[], ["--in-parts"]])
def test_fit_and_predict_several_files(parts, how):
    pattern, model = parts / "part-*.parquet", parts / "m.ldnn"
    run("fit", pattern, "-t", "y", "-q", "-o", model, *how, *PLAIN)
    run("predict", model, pattern, "-q", "-o", parts / "p.parquet")
    assert pq.read_table(parts / "p.parquet").num_rows == 300
    if not how:
        run("fit", parts / "whole.parquet", "-t", "y", "-q", "-o", parts / "w.ldnn", *PLAIN)
        assert np.array_equal(load(model).weights_, load(parts / "w.ldnn").weights_)


def test_files_with_other_columns(parts):
    pq.write_table(pa.table({"a": [1.0], "z": [2.0], "y": ["no"]}), parts / "part-3.parquet")
    for how in ([], ["--in-parts"]):
        said = error_of("fit", parts / "part-*.parquet", "-t", "y", "-o", parts / "m.ldnn", "-q", *how)
        assert "have different columns: only one of them has 'b'" in said


def test_a_text_in_one_of_the_files(tmp_path):
    (tmp_path / "p-1.csv").write_text(
        "a,b,y\n" + "".join(f"{k % 9},{k % 5}.5,{['no', 'yes'][k % 2]}\n" for k in range(60))
    )
    (tmp_path / "p-2.csv").write_text("y,b,a\n" + "".join(f"{['no', 'yes'][k % 2]},2.25,-\n" for k in range(20)))
    said = run("fit", tmp_path / "p-*.csv", "-t", "y", "-q", "-o", tmp_path / "m.ldnn", *PLAIN).stderr
    assert "Counted as missing values: '-' in 'a'." in said
    readings = load(tmp_path / "m.ldnn").source_["readings"]
    assert {name: reading["kind"] for name, reading in readings.items()} == {"a": "number", "b": "number"}
    files = [tmp_path / "p-1.csv", tmp_path / "p-2.csv"]
    run("predict", tmp_path / "m.ldnn", *files, "--with-input", "-q", "-o", tmp_path / "p.csv")
    lines = (tmp_path / "p.csv").read_text().splitlines()
    assert len(lines) == 81
    assert lines[0].startswith("a,b,y,prediction,") and lines[80].startswith("-,2.25,yes,")


def test_predictions_with_different_columns_of_the_files(parts):
    run("fit", parts / "whole.parquet", "-t", "y", "-q", "-o", parts / "m.ldnn", *PLAIN)
    pq.write_table(pa.table({"a": [1.0], "b": [2.0], "z": ["?"]}), parts / "other.parquet")
    files = [parts / "part-0.parquet", parts / "other.parquet"]
    run("predict", parts / "m.ldnn", *files, "-q", "-o", parts / "p.csv")
    said = error_of("predict", parts / "m.ldnn", *files, "--with-input", "-q", "-o", parts / "q.csv")
    assert said == "The files have different columns: some lack 'y'. Leave out --with-input."
    assert not (parts / "q.csv").exists()


def test_files_of_all_kinds_are_one_table(tmp_path):
    text = "a,b,day,y\n" + "".join(f"{'' if a is None else f'{a:g}'},{b},{day:%Y-%m-%d},{y}\n" for a, b, day, y in ROWS)
    (tmp_path / "m-1.csv").write_text(text)
    write_xlsx(tmp_path / "m-2.xlsx", Data=[["a", "b", "day", "y"], *ROWS])
    lines = [json.dumps({"y": y, "b": b, "a": a, "day": f"{day:%Y-%m-%d}"}) for a, b, day, y in ROWS]
    (tmp_path / "m-3.jsonl").write_text("\n".join(lines) + "\n")
    pq.write_table(pa.Table.from_pylist([dict(zip(["a", "b", "day", "y"], row, strict=True)) for row in ROWS]),
                   tmp_path / "m-4.parquet")  # fmt: skip
    with zipfile.ZipFile(tmp_path / "m-5.zip", "w") as archive:
        archive.writestr("inner.csv", text)
    (tmp_path / "m-6.csv.gz").write_bytes(gzip.compress(text.encode()))
    model = tmp_path / "m.ldnn"
    fitted = json.loads(run("fit", tmp_path / "m-*", "-t", "y", "-o", model, "-q", "--json", *PLAIN).stdout)
    assert (fitted["rows"], fitted["columns"]) == (240, 3)
    out = run("predict", model, tmp_path / "m-*", "-q").stdout.splitlines()
    assert len(out) == 241 and out[1:41] * 6 == out[1:]
    whole = run("predict", model, tmp_path / "m-*", "-q", "--with-input").stdout.splitlines()
    assert whole[41:81] == whole[1:41]  # the sheet as the text
