"""Models from and to files or standard streams, and the columns that a model expects of a table."""

import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .. import load, save
from .error_costs import NONE, Costs, parse_costs
from .messages import UserError
from .model_internals import get_costs, get_source, is_table_model, kinds_of_columns
from .readings import Reading
from .table_chunks import ExpectedColumns


def load_model(path: str) -> Any:
    """A model that predicts rows of tables, from a file or, by "-", from standard input."""
    if path == "-":
        with tempfile.NamedTemporaryFile(suffix=".ldnn") as file:
            file.write(sys.stdin.buffer.read())
            file.flush()
            return load_model(file.name)
    model = load(path)
    if not is_table_model(model):
        raise UserError(f"{path} is a model of images; use it from Python (ldnn.load).")
    return model


def save_model(model: Any, path: str) -> None:
    """Write a model to a file or, by "-", to standard output."""
    if path != "-":
        save(model, path)
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.ldnn"
        save(model, file)
        sys.stdout.buffer.write(file.read_bytes())


def costs_of(model: Any, given: Sequence[str]) -> Costs | None:
    """What errors cost: as the user gives it, or as it was given to `fit`; None for the most probable class."""
    if given:
        return None if list(given) == [NONE] else parse_costs(given, model.classes_.tolist())
    return get_costs(model)


def note_costs(model: Any, note: Callable[[str], None], what: str) -> None:
    """Say that something is about the most probable class, if the model was fitted with costs."""
    if get_costs(model) is not None:
        note(f"{what} about the most probable class; the costs given to fit count in ldnn predict only.")


def expected_columns(model: Any, path: str, **more: Any) -> ExpectedColumns:
    """The columns that a model expects of a file. path: that of the model, for messages; more: see ExpectedColumns."""
    source = get_source(model)
    if source is not None:
        readings = {name: Reading.from_dict(stored) for name, stored in source["readings"].items()}
        target = (source["target"], Reading.from_dict(source["labels"]))
        return ExpectedColumns(readings, target, tuple(source["missing"]), source["ranges"], **more)
    if not hasattr(model, "feature_names_in_"):
        raise UserError(f"{path} was trained on columns without names; use it from Python (ldnn.load).")
    readings = {name: Reading(kind) for name, kind in kinds_of_columns(model).items()}
    return ExpectedColumns(readings, **more)
