"""Columns that identify single rows are left out; columns that tell the class by themselves are pointed out."""

import re
from collections.abc import Callable
from shlex import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .._printable import listed
from .column_types import as_floats, is_text
from .messages import counted
from .reading_choice import USUAL_MISSING
from .table_files import TableFormat

_MARKS = {*USUAL_MISSING} - {"none", "nil", "missing", "unknown"}  # texts that are no names of classes
_IMPROBABLE = 9.0  # -log of the probability that measurements of whole numbers would be all different by chance
_ID_NAME = re.compile(
    r"(?:^|[^A-Za-z])(?i:id|uuid|guid|nr|no|number|key)$|[a-z](?:Id|ID|Nr|No|Number)$"
    r"|^(?i:(?:row|record|sample|case|df|old|orig|original)?[^A-Za-z]*(?:index|idx))$"  # a "heat index" is measured
)
_PLACEHOLDERS = [-9.0, -99.0, -999.0, -9999.0, -99999.0, 99.0, 999.0, 9999.0, 99999.0, 999999.0]
_FEWEST_PLACEHOLDERS = 3
_FEWEST_OTHERS = 10  # different values beside a placeholder
_MIN_TEXTS = 20  # different ones, of a column that identifies rows
_SAMPLE = 5000  # rows to look for leakage in
_MIN_ROWS = 50  # fewer show nothing
_MAX_ERROR = 0.005  # of a column that predicts the class all but perfectly


def without_identifiers(table: pa.Table, table_format: TableFormat, note: Callable[[str], None]) -> pa.Table:
    """The table without columns that identify single rows."""
    found = identifiers(table, table_format)
    if not found:
        return table
    names = listed([repr(name) for name in found])
    hint = next((f" {shown}" for name in found if (shown := _measured_text(table[name], name))), "")
    note(f"Left out as identifiers of single rows: {names}. Keep such a column with --keep {quote(found[0])}.{hint}")
    return table.drop_columns(found)


def identifiers(table: pa.Table, table_format: TableFormat) -> list[str]:
    """The columns that identify single rows, unless the user keeps them or nothing would be left."""
    kept = {*table_format.kept_columns, *table_format.text_columns}
    found = [name for name in table.column_names if name not in kept and identifies_rows(table[name], name)]
    return found if len(found) < table.num_columns else []


def identifies_rows(column: pa.ChunkedArray, name: str) -> bool:
    """Whether nearly every row has a value of its own, and it is no measurement.

    That is so for texts of which at least half are different; and for whole numbers that are all different although
    there are so few possible ones that measurements would repeat some, or whose name says that they are identifiers.
    """
    known = column.drop_null()
    if is_text(column.type):
        different = pc.count_distinct(known).as_py()
        return different > _MIN_TEXTS and 2 * different >= len(known) and 2 * len(known) >= len(column)
    values = as_floats(known) if not pa.types.is_temporal(column.type) else None
    if values is None or len(values) < _MIN_TEXTS or not np.array_equal(values, np.floor(values)):
        return False
    different = len(np.unique(values))
    if _ID_NAME.search(name) and different >= 0.95 * len(values):
        return True
    possible = float(np.ptp(values)) + 1
    return different == len(values) and len(values) ** 2 / (2 * possible) > _IMPROBABLE


def _measured_text(column: pa.ChunkedArray, name: str) -> str:
    """A sentence if texts that are all different may be measurements, such as 120/80 or 5 kg and 300 g."""
    if not is_text(column.type):
        return ""
    known = column.drop_null()
    may_be = pc.match_substring_regex(known, r"^[^A-Za-z]{0,4}\d[^A-Za-z]*[A-Za-zµ°]{0,4}$")
    if pc.mean(may_be).as_py() < 0.9:
        return ""
    return f"If {name!r} is measured ({known[0].as_py()!r}), write it as plain numbers."


def note_measured_texts(table: pa.Table, table_format: TableFormat, note: Callable[[str], None]) -> None:
    """Point out categories that may be measurements; codes of digits are none."""
    for name in table.column_names:
        if not is_text(table[name].type) or name in (*table_format.text_columns, *table_format.kept_columns):
            continue
        different = pc.unique(table[name].drop_null())
        are_codes = pc.all(pc.match_substring_regex(different, r"^\d+$")).as_py()
        if len(different) >= _FEWEST_OTHERS and not are_codes and (sentence := _measured_text(table[name], name)):
            note(f"Column {name!r} is read as categories. {sentence}")


