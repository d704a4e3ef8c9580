"""Arguments and options that several commands share.

Typer has no groups of options. `expand_options` adds them: a parameter of a command that is annotated with a dataclass
becomes one option for each field of the dataclass.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from .messages import UserError

if TYPE_CHECKING:
    from .table_files import TableFormat

TableFile = Annotated[str, typer.Argument(metavar="TABLE", help="CSV or Parquet file; - is standard input.")]
TableFiles = Annotated[
    list[str],
    typer.Argument(
        metavar="TABLE...",
        help="CSV or Parquet file; - is standard input. Several files, or a pattern in quotes such as "
        "'part-*.parquet', are one table.",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS", help="Let a Dask cluster do the work, such as tcp://host:8786; Parquet files only."
    ),
]
ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="A model file written by `ldnn fit`.")]
Target = Annotated[str, typer.Option("--target", "-t", metavar="COLUMN", help="The column to predict.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Seed = Annotated[int, typer.Option(help="Random state: the same seed gives the same result.")]


@dataclass(frozen=True)
class CsvOptions:
    """How a CSV file is written: options of every command that reads a table."""

    missing: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="A further text that means a missing value; may be given several times."),
    ] = None
    delimiter: Annotated[
        str | None, typer.Option(help="The character between columns of a CSV file; detected by default.")
    ] = None
    decimal: Annotated[
        str | None, typer.Option(help="The decimal point of numbers, . or , where they do not tell it.")
    ] = None
    dates: Annotated[
        str | None, typer.Option(help="How dates begin, day-first or month-first, where they do not tell it.")
    ] = None
    encoding: Annotated[str, typer.Option(help="The encoding of a CSV file.")] = "utf8"

    def table_format(self) -> "TableFormat":
        """The options in the form that the readers of files take; refused if they make no sense."""
        from .date_texts import ORDERS
        from .table_files import MISSING_VALUES, TableFormat

        delimiter = self.delimiter
        if delimiter is not None:
            delimiter = delimiter.replace("\\t", "\t")
            if len(delimiter) != 1:
                raise UserError(f"--delimiter {delimiter!r} is not a single character.")
        if self.decimal not in (None, ".", ","):
            raise UserError(f"--decimal {self.decimal!r} is neither . nor ,")
        if self.dates not in (None, *ORDERS):
            raise UserError(f"--dates {self.dates!r} is neither {' nor '.join(ORDERS)}.")
        missing = (*MISSING_VALUES, *(self.missing or ()))
        return TableFormat(delimiter, self.decimal, self.encoding, missing, ORDERS.get(self.dates or ""))


@dataclass(frozen=True)
class TrainingCsvOptions(CsvOptions):
    """The same for commands that fit models: these may also leave columns out, or treat them in another way."""

    ignore: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Leave a column out; may be given several times.")
    ] = None
    text: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Treat a column of numbers as categories; may be given several times."),
    ] = None
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN", help="Learn from a column even if it identifies single rows; may be given several times."
        ),
    ] = None
    ignore_case: Annotated[
        bool, typer.Option("--ignore-case", help="Count texts that differ in upper and lower case as the same.")
    ] = False

    def table_format(self) -> "TableFormat":
        return replace(
            super().table_format(),
            ignore_case=self.ignore_case,
            text_columns=tuple(self.text or ()),
            ignored_columns=tuple(self.ignore or ()),
            kept_columns=tuple(self.keep or ()),
        )


def expand_options(command: Callable[..., None]) -> Callable[..., None]:
    """Replace each parameter that is annotated with a dataclass by one option for each field of the dataclass."""
    signature = inspect.signature(command)
    groups: dict[str, Any] = {
        name: p.annotation for name, p in signature.parameters.items() if is_dataclass(p.annotation)
    }
    parameters: list[inspect.Parameter] = []
    for name, parameter in signature.parameters.items():
        parameters += _expanded(groups[name]) if name in groups else [parameter]

    @wraps(command)
    def run(*args: Any, **given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(*args, **given)

    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return run


def _expanded(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
        for field in fields(group)
    ]
