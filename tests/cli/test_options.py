"""Options that several commands share."""

import re

import pytest
from cli_runner import run

from ldnn.cli.messages import UserError
from ldnn.cli.options import CsvOptions, TrainingCsvOptions


@pytest.mark.parametrize("command", ["fit", "compare", "predict", "rules", "explain", "plot"])
def test_all_commands_that_read_tables_have_the_csv_options(command):
    text = run(command, "--help").stdout
    assert all(option in text for option in ("--missing", "--delimiter", "--decimal", "--encoding"))
    is_training = command in ("fit", "compare")
    assert ("--ignore" in text) == ("--text" in text) == is_training


def test_the_format_of_a_table():
    options = TrainingCsvOptions(
        ("x",), "\\t", ",", "month-first", "latin-1", "2024", ("id",), ("zip",), keep=("row",), ignore_case=True
    )
    given = options.table_format()
    assert (given.delimiter, given.decimal, given.date_order, given.encoding) == ("\t", ",", "mdy", "latin-1")
    assert given.sheet == "2024"
    assert given.kept_columns == ("row",) and given.ignore_case
    assert given.missing_values[-1] == "x" and "NA" in given.missing_values
    assert (given.ignored_columns, given.text_columns) == (("id",), ("zip",))
    assert CsvOptions().table_format().delimiter is None


def test_formats_that_make_no_sense():
    for delimiter in ("ab", "", "§", '"', "\n"):
        with pytest.raises(UserError, match=re.escape(f"--delimiter {delimiter!r} is not a single ASCII")):
            CsvOptions(delimiter=delimiter).table_format()
    with pytest.raises(UserError, match="--decimal ';' is neither"):
        CsvOptions(decimal=";").table_format()
    with pytest.raises(UserError, match="--dates 'dmy' is none of day-first, month-first"):
        CsvOptions(dates="dmy").table_format()
