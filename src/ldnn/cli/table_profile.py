"""What a table holds, and what `fit` does with each of its columns, without fitting anything."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .._table.dates import DateColumn
from .column_types import is_text
from .early_checks import check_target
from .messages import UserError, counted
from .parquet_files import ParquetFiles, needs_parts
from .reading_choice import choose_readings
from .readings import Reading
from .suspicious_columns import identifiers, leakage_suspects, note_placeholders
from .table_files import TableFormat
from .training_tables import MAX_CATEGORIES, read_labels, read_tables, select_columns

KINDS = {"number": "numbers", "truth": "truth values", "text": "categories", "date": "dates", "time": "times of day"}
_SHOWN = 3  # categories
_SAMPLE_ROWS = 100_000  # of files that are larger than memory


@dataclass(frozen=True)
class ColumnProfile:
    """One column. kind: see Reading; missing, different: rows without a value, and different values; values: a few of
    them, or their range; fit: what `fit` does with the column; is_used: whether it learns from it.
    """

    name: str
    kind: str
    missing: int
    different: int
    values: str
    fit: str
    is_used: bool


@dataclass(frozen=True)
class TargetProfile:
    """The column to predict. counts: rows by class, the most frequent first; leakage_suspects: columns that
    predict the class alone, with the share of rows for which they do.
    """

    name: str
    counts: dict[Any, int]
    leakage_suspects: dict[str, float]

    @property
    def baseline_error(self) -> float:
        """The error of always predicting the most frequent class, on the rows of the table."""
        return 1 - max(self.counts.values()) / sum(self.counts.values())


@dataclass
class TableProfile:
    """A table. notes: sentences about how it is read; refused: sentences for why `fit` would refuse it."""

    rows: int
    columns: list[ColumnProfile] = field(default_factory=list)
    target: TargetProfile | None = None
    notes: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        target = self.target
        return {
            "rows": self.rows,
            "columns": [vars(column) for column in self.columns],
            "target": None
            if target is None
            else {
                "name": target.name,
                "counts": [{"label": label, "rows": count} for label, count in target.counts.items()],
                "baseline_error": target.baseline_error,
                "leakage_suspects": target.leakage_suspects,
            },
            "notes": self.notes,
            "refused": self.refused,
        }


def profile_table(paths: Sequence[str], target: str | None, table_format: TableFormat) -> TableProfile:
    """The profile of the table in some files. target: the column to predict, if it is known already."""
    notes: list[str] = []
    if needs_parts(paths):
        files = ParquetFiles(paths)
        table = select_columns(files.some_rows(_SAMPLE_ROWS), paths[0], table_format, notes.append)
        notes.append(
            f"Of {files.num_rows:,} rows, a sample of {table.num_rows:,} from all over the files was looked at."
        )
    else:
        table = read_tables(paths, table_format, notes.append)
    if target is not None:
        check_target(target, table.column_names)
    profile = TableProfile(table.num_rows, notes=notes)
    problems: dict[str, str] = {}
    table, readings = choose_readings(
        table, target or "", table_format, notes.append, lambda name, error: problems.update({name: str(error)})
    )
    profile.refused += problems.values()
    others = table.drop_columns([target]) if target is not None else table
    left_out = identifiers(others, table_format)
    note_placeholders(others.drop_columns(left_out), notes.append)
    for name in table.column_names:
        if name == target:
            fit = "the class to predict"
        elif name in problems:
            fit = "refused, see below"
        elif name in left_out:
            fit = "left out: identifies single rows"
        else:
            fit = _use(table[name], name, readings[name])
        is_used = name != target and name not in left_out and name not in problems
        profile.columns.append(_column(table[name], name, readings[name], fit, is_used))
    if target is not None:
        _add_target(profile, table, target, left_out)
    return profile


def _add_target(profile: TableProfile, table: pa.Table, target: str, left_out: Sequence[str]) -> None:
    known = table.filter(pc.is_valid(table[target]))
    if absent := table.num_rows - known.num_rows:
        profile.notes.append(f"fit ignores {counted(absent, 'row')} without a value of {target!r}.")
    if not known.num_rows:
        profile.refused.append(f"Column {target!r} is empty: no row has a class.")
        return
    try:
        labels = read_labels(known[target], target)
    except UserError as error:
        profile.refused.append(str(error))
        return
    found, counts = np.unique(labels, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    rows = dict(zip(found[order].tolist(), counts[order].tolist(), strict=True))
    suspects = leakage_suspects(known.drop_columns([target, *left_out]), labels)
    profile.target = TargetProfile(target, rows, suspects)


def _column(column: pa.ChunkedArray, name: str, reading: Reading, fit: str, is_used: bool) -> ColumnProfile:
    known = column.drop_null()
    different = pc.count_distinct(known).as_py()
    return ColumnProfile(name, reading.kind, column.null_count, different, _values(known), fit, is_used)


def _values(known: pa.ChunkedArray) -> str:
    """The most frequent categories, or the range of other values."""
    if not len(known):
        return ""
    if is_text(known.type) or pa.types.is_boolean(known.type):
        counts = pc.value_counts(known)
        order = np.argsort(-counts.field("counts").to_numpy(), kind="stable")
        shown = [str(counts.field("values")[int(k)].as_py())[:20] for k in order[:_SHOWN]]
        return ", ".join(shown) + (", ..." if len(order) > _SHOWN else "")
    ends = pc.min_max(known)
    low, high = (_text(ends[end].as_py()) for end in ("min", "max"))
    return low if low == high else f"{low} to {high}"


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value).removesuffix(" 00:00:00")


def _use(column: pa.ChunkedArray, name: str, reading: Reading) -> str:
    """What `fit` does with a column that it learns from."""
    different = pc.count_distinct(column.drop_null()).as_py()
    if different == 0:
        return "empty: not used"
    if different == 1 and not column.null_count:
        return "a single value: not used"
    if reading.kind == "text":
        return f"the {MAX_CATEGORIES} most frequent categories" if different > MAX_CATEGORIES else "categories"
    if reading.kind in ("date", "time"):
        parts = DateColumn.fit(nw.from_native(column, series_only=True)).parts
        return "dates as " + ", ".join("days" if part == "date" else part for part in parts)
    return KINDS[reading.kind]
