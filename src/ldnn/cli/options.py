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
    "--cluster", metavar="ADDRESS", help="Use the Dask cluster at this address, such as tcp://host:8786; Parquet only."
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
    text="The cost of errors on rows of a class (LABEL:PREDICTED=COST: of one kind of error), where other errors cost "
    "1; the class with the least expected cost is predicted",
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
            if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n':
                raise UserError(
                    f"--delimiter {delimiter!r} is not a single ASCII character other than a quotation mark."
                )
        if self.decimal not in (None, ".", ","):
            raise UserError(f"--decimal {self.decimal!r} is neither . nor ,")
        if self.dates not in (None, *ORDERS):
            raise UserError(f"--dates {self.dates!r} is none of {', '.join(ORDERS)}.")
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
    click.option("--dates", help="How dates begin where it is ambiguous: day-first, month-first, year-first."),
    click.option("--encoding", default="utf8", show_default=True, help="The encoding of a CSV file."),
    click.option("--sheet", metavar="NAME", help="The sheet of an Excel file; by default the first."),
)
_TRAINING = (
    repeatable("--ignore", metavar="COLUMN", text="Leave a column out"),
    repeatable("--text", metavar="COLUMN", text="Treat a column of numbers as categories"),
    repeatable("--keep", metavar="COLUMN", text="Learn from a column even if it identifies single rows"),
    click.option("--ignore-case", is_flag=True, help="Count texts that differ in upper and lower case as the same."),
)


@dataclass(frozen=True)
class LearningOptions:
    """What `fit` learns, and from how many rows at a time."""

    effort: float
    seed: int
    in_parts: bool
    passes: int
    cluster: str | None
    rules: bool
    max_conditions: int | None
    parameters: tuple[str, ...]

    def check(self) -> None:
        """Refuse options that do not go together."""
        if not self.rules and self.max_conditions is not None:
            raise UserError("--max-conditions is for rules: give --rules, too.")
        for name, is_for_parts in (("in-parts", self.in_parts), ("passes", self.passes > 1)):
            if self.cluster is not None and is_for_parts:
                raise UserError(
                    f"--{name} is for this machine: with --cluster, --set max_epochs=N sets the number of rounds."
                )
        in_parts = self.in_parts or self.passes > 1
        for name, is_given in (("in-parts", in_parts), ("cluster", self.cluster), ("effort", self.effort != 1)):
            if self.rules and is_given:
                raise UserError(f"--{name} is for networks: rules are learned from a whole table in memory.")


_LEARNING = (
    click.option(
        "--effort", default=1.0, show_default=True, help="Time to search and train: 2 may take twice as long as 1."
    ),
    seed,
    click.option(
        "--in-parts",
        is_flag=True,
        help="Never hold a whole Parquet file in memory; the default for very large files.",
    ),
    click.option(
        "--passes",
        type=click.IntRange(1),
        default=1,
        show_default=True,
        help="Number of passes over all rows with --in-parts.",
    ),
    cluster,
    click.option(
        "--rules", is_flag=True, help="Learn a model that is its rules (RuleClassifier) instead of a network."
    ),
    click.option(
        "--max-conditions",
        type=click.IntRange(1),
        metavar="N",
        help="With --rules, the maximum number of conditions of all rules; by default chosen on held-out rows.",
    ),
    repeatable("--set", "parameters", metavar="NAME=VALUE", text="A parameter of LDNNClassifier or RuleClassifier"),
)


def csv_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `CsvOptions`, as its parameter `csv`."""
    return _grouped(command, "csv", CsvOptions, _READING)


def training_csv_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `TrainingCsvOptions`, as its parameter `csv`."""
    return _grouped(command, "csv", TrainingCsvOptions, (*_READING, *_TRAINING))


def learning_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `LearningOptions`, as its parameter `learning`."""
    return _grouped(command, "learning", LearningOptions, _LEARNING)


def _grouped(
    command: Callable[..., None], name: str, group: type[Any], options: tuple[Decorator, ...]
) -> Callable[..., None]:
    """Give a command several options as one parameter. group: a dataclass with a field for each of them."""

    @wraps(command)
    def run(*args: Any, **given: Any) -> None:
        values = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(*args, **{name: values}, **given)

    for option in reversed(options):
        run = option(run)
    return run
