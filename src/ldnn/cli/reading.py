"""Models as people read them: rules, and explanations of single rows."""

from pathlib import Path
from typing import Any

import pyarrow as pa

from ..page import Markup, Page
from ..rules import Explanation, Rules, explain, rules
from ..whole import written_whole
from .fitting import missing_as_nan
from .messages import UserError, counted
from .models import wanted_columns
from .tables import Reading, pieces


def rows_for(model: Any, name: str, path: str, reading: Reading) -> tuple[pa.Table, Any]:
    """The rows of a file with the columns of a model (of the file `name`), and their labels if all are there."""
    wanted = wanted_columns(model, name)
    with pieces(path, reading, wanted) as (source, tables):
        found = list(tables)
        if not found:
            raise UserError(f"{source.name} has a header but no rows.")
    table = pa.concat_tables(found)
    labels = None
    if wanted.target is not None and wanted.target[0] in table.column_names:
        column = table[wanted.target[0]]
        if column.null_count == 0:
            labels = column.to_numpy().astype(model.classes_.dtype)
    return missing_as_nan(table.select(list(wanted.kinds))), labels


def described(found: Rules) -> dict[str, Any]:
    """Rules in all their forms."""
    return {"text": str(found), "html": found.to_html(), "data": found.to_dict()}


def read_rules(
    model: Any, name: str, path: str, reading: Reading, fidelity: float, max_rules: int, max_terms: int
) -> dict[str, Any]:
    X, labels = rows_for(model, name, path, reading)
    return described(rules(model, X, labels, fidelity=fidelity, max_rules=max_rules, max_terms=max_terms))


def store_rules(model: Any, X: pa.Table, labels: Any) -> None:
    """Read a model as rules on the rows that it was trained on, so that its file tells them to whoever has no table."""
    model.source_["rules"] = described(rules(model, X, labels))


def stored_rules(model: Any, path: str) -> dict[str, Any]:
    """The rules that were read when the model was trained."""
    found = getattr(model, "source_", {}).get("rules")
    if found is None:
        raise UserError(f"{path} holds no rules; give a table to read the model on: ldnn rules {path} TABLE")
    return found


def explain_row(model: Any, name: str, path: str, reading: Reading, row: int) -> Explanation:
    """Why the model decides as it does about a row, counted from 1, compared with the other rows of the file."""
    X, _ = rows_for(model, name, path, reading)
    if not 1 <= row <= X.num_rows:
        raise UserError(f"There is no row {row}: {path} has {counted(X.num_rows, 'row')}, counted from 1.")
    return explain(model, X.slice(row - 1, 1), X)


def as_page(html: str, title: str) -> str:
    page = Page(title)
    page.add("Rules", Markup(html))
    return page.html()


def write_text(path: str, text: str) -> None:
    with written_whole(Path(path)) as part:
        part.write_text(text, encoding="utf-8")
