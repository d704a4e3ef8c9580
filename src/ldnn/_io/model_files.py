"""Models in files: `save` and `load`.

A file holds everything that a fitted model consists of: its parameters and all that `fit` has set, down to the state of
the random generator. Objects are taken apart into their fields; arrays become tensors, the rest JSON. No field is named
by hand, so none can be forgotten. Reading looks names up in a fixed table and checks that the parts fit together: no
file can make it run code.
"""

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .atomic import output_path
from .tensors import damaged, read_tensors, write_tensors

# The modules of the classes whose objects a file may hold. Those in `_WITH_STATE` say themselves what they are made of,
# by `to_state` and `from_state`; the others are dataclasses.
_MODELS = {
    "LDNNClassifier": "classifier",
    "ModularNetworkClassifier": "modular",
    "ConvLDNNClassifier": "deep.conv_classifier",
}
_DATACLASSES = {
    "FittedState": "_model.state",
    "Columns": "_table.columns",
    "SparseColumns": "_table.sparse_columns",
    "DateColumn": "_table.dates",
    "Choice": "_plan",
    "Plan": "_plan",
    "EncodingPlan": "_plan",
    "StartPlan": "_plan",
    "TrainingPlan": "_plan",
    "KnotPlan": "_plan",
    "Encoder": "_encoding.encoder",
    "LongTail": "_encoding.encoder",
    "Normalizer": "_encoding.normalizer",
    "PiecewiseLinear": "_encoding.bases",
    "OneHot": "_encoding.bases",
    "Missing": "_encoding.bases",
    "Network": "_model.network",
    "ValidationScores": "_model.validation_scores",
    "Configuration": "deep.architectures",
    "Convolution": "deep.architectures",
    "MaxPool": "deep.architectures",
    "Local": "deep.architectures",
    "Whitening": "deep.architectures",
    "Block": "deep.architectures",
}
_WITH_STATE = {"ConvLDNN": "deep.conv_ldnn", "Preparation": "deep.augmentation"}
_GENERATORS = {"PCG64": np.random.PCG64, "MT19937": np.random.MT19937}
_PACKAGE = __package__.rpartition(".")[0]
_TAG = "$"  # begins the name of what JSON has no notion of


