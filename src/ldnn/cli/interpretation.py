"""Rules of a model, and explanations of its decisions about single rows."""

import time
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .._io.atomic import atomic_write
from ..page import Markup, Page
from ..rules import Explanation, RuleExplanation, explain, rules
from .column_types import missing_as_nan
from .messages import UserError, counted, nearest
from .model_internals import get_source, is_rule_model
from .model_store import expected_columns
from .table_chunks import ExpectedColumns, open_chunks
from .table_files import TableFormat


def read_rows(model: Any, model_path: str, path: str, table_format: TableFormat) -> pa.Table:
    """The rows of a file, with the columns that a model expects."""
    expected = expected_columns(model, model_path)
    return missing_as_nan(_read(path, table_format, expected).select(expected.names))


def read_labelled_rows(
    model: Any, model_path: str, path: str, table_format: TableFormat, note: Callable[[str], None]
) -> tuple[pa.Table, np.ndarray | None]:
    """The rows of a file with the columns that a model expects, and their labels; None if the file has no labels.

    Rows without a label, and those of classes that the model does not know, are left out; `note` is called with a
    sentence that says so.
    """
    expected = expected_columns(model, model_path)
    table = _read(path, table_format, expected)
    name = expected.target[0] if expected.target is not None else None
    if name not in table.column_names or table[name].null_count == table.num_rows:
        return missing_as_nan(table.select(expected.names)), None
    if table[name].null_count:
        note(f"Left out {counted(table[name].null_count, 'row')} without a value of {name!r}.")
        table = table.filter(pc.is_valid(table[name]))
    labels = table[name].to_numpy()
    labels = labels.astype(str) if model.classes_.dtype.kind == "U" else labels
    is_known = np.isin(labels, model.classes_)
    if not is_known.any():
        raise UserError(f"Column {name!r} of {path} has none of the model's classes.")
    if not is_known.all():
        others = counted(int((~is_known).sum()), "row")
        note(f"Left out {others} of classes that the model does not know, such as {labels[~is_known][0]!s}.")
    return missing_as_nan(table.filter(is_known).select(expected.names)), labels[is_known].astype(model.classes_.dtype)


def _read(path: str, table_format: TableFormat, expected: ExpectedColumns) -> pa.Table:
    with open_chunks(path, table_format, expected) as (source, chunks):
        found = [chunk.rows for chunk in chunks]
        if not found:
            raise UserError(f"{source.name} has a header but no rows.")
    return pa.concat_tables(found)


def rules_on(
    model: Any, model_path: str, path: str, table_format: TableFormat, note: Callable[[str], None], **limits: Any
) -> dict[str, Any]:
    """The rules of a model, evaluated on the rows of a file. limits: parameters of `ldnn.rules.rules`.

    note: called with a sentence about rows that are left out.
    """
    X, labels = read_labelled_rows(model, model_path, path, table_format, note)
    if is_rule_model(model):
        return _own_rules(model.rules_ if labels is None else model.measure_rules(X, labels))
    found = rules(model, X, labels, verbose=True, **limits)
    return {"text": str(found), "html": found.to_html(), "data": found.to_dict()}


def _own_rules(found: Any) -> dict[str, Any]:
    """The rules that a model is."""
    return {"text": str(found), "html": found._repr_html_(), "data": found.to_dict()}


def class_labels(model: Any, names: Sequence[str]) -> list[Any] | None:
    """The labels of a model's classes that these names stand for; None for none."""
    if not names:
        return None
    known = {str(label): label for label in model.classes_.tolist()}
    for name in names:
        if name not in known:
            raise UserError(f"The model has no class {name!r}; {nearest(name, known)}")
    return [known[name] for name in names]


def store_rules(model: Any, X: pa.Table, labels: Any, show: Callable[..., None]) -> float:
    """Store the rules of a model in it, evaluated on its training rows, so that no table is needed to show them.

    show: called with a line about the progress. Returns the seconds that this took.
    """
    show("extracting rules, as the last step")
    start = time.perf_counter()
    source = get_source(model)
    assert source is not None
    found = rules(model, X, labels, trained_on=True, verbose=model.verbose)
    source["rules"] = {"text": str(found), "data": found.to_dict()}  # no HTML: files may come from anyone
    return time.perf_counter() - start


def stored_rules(model: Any, model_path: str) -> dict[str, Any]:
    """The rules that `store_rules` has stored when the model was trained, or that the model is."""
    if is_rule_model(model):
        return _own_rules(model.rules_)
    found = (get_source(model) or {}).get("rules")
    if not isinstance(found, dict) or not isinstance(found.get("text"), str):
        raise UserError(f"{model_path} holds no rules; give a table to evaluate them on: ldnn rules {model_path} TABLE")
    return {"text": found["text"], "data": found.get("data")}


def explain_row(
    model: Any, model_path: str, path: str, table_format: TableFormat, row: int, fixed: tuple[str, ...]
) -> tuple[Explanation | RuleExplanation, int]:
    """Why the model decides as it does about a row, counted from 1, in comparison with the rows of the file; and the
    number of these. fixed: columns that may not change.
    """
    X = read_rows(model, model_path, path, table_format)
    if not 1 <= row <= X.num_rows:
        raise UserError(f"There is no row {row}: {path} has {counted(X.num_rows, 'row')}, counted from 1.")
    try:
        return explain(model, X.slice(row - 1, 1), X, fixed=fixed), X.num_rows
    except ValueError as error:
        if fixed:
            raise UserError(str(error)) from None
        raise


def write_rules(found: dict[str, Any], path: str, title: str) -> None:
    """Write rules, of `rules_on` or `stored_rules`, as text or, if the path ends in .html, as a page."""
    text = found["text"] + "\n"
    if Path(path).suffix.lower() in (".html", ".htm"):
        page = Page(title)
        markup = found.get("html") or f'<pre style="white-space: pre-wrap">{escape(found["text"])}</pre>'
        page.add("Rules", Markup(markup))
        text = page.html()
    with atomic_write(Path(path)) as part:
        part.write_text(text, encoding="utf-8")
