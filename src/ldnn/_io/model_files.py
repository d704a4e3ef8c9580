"""Models in files: `save` and `load`.

A file holds everything that a fitted model consists of: its parameters and all that `fit` has set, down to the state of
the random generator. `writing.py` takes it apart into tensors and a JSON description; `reading.py` puts it together
again, within the limits of `limits.py`; `tensors.py` has the bytes. A file is also read when it is written, so that
whatever can be saved can be loaded.
"""

import os
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

from .atomic import output_path
from .reading import Reader, UnreadableError, clause
from .tensors import read_tensors, write_tensors
from .writing import Writer

# The modules of the classes whose objects a file may hold, and of the types of what `fit` sets in them.
_MODELS = {
    "LDNNClassifier": ("classifier", "_io.stored_types", "TableModelParts"),
    "ModularNetworkClassifier": ("modular", "_io.stored_types", "TableModelParts"),
    "RuleClassifier": ("rule_classifier", "_io.stored_types", "RuleModelParts"),
    "ConvLDNNClassifier": ("deep.conv_classifier", "deep.stored_networks", "ImageModelParts"),
}
_PACKAGE = __package__.rpartition(".")[0]
_NOT_STORED = {
    "folder",  # a file must not decide where a later `fit` writes
    "_metadata_request",  # belongs to a pipeline around the model
    "_skl_callbacks",  # scikit-learn's callbacks, which are any Python objects
}


def save(model: Any, path: str | os.PathLike) -> None:
    """Write a fitted model to a file, from which `load` makes the same model again, bit for bit.

    Parameters
    ----------
    model : LDNNClassifier, ModularNetworkClassifier, RuleClassifier or ldnn.deep.ConvLDNNClassifier
        A fitted model. `DaskLDNNClassifier` and `TorchLDNNClassifier` are saved as the LDNNClassifier that they train.
    path : path
        The file, in safetensors format whatever its extension. It is written atomically: after an error, an existing
        file is unchanged.

    Examples
    --------
    >>> import ldnn
    >>> X, y = ldnn.datasets.make_two_moons(random_state=0)
    >>> model = ldnn.LDNNClassifier(3, 3, max_epochs=10, random_state=0).fit(X, y)
    >>> folder = getfixture("tmp_path")
    >>> ldnn.save(model, folder / "moons.ldnn")
    >>> bool((ldnn.load(folder / "moons.ldnn").predict_proba(X) == model.predict_proba(X)).all())
    True
    """
    model, path = writable(model, path, "saved")
    writer = Writer()
    parameters = model.get_params(deep=False)
    fitted = {name: value for name, value in vars(model).items() if name not in parameters}
    description = {
        part: {name: writer.write(value, name) for name, value in values.items() if name not in _NOT_STORED}
        for part, values in {"parameters": parameters, "fitted": fitted}.items()
    }
    kind = type(model).__name__
    length = sum(tensor.nbytes for tensor in writer.tensors.values())
    try:
        _read_model(kind, description, writer.tensors, length)
    except ValueError as error:
        raise ValueError(f"The model cannot be saved: {error}") from None
    write_tensors(path, writer.tensors, kind, description)


def load(path: str | os.PathLike, *, device: str | None = None) -> Any:
    """Read a model that `save` has written. Nothing in the file is executed.

    Parameters
    ----------
    path : path
        The file.
    device : {"auto", "cpu", "cuda", "mps"} or None, default=None
        For a ConvLDNNClassifier, the device to move it to. None keeps its device, if that is available here.

    Returns
    -------
    model
        The fitted model. Its predictions, and training continued by `partial_fit` or `warm_start`, are those of the
        saved model.

    Examples
    --------
    >>> import ldnn
    >>> X, y = ldnn.datasets.make_two_moons(random_state=0)
    >>> path = getfixture("tmp_path") / "moons.ldnn"
    >>> ldnn.save(ldnn.LDNNClassifier(3, 3, max_epochs=10, random_state=0).fit(X, y), path)
    >>> model = ldnn.load(path)
    >>> model.predict(X[:2]).shape
    (2,)
    """
    path = Path(path)
    file = read_tensors(path, _MODELS)
    try:
        model = _read_model(file.kind, file.description, file.tensors, file.length)
    except ValueError as error:
        raise ValueError(f"{path} is not a valid model: {error}") from None
    model._move_after_load(device)
    return model


def writable(model: Any, path: str | os.PathLike, done: str) -> tuple[Any, Path]:
    """The model and the path, if it can be written there; else an error that says what cannot be "saved" or "exported".

    Of a model that was trained on a cluster or a graphics card, its local equivalent.
    """
    from sklearn.utils.validation import check_is_fitted

    if hasattr(model, "to_local"):
        model = model.to_local()
    cls = type(model)
    # A subclass may hold what is not known here.
    if cls.__name__ not in _MODELS or cls.__module__ != f"{_PACKAGE}.{_MODELS[cls.__name__][0]}":
        *others, last = _MODELS
        raise TypeError(
            f"A {cls.__name__} cannot be {done}: pass a fitted {', '.join(others)} or {last} itself, without "
            "a pipeline or search around it."
        )
    check_is_fitted(model)
    return model, output_path("the model", path)


@cache
def _parameter_hints(cls: type) -> dict[str, Any]:
    """The types of the parameters that are stored."""
    hints = get_type_hints(cls.__init__)  # type: ignore[misc]
    return {name: hint for name, hint in hints.items() if name not in ("return", *_NOT_STORED)}


def _read_model(kind: str, description: dict[str, Any], tensors: dict[str, Any], length: int) -> Any:
    """The model of a description and its tensors; a ValueError whose message is a sentence if there is none."""
    module, types_module, types = _MODELS[kind]
    cls = getattr(import_module(f"{_PACKAGE}.{module}"), kind)
    parts = getattr(import_module(f"{_PACKAGE}.{types_module}"), types)
    reader = Reader(tensors, length)
    try:
        if description.keys() != {"parameters", "fitted"}:
            raise UnreadableError("it does not consist of parameters and what was fitted")
        parameters = reader.read_fields(cls, _parameter_hints(cls), description["parameters"], "")
        fitted = reader.read(parts, description["fitted"], "")
        reader.check_all_read()
        model = cls(**parameters)
        vars(model).update(fitted)
        model._check_loaded()
    except ValueError as error:
        raise ValueError(f"{clause(error)}.") from None
    except (TypeError, LookupError, AttributeError, ArithmeticError, RuntimeError) as error:
        raise ValueError("its parts do not fit together.") from error
    return model
