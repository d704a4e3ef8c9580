"""Predictions go to files in the format that the name determines, or to standard output."""

import json

from cli_runner import error_of, run


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
