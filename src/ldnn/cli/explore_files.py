"""The page of a model, from a model file and a table."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..explore import explore
from .interpretation import read_labelled_rows
from .model_store import load_model
from .table_files import TableFormat


def write_model_page(
    model_path: str,
    table: str,
    table_format: TableFormat,
    output: str,
    note: Callable[[str], None],
    options: dict[str, Any],
) -> int:
    """Write the page of a model with the rows of a file; returns its size in bytes.

    note: called with a sentence about rows that are left out; options: keyword arguments of `ldnn.explore.explore`.
    """
    model = load_model(model_path)
    X, labels = read_labelled_rows(model, model_path, table, table_format, note)
    source = "standard input" if table == "-" else Path(table).name
    title = "The model" if model_path == "-" else f"The model {Path(model_path).stem}"
    page = explore(model, X, labels, title=title, source=source, verbose=True, **options)
    page.write(output)
    return len(page.html.encode())
