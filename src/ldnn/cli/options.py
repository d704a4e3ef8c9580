"""Arguments and options that several commands share."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .messages import UserError

if TYPE_CHECKING:
    from .table_files import TableFormat

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Command], Command]

table_argument = click.argument("table", metavar="TABLE")
table_arguments = click.argument("table", metavar="TABLE...", nargs=-1, required=True)
rows_argument = click.argument("table", metavar="[TABLE]", required=False)
model_argument = click.argument("model", metavar="MODEL")

target = click.option("--target", "-t", metavar="COLUMN", required=True, help="The column to predict.")
cluster = click.option(
    "--cluster", metavar="ADDRESS", help="Let a Dask cluster do the work, such as tcp://host:8786; Parquet files only."
)
as_json = click.option("--json", is_flag=True, help="Print the result as JSON.")
quiet = click.option("--quiet", "-q", is_flag=True, help="Show no progress.")
seed = click.option("--seed", default=0, show_default=True, help="Random state: the same seed gives the same result.")


def output(text: str, default: str | None = None) -> Decorator:
    """The option --output. text: what it is."""
    return click.option("--output", "-o", default=default, show_default=default is not None, help=text)


def repeatable(*names: str, metavar: str, text: str) -> Decorator:
    """An option that may be given several times."""
    return click.option(*names, multiple=True, metavar=metavar, help=f"{text}; may be given several times.")


costs = repeatable(
    "--cost",
    metavar="LABEL=COST",
    text="The cost of an error on rows of a class, where other errors cost 1 (LABEL:PREDICTED=COST: of one error), "
    "to predict the class of least expected cost",
)


@dataclass(frozen=True)
class CsvOptions:
    """How a file is written: options of every command that reads a table."""

    missing: tuple[str, ...] = ()
    delimiter: str | None = None
    decimal: str | None = None
    dates: str | None = None
    encoding: str = "utf8"
    sheet: str | None = None

    def table_format(self) -> "TableFormat":
        """The options in the form that the readers of files take; refused if they make no sense."""
        from .table_files import MISSING_VALUES, ORDERS, TableFormat

        delimiter = self.delimiter
        if delimiter is not None:
            delimiter = delimiter.replace("\\t", "\t")
            if len(delimiter) != 1:
                raise UserError(f"--delimiter {delimiter!r} is not a single character.")
        if self.decimal not in (None, ".", ","):
            raise UserError(f"--decimal {self.decimal!r} is neither . nor ,")
        if self.dates not in (None, *ORDERS):
            raise UserError(f"--dates {self.dates!r} is neither {' nor '.join(ORDERS)}.")
        missing = (*MISSING_VALUES, *self.missing)
        order = ORDERS.get(self.dates or "")
        return TableFormat(delimiter, self.decimal, self.encoding, missing, order, sheet=self.sheet)


@dataclass(frozen=True)
class TrainingCsvOptions(CsvOptions):
    """The same for commands that fit models: these may also leave columns out, or treat them in another way."""

    ignore: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    ignore_case: bool = False

    def table_format(self) -> "TableFormat":
        return replace(
            super().table_format(),
            ignore_case=self.ignore_case,
            text_columns=self.text,
            ignored_columns=self.ignore,
            kept_columns=self.keep,
        )


_READING = (
    repeatable("--missing", metavar="TEXT", text="A further text that means a missing value"),
    click.option("--delimiter", help="The character between columns of a CSV file; detected by default."),
    click.option("--decimal", help="The decimal point of numbers, . or , where it is ambiguous."),
    click.option("--dates", help="How dates begin, day-first or month-first, where it is ambiguous."),
    click.option("--encoding", default="utf8", show_default=True, help="The encoding of a CSV file."),
    click.option("--sheet", metavar="NAME", help="The sheet of an Excel file; by default the first."),
)
_TRAINING = (
    repeatable("--ignore", metavar="COLUMN", text="Leave a column out"),
    repeatable("--text", metavar="COLUMN", text="Treat a column of numbers as categories"),
    repeatable("--keep", metavar="COLUMN", text="Learn from a column even if it identifies single rows"),
    click.option("--ignore-case", is_flag=True, help="Count texts that differ in upper and lower case as the same."),
)


def csv_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `CsvOptions`, as its parameter `csv`."""
    return _grouped(command, CsvOptions, _READING)


def training_csv_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `TrainingCsvOptions`, as its parameter `csv`."""
    return _grouped(command, TrainingCsvOptions, (*_READING, *_TRAINING))


def _grouped(
    command: Callable[..., None], group: type[CsvOptions], options: tuple[Decorator, ...]
) -> Callable[..., None]:
    @wraps(command)
    def run(*args: Any, **given: Any) -> None:
        command(*args, csv=group(**{field.name: given.pop(field.name) for field in fields(group)}), **given)

    for option in reversed(options):
        run = option(run)
    return run
