"""What is wrong with a call, as far as that shows before anything heavy is imported."""

import sys
from collections.abc import Sequence
from pathlib import Path

from .._io.atomic import output_path
from .csv_header import clean_name, later_header, read_header
from .file_lists import named_files
from .messages import UserError, nearest
from .table_files import TableFormat, check_table_file, open_table

_COMPRESSED = (".gz", ".bz2", ".zst")


def table_files(names: Sequence[str]) -> list[str]:
    """All files that are named, directly or by wildcards; refused unless each of them is there and can be a table."""
    files = named_files(names)
    for file in files:
        check_table_file(file)
    return files


def check_model(path: str) -> None:
    """Refuse a model file that is not there."""
    if path != "-" and (not Path(path).exists() or Path(path).is_dir()):
        what = "is a folder" if Path(path).is_dir() else "does not exist"
        others = [file.name for file in Path(path).parent.glob("*.ldnn")]
        close = nearest(Path(path).name, others)
        hint = close if close.startswith("did") else "give one that ldnn fit has written."
        raise UserError(f"The model {path} {what}; {hint}")


def check_model_output(path: str) -> None:
    """Refuse a path that a model cannot be written to, before it is trained."""
    if path != "-":
        output_path("the model", path)
    elif sys.stdout.isatty():
        raise UserError("A model cannot be shown in a terminal; name a file with -o, or redirect the output.")


def check_columns(files: Sequence[str], target: str | None, table_format: TableFormat) -> None:
    """Refuse names of columns that a CSV file does not have; files of other kinds are checked when they are read."""
    path = files[0]
    if path == "-" or Path(path).suffix.lower() in _COMPRESSED:
        return
    with open_table(path) as source:
        if source.kind != "csv":
            return
        names = [clean for name in read_header(source, table_format) if (clean := clean_name(name))]
        line = None if target is None or target in names else later_header(target, names, source, table_format)
        if line is not None:
            raise UserError(
                f"There is no column {target!r} in the first line of {path}, but there is one in line {line}. Remove "
                "the lines before the names of the columns."
            )
    if target is not None:
        check_target(target, names)
    check_named(path, names, table_format)


def check_target(target: str, names: Sequence[str]) -> None:
    if target not in names:
        hint = " Give the character between columns with --delimiter." if len(names) == 1 and target in names[0] else ""
        raise UserError(f"There is no column {target!r} to predict; {nearest(target, names)}{hint}")


def check_named(file: str, names: Sequence[str], table_format: TableFormat) -> None:
    """Refuse columns named by options that are not among the names of a file's columns."""
    for column in (*table_format.ignored_columns, *table_format.text_columns, *table_format.kept_columns):
        if column not in names:
            raise UserError(f"{file} has no column {column!r}; {nearest(column, names)}")
