"""What a table holds, and what fit does with it: the same as fit says itself."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli_runner import PLAIN, error_of, run

from ldnn import load
from ldnn.cli import parquet_files, table_profile


@pytest.fixture
def orders(tmp_path):
    """A messy table, in which the refund gives the class away."""
    random = np.random.default_rng(0)
    lines = ["OrderId,price,signed,time,paid,age,refund,constant,y"]
    for k in range(200):
        fraud = k % 5 == 0
        age = "-" if k % 11 == 0 else "-999" if k % 13 == 0 else str(random.integers(18, 80))
        lines.append(
            f'{1000 + k},"${random.integers(1000, 9000):,}",{random.integers(1, 28):02}.{random.integers(1, 13):02}.202'
            f"{random.integers(0, 3)},{random.integers(0, 24)}:30,{random.choice(['yes', 'YES', 'no'])},{age},"
            f"{'back' if fraud else 'none'},1,{'fraud' if fraud else 'ok' if k > 3 else ''}"
        )
    (tmp_path / "orders.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "orders.csv"


def test_columns_and_classes(orders, tmp_path):
    found = json.loads(run("profile", orders, "-t", "y", "--json").stdout)
    columns = {column["name"]: column for column in found["columns"]}
    assert {name: column["kind"] for name, column in columns.items()} == {
        "OrderId": "number", "price": "number", "signed": "date", "time": "time", "paid": "text", "age": "number",
        "refund": "text", "constant": "number", "y": "text",
    }  # fmt: skip
    assert columns["age"]["missing"] == 19 and columns["signed"]["fit"] == "dates as days, month, weekday"
    assert columns["time"]["fit"] == "dates as hour" and columns["constant"]["fit"] == "a single value: not used"
    assert columns["paid"]["different"] == 3 and columns["paid"]["values"].count(",") == 2
    assert found["target"]["counts"] == [{"label": "ok", "rows": 157}, {"label": "fraud", "rows": 40}]
    assert found["target"]["baseline_error"] == pytest.approx(40 / 197)
    assert found["target"]["leakage_suspects"] == {"refund": 1.0}
    assert found["refused"] == []
    # fit does what was said.
    said = run("fit", orders, "-t", "y", "-o", tmp_path / "m.ldnn", "-q", *PLAIN).stderr
    used = [name for name, column in columns.items() if column["is_used"]]
    assert (
        list(load(tmp_path / "m.ldnn").feature_names_in_) == used == [n for n in columns if n not in ("OrderId", "y")]
    )
    repeated = ("Read as", "Counted", "Differ", "Column 'age' has")
    assert all(note in said for note in found["notes"] if note.startswith(repeated))
    assert any(note.startswith("Column 'age' has -999 in 14 rows") for note in found["notes"])


def test_what_is_printed(orders):
    said = run("profile", orders, "-t", "y").stdout
    assert said.startswith("200 rows and 9 columns\n")
    assert "left out: identifies single rows" in said and "Read as numbers: 'price' (" in said
    assert "'y' has 2 classes: ok 157 (79.7 %), fraud 40 (20.3 %)." in said
    assert "Always predicting ok makes 20.30 % errors on the rows of this table." in said
    assert "Possible leakage: 'refund' alone predicts 'y' for 100 % of the rows." in said
    assert "fit ignores 3 rows without a value of 'y'." in said
    without = run("profile", orders, "--ignore", "price").stdout
    assert "price" not in without and "classes:" not in without


def test_what_fit_would_refuse(orders, tmp_path):
    odd = tmp_path / "odd.csv"
    odd.write_text(orders.read_text().replace('1007,"$', '1007,"about $'))
    sentence = error_of("fit", odd, "-t", "y", "-o", tmp_path / "m.ldnn")
    said = run("profile", odd, "-t", "y").stdout
    assert f"fit will refuse this table: {sentence}" in said and "refused, see below" in said
    sentence = error_of("fit", orders, "-t", "OrderId", "-o", tmp_path / "m.ldnn")
    assert f"fit will refuse this table: {sentence}" in run("profile", orders, "-t", "OrderId").stdout


def test_files_larger_than_memory_are_sampled(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_files, "_BYTES_PER_VALUE", 1 << 60)
    monkeypatch.setattr(table_profile, "_SAMPLE_ROWS", 100)
    pq.write_table(pa.table({"a": np.arange(1000) % 13}), tmp_path / "t.parquet", row_group_size=100)
    found = json.loads(run("profile", tmp_path / "t.parquet", "--json").stdout)
    assert found["rows"] == 100
    assert found["notes"] == ["Of 1,000 rows, a sample of 100 from all over the files was looked at."]
