"""A table in files of different kinds."""

import gzip
import json
import zipfile
from datetime import datetime

import pyarrow as pa
import pyarrow.parquet as pq
from cli_runner import PLAIN, run
from spreadsheet_writer import write_xlsx

ROWS = [(k / 2 if k % 5 else None, k % 7, datetime(2024, 1, 1 + k % 28), ["no", "yes"][k % 2]) for k in range(40)]


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
