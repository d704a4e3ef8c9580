"""From a file to a model."""

import time
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .. import LDNNClassifier
from .messages import UserError, counted, nearest
from .models import describe_source, held_out_error
from .tables import Reading, check_mixed, is_text, read_table


def read_labelled(
    path: str, target: str, reading: Reading, note: Callable[[str], None]
) -> tuple[pa.Table, np.ndarray, str]:
    """The table without its target column, the labels, and what these are in a file ("number", "truth", "text")."""
    table = read_table(path, reading, note)
    check_target(target, table.column_names)
    known = pc.is_valid(table[target])
    if (absent := table.num_rows - pc.sum(known).as_py()) > 0:
        if absent == table.num_rows:
            raise UserError(f"Column {target!r} is empty: nothing says which class a row is of.")
        note(f"{counted(absent, 'row')} without a value of {target!r} left out.")
        table = table.filter(known)
    labels, kind = read_labels(table[target], target)
    if kind == "number" and (classes := len(np.unique(labels))) > 30:
        note(f"Column {target!r} has {classes:,} classes; if they are amounts, divide them into a few classes first.")
    table = table.drop_columns([target])
    if table.num_columns == 0:
        raise UserError(f"There is no column but {target!r} to learn from.")
    check_mixed(table, reading, note)
    return missing_as_nan(table), labels, kind


def check_target(target: str, names: Collection[str]) -> None:
    if target not in names:
        raise UserError(f"There is no column {target!r} to learn; {nearest(target, names)}")


def read_labels(column: pa.ChunkedArray, name: str) -> tuple[np.ndarray, str]:
    """Labels, and what they are in a file; refused if they are amounts or names of rows."""
    if pa.types.is_floating(column.type):
        if not pc.all(pc.equal(pc.floor(column), column)).as_py():
            raise UserError(
                f"Column {name!r} holds numbers with fractions: ldnn learns classes, not amounts. Divide them into "
                "classes first."
            )
        column = column.cast(pa.int64())
    different = pc.count_distinct(column).as_py()
    if different == 1:
        raise UserError(f"Column {name!r} has one class only ({column[0].as_py()!r}); two are needed at the least.")
    if different > 20 and different > len(column) / 2:
        raise UserError(
            f"Column {name!r} has {different:,} different values in {len(column):,} rows: these are no classes."
        )
    if is_text(column.type):
        return np.array(column.to_pylist(), dtype=str), "text"
    return column.to_numpy(), "truth" if pa.types.is_boolean(column.type) else "number"


def missing_as_nan(table: pa.Table) -> pa.Table:
    """Numbers and truth values that are missing as NaN, which is how classifiers read them."""
    for place, name in enumerate(table.column_names):
        column = table[name]
        if column.null_count and not is_text(column.type):
            column = pc.fill_null(column.cast(pa.int8()) if pa.types.is_boolean(column.type) else column, 0)
            filled = pc.if_else(pc.is_valid(table[name]), column.cast(pa.float64()), float("nan"))
            table = table.set_column(place, name, filled)
    return table


def kinds_of(table: pa.Table) -> dict[str, str]:
    """What the columns hold in a file."""
    return {
        name: "text" if is_text(kind) else "truth" if pa.types.is_boolean(kind) else "number"
        for name, kind in zip(table.column_names, table.schema.types, strict=True)
    }


def parameters(given: list[str]) -> dict[str, Any]:
    """Parameters of the classifier from "name=value"."""
    known = LDNNClassifier().get_params()
    result: dict[str, Any] = {}
    for setting in given:
        name, equals, value = setting.partition("=")
        if not equals:
            raise UserError(f"--set {setting} has no value; write it as name=value, for example n_networks=1.")
        if name not in known:
            raise UserError(f"LDNNClassifier has no parameter {name!r}; {nearest(name, known)}")
        result[name] = _value(value)
    return result


def _value(text: str) -> Any:
    words = {"none": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text


def fit_table(
    table: pa.Table, labels: np.ndarray, target: str, kind: str, settings: Mapping[str, Any]
) -> tuple[LDNNClassifier, dict[str, Any]]:
    """Fit a classifier; returns it and what there is to say about it."""
    start = time.perf_counter()
    model = LDNNClassifier(**settings).fit(table, labels)
    describe_source(model, target, kind, kinds_of(table))
    return model, said_of(model, table.num_rows, start, held_out_error(model))


def said_of(model: Any, rows: int, start: float, expected: float | None) -> dict[str, Any]:
    """What there is to say about a model that was fitted since `start` and described; expected: its share of errors."""
    return {
        "target": model.source_["target"],
        "classes": model.classes_.tolist(),
        "rows": rows,
        "columns": len(model.source_["kinds"]),
        "seconds": round(time.perf_counter() - start, 3),
        "held_out_error": expected,
        "plan": model.plan_,
    }
