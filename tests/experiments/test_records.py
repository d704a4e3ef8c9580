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


def test_what_is_no_record_is_left_out(path):
    records.append(path, FIRST)
    with path.open("ab") as file:
        file.write(b'12\n"word"\n[]\n\xff\xfe\n\n')
    records.append(path, SECOND)
    assert records.read(path) == [FIRST, SECOND]