def save(model: Any, path: str | os.PathLike) -> None:
    """Write a fitted model to a file, from which `load` makes the same model again, bit for bit.

    Parameters
    ----------
    model : LDNNClassifier, ModularNetworkClassifier or ldnn.deep.ConvLDNNClassifier
        Fitted.
    path : path
        Of the file (safetensors, whatever its name). It is written atomically: if anything goes wrong, a file that was
        there before stays as it was.

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
    path = writable(model, path, "saved")
    tensors: dict[str, Any] = {}
    writer = _Writer(tensors)
    parameters = model.get_params(deep=False)
    fitted = {name: value for name, value in vars(model).items() if name not in parameters}
    fitted.pop("_metadata_request", None)  # belongs to a pipeline around the model
    description = {
        "parameters": {name: writer.write(value, name) for name, value in parameters.items()},
        "fitted": {name: writer.write(value, name) for name, value in fitted.items()},
    }
    write_tensors(path, tensors, type(model).__name__, description)


def load(path: str | os.PathLike, *, device: str | None = None) -> Any:
    """Read a model that `save` has written. Nothing in the file is executed.

    Parameters
    ----------
    path : path
    device : {"auto", "cpu", "cuda", "mps"} or None, default=None
        For a ConvLDNNClassifier: its device from now on. None leaves it at what it was, if that is available here.

    Returns
    -------
    the model, fitted; it predicts, and goes on with `partial_fit` or `warm_start`, as the saved one would
    """
    path = Path(path)
    tensors, description = read_tensors(path, _MODELS)
    cls = _class(description["kind"], _MODELS)
    reader = _Reader(tensors)
    try:
        parameters = {name: reader.read(part) for name, part in description["parameters"].items()}
        fitted = {name: reader.read(part) for name, part in description["fitted"].items()}
        if any(hasattr(cls, name) for name in fitted):
            raise ValueError("a name that is not the file's to give")
        model = cls(**parameters)
        vars(model).update(fitted)
        model._check_loaded()
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RuntimeError, OverflowError) as error:
        raise damaged(path) from error
    model._move_after_load(device)
    return model


def writable(model: Any, path: str | os.PathLike, done: str) -> Path:
    """The path, if this model can be written there; else an error that says what cannot be "saved" or "exported"."""
    from sklearn.utils.validation import check_is_fitted

    if not _is_known(type(model), _MODELS):
        *others, last = _MODELS
        raise TypeError(
            f"A {type(model).__name__} cannot be {done}: pass a fitted {', '.join(others)} or {last} itself, without "
            "a pipeline or search around it."
        )
    check_is_fitted(model)
    return output_path("the model", path)


class _Writer:
    """Takes values apart: `tensors` receives the arrays, named after where they were."""

    def __init__(self, tensors: dict[str, np.ndarray]):
        self.tensors = tensors
        self.seen: dict[int, tuple[str, np.ndarray]] = {}  # arrays by their id: one that occurs twice is kept once
        self.by_type: dict[type, Callable[[Any, str], Any]] = {
            float: lambda value, place: value if math.isfinite(value) else {"$float": repr(value)},
            list: lambda value, place: [self.write(part, f"{place}.{k}") for k, part in enumerate(value)],
            tuple: lambda value, place: {"$tuple": self.write(list(value), place)},
            dict: self._dict,
            np.ndarray: self._array,
            np.generic: lambda value, place: {"$scalar": self._array(np.array(value), place)},
            np.random.Generator: lambda value, place: {
                "$generator": self.write(dict(value.bit_generator.state), place)
            },
            np.random.RandomState: lambda value, place: {
                "$random_state": self.write(value.get_state(legacy=False), place)
            },
            Path: lambda value, place: {"$path": str(value)},
        }

    def write(self, value: Any, place: str) -> Any:
        """What JSON can hold of a value."""
        if value is None or type(value) in (bool, int, str):
            return value
        for kind, write in self.by_type.items():
            if type(value) is kind or (kind in (np.ndarray, np.generic, Path) and isinstance(value, kind)):
                return write(value, place)
        return self._object(value, place)

    def _dict(self, value: dict, place: str) -> Any:
        if all(type(name) is str and not name.startswith(_TAG) for name in value):
            return {name: self.write(part, f"{place}.{name}") for name, part in value.items()}
        names, parts = self.write(list(value), f"{place}.names"), self.write(list(value.values()), place)
        return {"$dict": [names, parts]}

    def _object(self, value: Any, place: str) -> Any:
        cls = type(value)
        if _is_known(cls, _DATACLASSES) and is_dataclass(value):
            parts = {field.name: getattr(value, field.name) for field in fields(value)}
        elif _is_known(cls, _WITH_STATE):
            parts = value.to_state()
        else:
            raise TypeError(
                f"The model cannot be saved: {place} holds a {cls.__module__}.{cls.__qualname__}. Use plain numbers, "
                "strings, booleans and arrays as parameters, classes and categories."
            )
        return {"$object": cls.__name__, **{name: self.write(part, f"{place}.{name}") for name, part in parts.items()}}

    def _array(self, array: np.ndarray, place: str) -> Any:
        if array.dtype.kind in "OUT":
            kind = array.dtype.str if array.dtype.kind == "U" else array.dtype.kind
            return {"$values": self.write(array.ravel().tolist(), place), "dtype": kind, "shape": list(array.shape)}
        if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
            raise TypeError(f"The model cannot be saved: {place} has values of type {array.dtype}; use plain numbers.")
        if id(array) not in self.seen:
            self.seen[id(array)] = place, array
            self.tensors[place] = np.ascontiguousarray(array, array.dtype.newbyteorder("=")).reshape(array.shape)
        return {"$array": self.seen[id(array)][0]}


class _Reader:
    """Puts values together again."""

    def __init__(self, tensors: Mapping[str, np.ndarray]):
        self.tensors = tensors

    def read(self, part: Any) -> Any:
        if isinstance(part, list):
            return [self.read(value) for value in part]
        if not isinstance(part, dict):
            return part
        tag = next(iter(part), "")
        if not tag.startswith(_TAG):
            return {name: self.read(value) for name, value in part.items()}
        value = part[tag]
        if tag == "$object":
            return self._object(value, {name: self.read(inner) for name, inner in part.items() if name != tag})
        if tag == "$values":
            dtype = np.dtype(part["dtype"])
            if dtype.kind not in "OUT":
                raise ValueError(dtype)
            array = np.empty(len(value), dtype)
            for k, inner in enumerate(value):
                array[k] = self.read(inner)
            return array.reshape(part["shape"])
        makers: dict[str, Callable[[Any], Any]] = {
            "$float": float,
            "$tuple": lambda inner: tuple(self.read(inner)),
            "$dict": lambda pair: dict(zip(*self.read(pair), strict=True)),
            "$array": lambda name: self.tensors[name],
            "$scalar": lambda inner: self.read(inner)[()],
            "$generator": lambda state: np.random.Generator(_bits(self.read(state))),
            "$random_state": lambda state: np.random.RandomState(_bits(self.read(state))),
            "$path": Path,
        }
        return makers[tag](value)

    def _object(self, name: str, parts: dict[str, Any]) -> Any:
        if name in _WITH_STATE:
            return _class(name, _WITH_STATE).from_state(parts)
        return _class(name, _DATACLASSES)(**parts)


def _bits(state: dict[str, Any]) -> Any:
    """A bit generator in a given state."""
    bits = _GENERATORS[state["bit_generator"]]()
    bits.state = state
    return bits


def _is_known(cls: type, table: dict[str, str]) -> bool:
    """Whether this very class is in a table; a subclass may hold what is not known here."""
    return cls.__name__ in table and cls.__module__ == f"{_PACKAGE}.{table[cls.__name__]}"


def _class(name: str, table: dict[str, str]) -> Any:
    return getattr(import_module(f"{_PACKAGE}.{table[name]}"), name)
