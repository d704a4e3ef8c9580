"""Whole tables to learn from: their columns and their labels."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from shlex import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from .column_types import is_text, missing_as_nan, to_readable_type
from .csv_header import clean_name, read_header
from .csv_parsing import arrow_options, columns_to_read_as_text, readable_errors, wrong_encoding
from .early_checks import check_named, check_target
from .file_lists import check_same_columns
from .json_lines import read_json_lines
from .messages import UserError, counted
from .reading_choice import choose_readings
from .readings import Reading
from .spreadsheets import other_sheets, read_sheet
from .suspicious_columns import (
    note_measured_texts,
    note_odd_classes,
    note_placeholders,
    warn_of_leakage,
    without_identifiers,
)
from .table_files import TableFormat, TableSource, open_table

_MANY_CLASSES = 30  # more numbers than this are probably amounts
MAX_CATEGORIES = 255  # that a classifier distinguishes in a column


@dataclass(frozen=True)
class TrainingRows:
    """A table without its target column, the labels (n,), and how the columns and the labels are read from files."""

    table: pa.Table
    labels: np.ndarray
    readings: dict[str, Reading]
    label_reading: Reading


def read_training_table(
    paths: Sequence[str], target: str, table_format: TableFormat, note: Callable[[str], None]
) -> TrainingRows:
    """The rows of one or several files that have a class.

    note: called with a sentence for what the user should know about them.
    """
    table = read_tables(paths, table_format, note)
    check_target(target, table.column_names)
    return training_rows(table, target, table_format, note)


def training_rows(table: pa.Table, target: str, table_format: TableFormat, note: Callable[[str], None]) -> TrainingRows:
    """The rows of a table that have a class, with the columns to learn from."""
    table, readings = choose_readings(table, target, table_format, note)
    known = pc.is_valid(table[target])
    if (absent := table.num_rows - pc.sum(known).as_py()) > 0:
        if absent == table.num_rows:
            raise UserError(f"Column {target!r} is empty: no row has a class.")
        note(f"Ignored {counted(absent, 'row')} without a value of {target!r}.")
        table = table.filter(known)
    labels = read_labels(table[target], target)
    note_odd_classes(table[target], target, note)
    if readings[target].kind == "number" and (classes := len(np.unique(labels))) > _MANY_CLASSES:
        note(f"Column {target!r} has {classes:,} classes; if they are amounts, divide them into a few classes first.")
    table = table.drop_columns([target])
    if table.num_columns == 0:
        raise UserError(f"There is no column besides {target!r} to learn from.")
    table = without_identifiers(table, table_format, note)
    note_placeholders(table, note)
    note_measured_texts(table, table_format, note)
    _note_many_categories(table, note)
    warn_of_leakage(table, labels, target, note)
    kept = {name: readings[name] for name in table.column_names}
    return TrainingRows(missing_as_nan(table), labels, kept, readings[target])


def read_tables(paths: Sequence[str], table_format: TableFormat, note: Callable[[str], None]) -> pa.Table:
    """The rows of files, whose columns may be in any order. What is text in one of them is text in all."""
    if len(paths) == 1:
        return _read_table(paths[0], table_format, note)
    tables = [_read_table(path, table_format, note) for path in paths]
    names = tables[0].column_names
    for path, table in zip(paths, tables, strict=True):
        check_same_columns(paths[0], names, path, table.column_names)
    in_some = {name for name in names if len({is_text(table[name].type) for table in tables}) > 1}
    if in_some:  # a file has a text among numbers, say: read the numbers as they are written
        as_text = replace(table_format, text_columns=(*table_format.text_columns, *in_some))
        tables = [_read_table(path, as_text, lambda sentence: None) for path in paths]
    try:
        return pa.concat_tables([table.select(names) for table in tables], promote_options="permissive")
    except pa.ArrowTypeError:
        name = next(name for name in names if len({str(table[name].type) for table in tables}) > 1)
        types = " and ".join(sorted({str(table[name].type) for table in tables}))
        raise UserError(f"Column {name!r} has different types in the files: {types}.") from None


def _read_table(path: str, table_format: TableFormat, note: Callable[[str], None]) -> pa.Table:
    with open_table(path) as source, readable_errors(source, table_format):
        if source.kind == "csv":
            table = _read_csv(source, table_format)
        elif source.kind == "parquet":
            table = pa.parquet.read_table(source.stream)
        elif source.kind == "jsonl":
            table = read_json_lines(source)
        else:
            table = read_sheet(source, table_format)
            chosen, others = other_sheets(source, table_format)
            if others:
                note(f"Read the sheet {chosen!r} of {path}; choose another one with --sheet {quote(others[0])}.")
        name = source.name
    if table.num_rows == 0:
        raise UserError(f"{name} has a header but no rows.")
    return select_columns(table, name, table_format, note)


def _read_csv(source: TableSource, table_format: TableFormat) -> pa.Table:
    as_text = {name for name in read_header(source, table_format) if clean_name(name) in table_format.text_columns}
    as_text |= columns_to_read_as_text(source, table_format)
    options = arrow_options(source, table_format, dict.fromkeys(as_text, pa.string()))
    table = pa.csv.read_csv(source.stream, **options)
    if any(pa.types.is_binary(kind) for kind in table.schema.types):
        raise wrong_encoding(source, table_format)
    table = table.rename_columns([clean_name(column) for column in table.column_names])
    _check_repeated_names(table, source.name)
    return table


def _check_repeated_names(table: pa.Table, name: str) -> None:
    """Refuse a table with the names of its columns among its rows, as files that were put together have them."""
    if not all(is_text(kind) for kind in table.schema.types):
        return  # such a row would make text of all columns
    is_repeated = pc.equal(table.column(0), table.column_names[0])
    for column, own in zip(table.columns[1:], table.column_names[1:], strict=True):
        if not pc.any(is_repeated).as_py():
            return
        is_repeated = pc.and_(is_repeated, pc.equal(column, own))
    if pc.any(is_repeated).as_py():
        row = pc.index(is_repeated, True).as_py() + 1
        raise UserError(f"Row {row:,} of {name} has the names of the columns again; remove such rows.")


def select_columns(
    table: pa.Table, name: str, table_format: TableFormat, note: Callable[[str], None] = lambda sentence: None
) -> pa.Table:
    """The columns to learn from, in types that a classifier can read. name: that of the file, for messages."""
    named = [column for column in table.column_names if column]
    check_named(name, named, table_format)
    if unnamed := len(table.column_names) - len(named):
        note(f"Ignored {counted(unnamed, 'column')} without a name.")
    twice = {column for column, count in Counter(named).items() if count > 1}
    if twice:
        raise UserError(f"{name} has two columns named {min(twice)!r}; rename one of them.")
    return pa.table(
        {
            column: to_readable_type(table[column], column, column in table_format.text_columns)
            for column in named
            if column not in table_format.ignored_columns
        }
    )


def _note_many_categories(table: pa.Table, note: Callable[[str], None]) -> None:
    for name in table.column_names:
        if is_text(table[name].type) and (different := pc.count_distinct(table[name]).as_py()) > MAX_CATEGORIES:
            note(
                f"Column {name!r} has {different:,} different texts; only the {MAX_CATEGORIES} most frequent ones are "
                f"distinguished. Leave it out with --ignore {quote(name)} if it identifies single rows."
            )


def read_labels(column: pa.ChunkedArray, name: str) -> np.ndarray:
    """The labels (n,); refused if they are amounts, dates, or identify single rows."""
    if pa.types.is_temporal(column.type):
        raise UserError(f"Column {name!r} holds dates or times: these are not classes.")
    if pa.types.is_floating(column.type):
        if not pc.all(pc.equal(pc.floor(column), column)).as_py():
            raise UserError(
                f"Column {name!r} holds numbers with fractions: ldnn predicts classes, not amounts. Divide them into "
                "classes first."
            )
        column = column.cast(pa.int64())
    different = pc.count_distinct(column).as_py()
    if different == 1:
        raise UserError(f"Column {name!r} has one class only ({column[0].as_py()!r}); at least two are needed.")
    if different > 20 and different > len(column) / 2:
        raise UserError(
            f"Column {name!r} has {different:,} different values in {len(column):,} rows: these are not classes."
        )
    if is_text(column.type):
        return np.array(column.to_pylist(), dtype=str)
    return column.to_numpy()
