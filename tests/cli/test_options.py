"""Options that several commands share."""

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from cli_runner import run
from typer.testing import CliRunner

from ldnn.cli.messages import UserError
from ldnn.cli.options import CsvOptions, TrainingCsvOptions, expand_options


@dataclass(frozen=True)
class Pair:
    left: Annotated[int, typer.Option(help="The left one.")] = 1
    right: Annotated[str, typer.Option("--right-hand")] = "r"


def test_a_dataclass_becomes_options():
    app = typer.Typer()
    received = []

    @app.command()
    @expand_options
    def command(first: str, *, pair: Pair, last: bool = False) -> None:
        received.append((first, pair, last))

    assert CliRunner().invoke(app, ["a", "--left", "3", "--right-hand", "s", "--last"]).exit_code == 0
    assert CliRunner().invoke(app, ["b"]).exit_code == 0
    assert received == [("a", Pair(3, "s"), True), ("b", Pair(), False)]
    text = CliRunner().invoke(app, ["--help"]).stdout
    assert "--left" in text and "The left one." in text and "--right-hand" in text and "--pair" not in text


@pytest.mark.parametrize("command", ["fit", "compare", "predict", "rules", "explain", "plot"])
def test_all_commands_that_read_tables_have_the_csv_options(command):
    text = run(command, "--help").stdout
    assert all(option in text for option in ("--missing", "--delimiter", "--decimal", "--encoding"))
    is_training = command in ("fit", "compare")
    assert ("--ignore" in text) == ("--text" in text) == is_training


def test_the_format_of_a_table():
    options = TrainingCsvOptions(
        ["x"], "\\t", ",", "month-first", "latin-1", ["id"], ["zip"], keep=["row"], ignore_case=True
    )
    given = options.table_format()
    assert (given.delimiter, given.decimal, given.date_order, given.encoding) == ("\t", ",", "mdy", "latin-1")
    assert given.kept_columns == ("row",) and given.ignore_case
    assert given.missing_values[-1] == "x" and "NA" in given.missing_values
    assert (given.ignored_columns, given.text_columns) == (("id",), ("zip",))
    assert CsvOptions().table_format().delimiter is None


def test_formats_that_make_no_sense():
    with pytest.raises(UserError, match="--delimiter 'ab' is not a single character"):
        CsvOptions(delimiter="ab").table_format()
    with pytest.raises(UserError, match="--decimal ';' is neither"):
        CsvOptions(decimal=";").table_format()
    with pytest.raises(UserError, match="--dates 'dmy' is neither day-first nor month-first"):
        CsvOptions(dates="dmy").table_format()
