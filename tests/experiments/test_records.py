import json

import pytest

from experiments import records

FIRST, SECOND = {"data": "pima", "repeat": 0}, {"data": "pima", "repeat": 1}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "records.jsonl"


def test_records_come_back_in_order(path):
    assert records.read(path) == []
    records.append(path, FIRST)
    records.append(path, SECOND)
    assert records.read(path) == [FIRST, SECOND]
    assert len(path.read_text().splitlines()) == 2


@pytest.mark.parametrize("left", range(1, len(json.dumps(SECOND)) + 1))
def test_a_line_cut_off_anywhere_spoils_no_other(path, left):
    records.append(path, FIRST)
    with path.open("a") as file:
        file.write(json.dumps(SECOND)[:left])
    known = [FIRST, SECOND] if left == len(json.dumps(SECOND)) else [FIRST]  # only the end of the line is missing
    assert records.read(path) == known
    records.append(path, SECOND)
    assert records.read(path) == [*known, SECOND]


NO_RECORDS = [b"12", b'"word"', b"[]", b"\xff\xfe", b'{"data": ', b"[" * 100_000, b"1" * 5000, b'{"data": 3}']


def spoil(path):
    records.append(path, FIRST)
    with path.open("ab") as file:
        file.write(b"\n".join([*NO_RECORDS, b"", b""]))
    records.append(path, SECOND)


def test_each_line_that_is_no_record_is_named_once_and_left_out(path, capsys):
    spoil(path)
    assert records.read(path, data=str, repeat=int) == [FIRST, SECOND]
    named = capsys.readouterr().err.splitlines()
    assert [line.partition(" is ignored: ")[0] for line in named] == [
        f"Line {number} of {path}" for number in range(2, 2 + len(NO_RECORDS))
    ]
    assert named[-1].endswith("it has no 'data' of a suitable type.")
    assert records.read(path, data=str, repeat=int) == [FIRST, SECOND]
    assert capsys.readouterr().err == ""


def test_lines_that_are_no_records_are_not_removed(path):
    records.remove(path, bool)  # there is no file yet
    spoil(path)
    records.remove(path, lambda record: record == FIRST, data=str, repeat=int)
    assert path.read_bytes().split(b"\n") == [*NO_RECORDS, json.dumps(SECOND).encode(), b""]
