"""Files are opened if they are what their names say."""

import gzip
import zipfile

import pytest
from cli_runner import check_refused, error_of

from ldnn.cli.messages import UserError
from ldnn.cli.table_files import check_table_file, open_table

CONTENTS = {
    "empty.csv": (b"", "is empty"),
    "packed.zip": (b"PK\x03\x04....", "cannot be read as a zip archive"),
    "text.zip": (b"a,answer\n1,x\n", "is not an archive, although its name says so"),
    "text.xlsx": (b"a,answer\n1,x\n", "is not an Excel file, although its name says so"),
    "rows.json": (b'[{"a": 1, "answer": "x"}]', "write one object for each row"),
    "text.parquet": (b"a,answer\n1,x\n", "is not a Parquet file, although its name says so"),
    "packed.csv": (gzip.compress(b"a,answer\n1,x\n"), "is compressed; rename it to end in .gz"),
    "plain.csv.gz": (b"a,answer\n1,x\n", "is not compressed, although its name says so"),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_files_that_are_not_what_their_names_say(name, tmp_path):
    check_refused(tmp_path, name, *CONTENTS[name])


def test_parquet_files_named_csv(folder, tmp_path):
    (tmp_path / "people.csv").write_bytes((folder / "people.parquet").read_bytes())
    message = error_of("fit", tmp_path / "people.csv", "-t", "answer", "-o", tmp_path / "m.ldnn")
    assert "is a Parquet file, not text as its name says" in message


def test_files_that_are_not_there(tmp_path):
    (tmp_path / "people.csv").write_text("a\n1\n")
    with pytest.raises(UserError, match="There is no file .*peple.csv; did you mean 'people.csv'"):
        check_table_file(str(tmp_path / "peple.csv"))
    with pytest.raises(UserError, match="is a folder"):
        check_table_file(str(tmp_path))
    assert error_of("fit", "-", "-t", "y", "-o", "m.ldnn", stdin=b"") == "Standard input is empty."


def test_compressed_files_are_read_from_the_beginning(tmp_path):
    content = b"a,b\n" + b"1,2\n" * 1000
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(content))
    with open_table(str(tmp_path / "t.csv.gz")) as source:
        assert source.kind == "csv" and source.first == content
        assert source.stream.read(len(content)) == content
        assert 0 < source.bytes_read <= source.size


def _zip(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "."), content)


def test_archives_of_one_file(tmp_path):
    _zip(tmp_path / "t.zip", t__csv="a,b\n1,2\n")
    with open_table(str(tmp_path / "t.zip")) as source:
        assert source.kind == "csv" and source.stream.read(100) == b"a,b\n1,2\n"
    _zip(tmp_path / "u.zip", t__jsonl='{"a": 1}\n')
    with open_table(str(tmp_path / "u.zip")) as source:
        assert source.kind == "jsonl"
    _zip(tmp_path / "v.zip", a__csv="a\n1\n", b__csv="a\n1\n")
    with pytest.raises(UserError, match="holds 2 files; give an archive of one CSV file"):
        check_table_file(str(tmp_path / "v.zip"))
    _zip(tmp_path / "w.zip", t__parquet="PAR1")
    with pytest.raises(UserError, match="holds t.parquet; unpack it first"):
        check_table_file(str(tmp_path / "w.zip"))
