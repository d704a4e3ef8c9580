"""From a model's values to tensors and a JSON description; `reading.py` is the way back."""

import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

_MAX_NAME = 60  # characters of a name that is part of a tensor's name
_PACKAGE = __package__.partition(".")[0]


class Writer:
    """Takes values apart: `tensors` receives the arrays, named after where they were."""

    def __init__(self) -> None:
        self.tensors: dict[str, np.ndarray] = {}
        self._by_type: dict[type, Callable[[Any, str], Any]] = {
            float: lambda value, place: value if math.isfinite(value) else {"$float": repr(value)},
            list: lambda value, place: [self.write(part, f"{place}.{k}") for k, part in enumerate(value)],
            tuple: lambda value, place: {"$tuple": self.write(list(value), place)},
            dict: self._dict,
            np.ndarray: self._array,
            np.str_: lambda value, place: str(value),
            np.generic: lambda value, place: {"$scalar": self._array(np.array(value), place)},
            np.random.Generator: lambda value, place: {
                "$generator": self.write(dict(value.bit_generator.state), place)
            },
            np.random.RandomState: lambda value, place: {
                "$random_state": self.write(value.get_state(legacy=False), place)
            },
        }

    def write(self, value: Any, place: str) -> Any:
        """What JSON can hold of a value."""
        if value is None or type(value) in (bool, int, str):
            return value
        for kind, write in self._by_type.items():
            if type(value) is kind or (kind in (np.ndarray, np.str_, np.generic) and isinstance(value, kind)):
                return write(value, place)
        return self._object(value, place)

    def _dict(self, value: dict, place: str) -> Any:
        if all(_is_simple(name) for name in value):
            return {name: self.write(part, f"{place}.{name}") for name, part in value.items()}
        names = self.write(list(value), f"{place}.names")
        return {"$dict": [names, self.write(list(value.values()), place)]}

    def _object(self, value: Any, place: str) -> Any:
        cls = type(value)
        stored = value.stored() if hasattr(cls, "stored") else value
        if not is_dataclass(stored) or cls.__module__.partition(".")[0] != _PACKAGE:
            raise TypeError(
                f"The model cannot be saved: {place} holds a {cls.__module__}.{cls.__qualname__}. Use plain numbers, "
                "strings, booleans and arrays as parameters, classes and categories."
            )
        parts = {field.name: getattr(stored, field.name) for field in fields(stored)}
        written = {name: self.write(part, f"{place}.{name}") for name, part in parts.items()}
        return {"$object": type(stored).__name__, **written}

    def _array(self, array: np.ndarray, place: str) -> Any:
        if array.dtype.kind in "OUT":
            values = self.write(array.ravel().tolist(), place)
            return {"$values": values, "dtype": array.dtype.kind, "shape": list(array.shape)}
        if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
            raise TypeError(f"The model cannot be saved: {place} has values of type {array.dtype}; use plain numbers.")
        self.tensors[place] = np.ascontiguousarray(array, array.dtype.newbyteorder("=")).reshape(array.shape)
        return {"$array": place}


def _is_simple(name: Any) -> bool:
    """Whether a name can be that of a tensor."""
    return type(name) is str and name.isascii() and name.isprintable() and len(name) <= _MAX_NAME and name[:1] != "$"
