"""JSON lines as tables."""

import gzip
import json

import pyarrow as pa
import pytest
from cli_runner import PLAIN, error_of, run

from ldnn.cli import json_lines
from ldnn.cli.messages import UserError
from ldnn.cli.table_files import open_table


def _write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_types(tmp_path):
    rows = [{"a": 1, "day": "2024-01-31", "ok": True}, {"a": 2.5, "b": "x", "day": "2024-02-01", "ok": None}]
    with open_table(_write(tmp_path / "t.jsonl", rows)) as source:
        table = json_lines.read_json_lines(source)
    assert table.to_pylist() == [{"a": 1, "day": "2024-01-31", "ok": True, "b": None}, rows[1]]
    assert table.schema.field("day").type == pa.string()  # which is read like that of other files


def test_columns_of_several_types_are_text(tmp_path):
    with open_table(_write(tmp_path / "t.jsonl", [{"a": 1, "b": 1}, {"a": "-", "b": 2.5}])) as source:
        table = json_lines.read_json_lines(source)
    assert table.to_pydict() == {"a": ["1", "-"], "b": [1, 2.5]}


def test_chunks_have_the_same_columns(tmp_path, monkeypatch):
    monkeypatch.setattr(json_lines, "_BLOCK_BYTES", 40)
    rows = [{"a": k, "b": "x"} if k % 3 else {"a": k} for k in range(30)]
    with open_table(_write(tmp_path / "t.ndjson", rows)) as source:
        assert json_lines.json_names(source) == ["a", "b"]
        tables = list(json_lines.json_chunks(source, ["b", "a"]))
    assert len(tables) > 5 and all(table.column_names == ["b", "a"] for table in tables)
    assert [value for table in tables for value in table["a"].to_pylist()] == list(range(30))


@pytest.mark.parametrize("line", ["[1, 2]", "{'a': 1}", '{"a": 1'])
def test_lines_that_are_no_objects(line, tmp_path):
    (tmp_path / "t.jsonl").write_text('{"a": 1}\n' + line + "\n")
    with open_table(str(tmp_path / "t.jsonl")) as source, pytest.raises(UserError, match="Line 2 of .* is not a JSON"):
        json_lines.read_json_lines(source)


def test_fit_and_predict(people, tmp_path):
    """The same as from CSV, also compressed and from standard input."""
    rows = [{name: value for name, value in row.items() if value == value} for row in people.to_dict("records")]
    path = tmp_path / "people.jsonl"
    _write(path, rows)
    (tmp_path / "packed.jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
    run("fit", path, "-t", "answer", "-o", tmp_path / "m.ldnn", "-q", *PLAIN)
    people.to_csv(tmp_path / "people.csv", index=False)
    said = [
        run("predict", tmp_path / "m.ldnn", tmp_path / name, "-q").stdout
        for name in ("people.jsonl", "packed.jsonl.gz", "people.csv")
    ]
    said.append(run("predict", tmp_path / "m.ldnn", "-", "-q", stdin=path.read_bytes()).stdout)
    assert len(set(said)) == 1 and said[0].count("\n") == 301
    both = run("predict", tmp_path / "m.ldnn", path, tmp_path / "people.csv", "-q").stdout
    assert both.count("\n") == 601
    _write(tmp_path / "other.jsonl", [{"income": 1, "city": "Rome"}])
    assert "has no column 'owner'" in error_of("predict", tmp_path / "m.ldnn", tmp_path / "other.jsonl")


@pytest.mark.parametrize("value", ["[" * 100_000 + "]" * 100_000, '[{"b":' * 300 + "1" + "}]" * 300])
def test_values_inside_values_without_end(tmp_path, value):
    (tmp_path / "t.jsonl").write_text(f'{{"a": 1, "y": 0}}\n{{"a": {value}, "y": 1}}\n')
    assert "Line 2 of" in error_of("fit", tmp_path / "t.jsonl", "-t", "y", "-o", tmp_path / "m.ldnn")


def test_many_short_lists_in_a_line_are_read(tmp_path):
    rows = [{"a": k, "b": [[1], [2]] * 200, "y": k % 2} for k in range(40)]
    with open_table(_write(tmp_path / "t.jsonl", rows)) as source:
        assert json_lines.read_json_lines(source).num_rows == 40


def test_halves_of_characters(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"a": "b", "y": 1}\n{"a": "\\ud800", "y": 0}\n')
    assert "Line 2 of" in error_of("fit", tmp_path / "t.jsonl", "-t", "y", "-o", tmp_path / "m.ldnn")


def test_columns_are_in_the_order_of_the_file(tmp_path):
    row = {"b": 1, "day": "2020-01-02", "a": 2.5, "at": "2020-01-02 03:04:05", "text": "x"}
    path = _write(tmp_path / "t.jsonl", [row, row])
    with open_table(path) as source:
        assert json_lines.json_names(source) == [*row]
    with open_table(path) as source:
        assert json_lines.read_json_lines(source).column_names == [*row]
