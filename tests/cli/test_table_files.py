"""Files are opened if they are what their names say."""

import gzip

import pytest
from cli_runner import check_refused, error_of

from ldnn.cli.messages import UserError
from ldnn.cli.table_files import check_table_file, open_table

CONTENTS = {
    "empty.csv": (b"", "is empty"),
    "sheet.csv": (b"PK\x03\x04....", "is a spreadsheet or an archive"),
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
    assert "is a Parquet file, not CSV as its name says" in message


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
        assert not source.is_parquet and source.first == content
        assert source.stream.read(len(content)) == content
        assert 0 < source.bytes_read <= source.size
