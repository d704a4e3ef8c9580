"""Plots of a model as files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from .. import plotting
from .._io.atomic import atomic_write
from .._table.checks import matrix_names
from ..plotting._style import plt
from .interpretation import read_labelled_rows
from .messages import UserError, nearest
from .model_internals import is_rule_model
from .model_store import load_model
from .table_files import TableFormat

_WITHOUT_ROWS: dict[str, Any] = {"learning": plotting.LearningCurvesDisplay, "search": plotting.SearchHistoryDisplay}
_ON_A_PLANE: dict[str, Any] = {
    "boundary": plotting.BoundaryDisplay,
    "start": plotting.StartDisplay,
    "conjunctions": plotting.ConjunctionsDisplay,
}


def write_plot(
    kind: str,
    model_path: str,
    table: str | None,
    table_format: TableFormat,
    columns: str | None,
    output: str,
    note: Callable[[str], None],
) -> None:
    """Draw a plot of the model in a file and write it to another file.

    kind, table, output: as `check_plot` allows them; columns: "NAME,NAME" for the axes of a plane; note: called with a
    sentence about rows that are left out.
    """
    model = load_model(model_path)
    if is_rule_model(model):
        raise UserError(f"{model_path} is a model of rules, without a network to draw; ldnn explore draws its maps.")
    plt.switch_backend("Agg")  # no window
    if kind in _WITHOUT_ROWS:
        display = _WITHOUT_ROWS[kind].from_estimator(model)
    else:
        assert table is not None
        X, labels = read_labelled_rows(model, model_path, table, table_format, note)
        display = _draw_rows(kind, model, X, labels, columns)
    with atomic_write(Path(output)) as part:
        display.figure_.savefig(part, format=Path(output).suffix[1:].lower(), dpi=150, bbox_inches="tight")


def _draw_rows(kind: str, model: Any, X: Any, labels: Any, columns: str | None) -> Any:
    if kind == "rules":
        return plotting.RuleCoverageDisplay.from_estimator(model, X, labels, verbose=True)
    rows = (X,) if kind == "conjunctions" else (X, labels)
    return _ON_A_PLANE[kind].from_estimator(model, *rows, columns=_plane_columns(model, columns))


def _plane_columns(model: Any, columns: str | None) -> tuple[str, str] | None:
    """The two columns that are given for a plane; None for the two that show the model best."""
    names = matrix_names(model)
    if len(names) < 2:
        raise UserError("A plane needs two columns; this model has one.")
    if columns is None:
        return None
    chosen = [column.strip() for column in columns.split(",")]
    if len(chosen) != 2:
        raise UserError(f"--columns {columns} does not name two columns: write NAME,NAME.")
    for column in chosen:
        if column not in names:
            raise UserError(f"The model has no column {column!r}; {nearest(column, names)}")
    return chosen[0], chosen[1]