def note_odd_classes(labels: pa.ChunkedArray, target: str, note: Callable[[str], None]) -> None:
    """Point out classes that may be none: that of a single row, such as a total, and marks of missing values."""
    counts = pc.value_counts(labels).to_pylist()
    single = [repr(entry["values"]) for entry in counts if entry["counts"] == 1]
    if len(single) == 1 and len(labels) >= _MIN_ROWS:
        note(f"Only one row has the class {single[0]}: is it a total, or a typing error?")
    for mark in (entry["values"] for entry in counts if str(entry["values"]).lower() in _MARKS):
        note(f"Counted as a class of {target!r}: {mark!r}. If it means a missing value, use --missing={mark}.")


def note_placeholders(table: pa.Table, note: Callable[[str], None]) -> None:
    """Point out numbers such as -999 that may stand for missing values."""
    for name in table.column_names:
        values = None if pa.types.is_temporal(table[name].type) else as_floats(table[name])
        found = [] if values is None else placeholders(values)
        if found:
            shown, count = f"{found[0]:.0f}", counted(int(np.count_nonzero(values == found[0])), "row")
            note(
                f"Column {name!r} has {shown} in {count}, far from its other values. If that means a missing value, "
                f"use --missing={shown}."
            )


def placeholders(values: NDArray[np.float64]) -> list[float]:
    """Numbers of nines that occur several times, farther from the other values than these are from each other."""
    known = values[np.isfinite(values)]
    candidates = [value for value in _PLACEHOLDERS if (known == value).sum() >= _FEWEST_PLACEHOLDERS]
    others = np.unique(known[~np.isin(known, candidates)])
    if not candidates or len(others) < _FEWEST_OTHERS:
        return []
    spread = others[-1] - others[0]
    return [value for value in candidates if max(others[0] - value, value - others[-1]) > spread]


def warn_of_leakage(table: pa.Table, labels: NDArray, target: str, note: Callable[[str], None]) -> None:
    """Point out columns that predict the class all but perfectly by themselves."""
    suspects = leakage_suspects(table, labels)
    if suspects:
        shown = [f"{name!r} ({share:.1%} of the rows)" for name, share in suspects.items()]
        note(
            f"Possible leakage: {listed(shown, 3)} predicts {target!r} alone. If it is not known before {target!r}, "
            f"leave it out with --ignore {quote(next(iter(suspects)))}."
        )


def leakage_suspects(table: pa.Table, labels: NDArray) -> dict[str, float]:
    """The columns that predict the class (n,) all but perfectly by themselves, with the share of right rows."""
    rows = np.arange(len(labels))
    if len(rows) < _MIN_ROWS:
        return {}
    if len(rows) > _SAMPLE:
        rows = np.sort(np.random.default_rng(0).choice(rows, _SAMPLE, replace=False))
    y = np.unique(labels[rows], return_inverse=True)[1].astype(np.int32)
    usual = 1 - np.bincount(y).max() / len(y)
    sample = table.take(pa.array(rows))
    errors = {name: _error_of_column(sample[name], y) for name in table.column_names}
    return {name: 1 - error for name, error in errors.items() if error <= min(_MAX_ERROR, 0.1 * usual)}


def _error_of_column(column: pa.ChunkedArray, y: NDArray[np.int32]) -> float:
    """The share of errors of predicting class indices y (n,) from a column alone.

    Numbers are divided into a few ranges; a category is predicted from the other rows that have it.
    """
    from .._table.column_tree import split_positions  # compiled, which takes time to import

    values = as_floats(column)
    if values is None:
        groups = np.unique(column.cast(pa.string()).fill_null("").to_numpy(zero_copy_only=False), return_inverse=True)[
            1
        ]
    else:
        groups = np.zeros(len(values), dtype=np.intp)
        known = np.flatnonzero(~np.isnan(values))
        order = known[np.argsort(values[known], kind="stable")]
        leaves = min(2 * (int(y.max()) + 1), 16)
        cuts = split_positions(np.ascontiguousarray(values[order]), y[order], np.ones(len(order)), leaves)
        groups[order] = np.searchsorted(np.sort(cuts), np.arange(len(order)), side="right") + 1
    counts = np.zeros((groups.max() + 1, int(y.max()) + 1))
    np.add.at(counts, (groups, y), 1)
    right = np.where(counts.sum(axis=1) > 1, counts.max(axis=1), 0)
    return float(1 - right.sum() / len(y))
