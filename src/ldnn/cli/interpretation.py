"""Rules of a model, and explanations of its decisions about single rows."""

from html import escape
from pathlib import Path
from typing import Any

import pyarrow as pa

from .._io.atomic import atomic_write
from ..page import Markup, Page
from ..rules import Explanation, explain, rules
from .column_types import missing_as_nan
from .messages import UserError, counted
from .model_internals import get_source
from .model_store import expected_columns
from .table_chunks import open_chunks
from .table_files import TableFormat


def read_rows(model: Any, model_path: str, path: str, table_format: TableFormat) -> tuple[pa.Table, Any]:
    """The rows of a file with the columns that a model expects, and their labels if the file has all of them."""
    expected = expected_columns(model, model_path)
    with open_chunks(path, table_format, expected) as (source, tables):
        found = list(tables)
        if not found:
            raise UserError(f"{source.name} has a header but no rows.")
    table = pa.concat_tables(found)
    labels = None
    if expected.target is not None and expected.target[0] in table.column_names:
        column = table[expected.target[0]]
        if column.null_count == 0:
            labels = column.to_numpy().astype(model.classes_.dtype)
    return missing_as_nan(table.select(expected.names)), labels


def rules_on(model: Any, model_path: str, path: str, table_format: TableFormat, **limits: Any) -> dict[str, Any]:
    """The rules of a model, evaluated on the rows of a file. limits: parameters of `ldnn.rules.rules`."""
    X, labels = read_rows(model, model_path, path, table_format)
    found = rules(model, X, labels, **limits)
    return {"text": str(found), "html": found.to_html(), "data": found.to_dict()}


def store_rules(model: Any, X: pa.Table, labels: Any) -> None:
    """Store the rules of a model in it, evaluated on its training rows, so that no table is needed to show them."""
    source = get_source(model)
    assert source is not None
    found = rules(model, X, labels, trained_on=True)
    source["rules"] = {"text": str(found), "data": found.to_dict()}  # no HTML: files may come from strangers


def stored_rules(model: Any, model_path: str) -> dict[str, Any]:
    """The rules that `store_rules` has stored when the model was trained."""
    found = (get_source(model) or {}).get("rules")
    if not isinstance(found, dict) or not isinstance(found.get("text"), str):
        raise UserError(f"{model_path} holds no rules; give a table to evaluate them on: ldnn rules {model_path} TABLE")
    return {"text": found["text"], "data": found.get("data")}


def explain_row(model: Any, model_path: str, path: str, table_format: TableFormat, row: int) -> Explanation:
    """Why the model decides as it does about a row, counted from 1, in comparison with the other rows of the file."""
    X, _ = read_rows(model, model_path, path, table_format)
    if not 1 <= row <= X.num_rows:
        raise UserError(f"There is no row {row}: {path} has {counted(X.num_rows, 'row')}, counted from 1.")
    return explain(model, X.slice(row - 1, 1), X)


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
