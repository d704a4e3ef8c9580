"""Pictures of a model as files."""

from pathlib import Path
from typing import Any

from .. import plotting
from ..plotting import plt
from ..rules import importance
from ..whole import written_whole
from .messages import UserError, nearest
from .reading import rows_for
from .tables import Reading, is_text

KINDS = ("boundary", "start", "conjunctions", "learning", "search", "rules")
_WITHOUT_ROWS = ("learning", "search")
_FORMATS = (".png", ".svg", ".pdf")


def draw(
    kind: str, model: Any, name: str, table: str | None, reading: Reading, columns: str | None, output: str
) -> None:
    """Draw a picture of a model (of the file `name`) and write it."""
    plt.switch_backend("Agg")  # no window
    if Path(output).suffix.lower() not in _FORMATS:
        raise UserError(f"{output} ends in none of {', '.join(_FORMATS)}; its name says what is written.")
    if kind in _WITHOUT_ROWS:
        displays: dict[str, Any] = {"learning": plotting.LearningCurvesDisplay, "search": plotting.SearchHistoryDisplay}
        figure = displays[kind].from_estimator(model).figure_
    else:
        if table is None:
            raise UserError(f"This plot needs rows: ldnn plot {kind} {name} TABLE")
        X, labels = rows_for(model, name, table, reading)
        if kind == "rules":
            figure = plotting.RuleCoverageDisplay.from_estimator(model, X, labels).figure_
        else:
            chosen = _axes(model, X, columns)
            if kind == "conjunctions":
                figure = plotting.ConjunctionsDisplay.from_estimator(model, X, columns=chosen).figure_
            else:
                display: Any = plotting.BoundaryDisplay if kind == "boundary" else plotting.StartDisplay
                figure = display.from_estimator(model, X, labels, columns=chosen).figure_
    with written_whole(Path(output)) as part:
        figure.savefig(part, format=Path(output).suffix[1:].lower(), dpi=150)


def _axes(model: Any, X: Any, columns: str | None) -> tuple[str, str]:
    """The two columns of a plane: those that were named, or the two numbers that matter most."""
    names: list[str] = X.column_names
    if columns is not None:
        chosen = [column.strip() for column in columns.split(",")]
        if len(chosen) != 2:
            raise UserError(f"--columns {columns} are not two: write NAME,NAME.")
        for column in chosen:
            if column not in names:
                raise UserError(f"The model has no column {column!r}; {nearest(column, names)}")
        return chosen[0], chosen[1]
    if len(names) < 2:
        raise UserError("A plane needs two columns; this model has one.")
    numbers = [name for name in importance(model, X) if not is_text(X[name].type)]
    first, second = numbers[:2] if len(names) > 2 and len(numbers) > 1 else names[:2]
    return first, second
