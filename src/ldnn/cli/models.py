"""Models from and to files, with what the command needs to know about the tables that they read."""

import sys
import tempfile
from pathlib import Path
from typing import Any

from ..whole import place_for
from .messages import UserError
from .tables import Wanted


def load_model(path: str) -> Any:
    """A model of tables."""
    from .. import load

    if path == "-":
        with tempfile.NamedTemporaryFile(suffix=".ldnn") as file:
            file.write(sys.stdin.buffer.read())
            file.flush()
            return load_model(file.name)
    model = load(path)
    if not hasattr(model, "_state"):
        raise UserError(f"{path} is a model of images; use it from Python (ldnn.load).")
    return model


def check_place(path: str) -> None:
    """Refuse what a model cannot be written to, before it is learned."""
    if path != "-":
        place_for("the model", path)
    elif sys.stdout.isatty():
        raise UserError("A model is no text for a terminal; name a file with -o, or send it on with a pipe.")


def save_model(model: Any, path: str) -> None:
    from .. import save

    if path != "-":
        save(model, path)
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.ldnn"
        save(model, file)
        sys.stdout.buffer.write(file.read_bytes())


def describe_source(model: Any, target: str, labels: str, kinds: dict[str, str]) -> None:
    """Write down in a model what its table looked like."""
    model.source_ = {"target": target, "labels": labels, "kinds": kinds}


def wanted_columns(model: Any, path: str, others: bool = False) -> Wanted:
    """The columns that a model needs of a file."""
    source = getattr(model, "source_", None)
    if source is not None:
        return Wanted(source["kinds"], (source["target"], source["labels"]), others)
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        raise UserError(f"{path} was trained on columns without names; use it from Python (ldnn.load).")
    columns = model._state.beginning.columns
    categories = [None] * len(names) if columns is None else columns.categories
    return Wanted(
        {str(name): "number" if known is None else _kind(known) for name, known in zip(names, categories, strict=True)},
        others=others,
    )


def _kind(known: Any) -> str:
    """What a column of categories holds in a file."""
    if known.dtype != object:
        return "number"
    return "truth" if all(isinstance(value, bool) for value in known) else "text"


def held_out_error(model: Any) -> float | None:
    """The share of errors on rows that were held out of the training, as far as any were."""
    from ..search import trials_by_plan, winner

    if model.history_["validation_error"]:
        return float(model.history_["validation_error"][model.best_epoch_ - 1])
    if not model.search_history_:
        return None
    plans = trials_by_plan(model.search_history_)
    trials = plans[winner(plans)]
    return float(sum(trial["validation_error"] for trial in trials) / len(trials))
