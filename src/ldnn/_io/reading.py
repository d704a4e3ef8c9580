"""From the description and the tensors of a file to values of expected types.

What is expected decides, not what the file says: a value is read by the annotation of the field that it is for, within
the field's limits (`limits.py`), and refused otherwise. So a file cannot make objects of its own choice, and nothing is
built that is larger than what the file holds.
"""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, TypedDict, Union, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np

from .._model.validation_scores import ValidationScores
from .limits import TYPES, Limit, limit_of
from .stored_types import Mt19937State, Pcg64State

_MAX_DEPTH = 6  # of lists in lists, in parameters
_MAX_INTEGER = 2**31
_MAX_FEATURES = 2**22  # beyond the length of the file
_MAX_FLOAT = sys.float_info.max
_FREE = Limit()
_PARAMETER = Limit(may_be_nan=True)
_KINDS = {bool: "b", int: "iu", float: "fiu"}  # of NumPy's scalars


class UnreadableError(ValueError):
    """Something in a file is not as it must be; the message is a clause that begins with its place."""


class Reader:
    """Reads the parts of one file.

    tensors: by name; each belongs to the place that it is named after. length: that of the file, in bytes.
    """

    def __init__(self, tensors: dict[str, np.ndarray], length: int):
        self._tensors = dict(tensors)
        self._length = length
        self._sizes: dict[str, int] = {}
        self._readers: dict[Any, Callable[[Any, Any, str, Limit], Any]] = {
            NoneType: lambda expected, part, place, limit: None,
            bool: self._number,
            int: self._number,
            float: self._number,
            str: self._text,
            list: self._list,
            tuple: self._tuple,
            dict: self._dict,
            TypedDict: self._typed_dict,
            dataclass: self._object,
            np.ndarray: self._array,
            np.random.Generator: self._generator,
        }

    def check_all_read(self) -> None:
        for name in self._tensors:
            raise UnreadableError(f"the tensor {name!r} belongs to nothing")

    def read(self, expected: Any, part: Any, place: str, limit: Limit = _FREE) -> Any:
        """A value of the expected type."""
        kind = _kind(expected)
        if kind is Union:
            options = get_args(expected)
            expected = next((option for option in options if _may_be(option, part)), options[0])
            kind = _kind(expected)
        if kind is Any:
            return self._plain(part, place)
        if not _may_be(expected, part):
            raise UnreadableError(f"{place} is not {_described(expected)}")
        return self._readers[kind](expected, part, place, limit)

    def read_fields(self, owner: type, hints: dict[str, Any], part: Any, place: str, optional: Any = ()) -> dict:
        """The named parts of an object, of which none may be absent or unknown."""
        if not isinstance(part, dict):
            raise UnreadableError(f"{place} is not {_described(owner)}")
        for name in sorted(part.keys() - hints.keys()):
            raise UnreadableError(f"{_joined(place, name)} is unknown")
        for name in sorted(hints.keys() - part.keys() - set(optional)):
            raise UnreadableError(f"{_joined(place, name)} is missing")
        return {
            name: self.read(hints[name], value, _joined(place, name), limit_of(owner, name))
            for name, value in part.items()
        }

    # --- by the kind of the expected type -----------------------------------------------------------------------------

    def _object(self, expected: Any, part: Any, place: str, limit: Limit) -> Any:
        cls: Any = _class_named(part["$object"], _stored(expected))
        inner = {name: value for name, value in part.items() if name != "$object"}
        values = self.read_fields(cls, _hints(cls), inner, place)
        try:
            value = cls(**values)
            return value.restored() if _stored(expected) is not expected else value
        except UnreadableError:
            raise
        except (ValueError, RuntimeError) as error:
            raise UnreadableError(f"{place} cannot be right: {clause(error)}") from None

    def _typed_dict(self, expected: Any, part: Any, place: str, limit: Limit) -> dict[str, Any]:
        return self.read_fields(expected, _hints(expected), part, place, expected.__optional_keys__)

    def _number(self, expected: Any, part: Any, place: str, limit: Limit) -> Any:
        value = self._scalar(part, place)
        if isinstance(value, np.generic) and value.dtype.kind not in _KINDS[expected]:
            raise UnreadableError(f"{place} is not {_described(expected)}")
        if isinstance(value, float | np.floating) and not math.isfinite(value):
            if not limit.may_be_nan:
                raise UnreadableError(f"{place} is {value}")
            return value
        usual = (0, _MAX_INTEGER) if expected is int else (-_MAX_FLOAT, _MAX_FLOAT)
        low, high = usual[0] if limit.low is None else limit.low, usual[1] if limit.high is None else limit.high
        if not low <= value <= high:
            raise UnreadableError(f"{place} is {_shown(value)}, but must be from {low:g} to {high:g}")
        if limit.size_of is not None:
            self._check_size(limit.size_of, value, place)
        return value

    def _scalar(self, part: Any, place: str) -> Any:
        """A number, a truth value or a text: of Python, or of NumPy."""
        if not isinstance(part, dict):
            return part
        if "$float" in part:
            return float(part["$float"])
        array = self._any_array(part["$scalar"], place)
        if array.shape != ():
            raise UnreadableError(f"{place} has shape {array.shape}, but is one number")
        return array[()]

    def _text(self, expected: Any, part: Any, place: str, limit: Limit) -> str:
        text = self._scalar(part, place)
        if limit.choices is not None and text not in limit.choices:
            raise UnreadableError(f"{place} is {_shown(text)}, but must be one of {', '.join(limit.choices)}")
        return text

    def _list(self, expected: Any, part: Any, place: str, limit: Limit) -> list[Any]:
        self._check_shape((len(part),), limit, place)
        (inner,) = get_args(expected)
        return [self.read(inner, value, f"{place}.{k}", limit.inside) for k, value in enumerate(part)]

    def _tuple(self, expected: Any, part: Any, place: str, limit: Limit) -> tuple[Any, ...]:
        parts, inner = part["$tuple"], get_args(expected)
        if inner[1:] == (...,):
            inner = inner[:1] * len(parts)
        if len(parts) != len(inner):
            raise UnreadableError(f"{place} has {len(parts)} values, but must have {len(inner)}")
        pairs = enumerate(zip(inner, parts, strict=True))
        return tuple(self.read(each, value, f"{place}.{k}", limit.inside) for k, (each, value) in pairs)

    def _dict(self, expected: Any, part: Any, place: str, limit: Limit) -> dict[str, Any]:
        _, inner = get_args(expected)
        if part.keys() != {"$dict"}:
            return {name: self.read(inner, value, _joined(place, name), limit.inside) for name, value in part.items()}
        names, values = self._sides(part["$dict"], place)
        texts = [self.read(str, name, f"{place}.names.{k}") for k, name in enumerate(names)]
        parts = [self.read(inner, value, f"{place}.{k}", limit.inside) for k, value in enumerate(values)]
        return dict(zip(texts, parts, strict=True))

    def _generator(self, expected: Any, part: Any, place: str, limit: Limit) -> np.random.Generator:
        bits: Any = np.random.PCG64()
        bits.state = self._typed_dict(Pcg64State, part["$generator"], place, limit)
        return np.random.Generator(bits)

    def _random_state(self, part: Any, place: str) -> np.random.RandomState:
        bits: Any = np.random.MT19937()
        bits.state = self._typed_dict(Mt19937State, part["$random_state"], place, _FREE)
        return np.random.RandomState(bits)

    # --- arrays -------------------------------------------------------------------------------------------------------

    def _array(self, expected: Any, part: Any, place: str, limit: Limit) -> np.ndarray:
        array = self._any_array(part, place)
        dtype = _dtype(expected)
        if dtype is not None and array.dtype != dtype:
            raise UnreadableError(f"{place} has values of type {array.dtype}, not {dtype}")
        self._check_shape(array.shape, limit, place)
        _check_values(array, limit, place)
        return array

    def _any_array(self, part: Any, place: str) -> np.ndarray:
        """An array of numbers, whose tensor has the name of its place, or of texts and mixed values."""
        if "$values" in part:
            return self._values(part, place)
        array = self._tensors.pop(place, None)
        if array is None or part != {"$array": place}:
            raise UnreadableError(f"{place} has no tensor")
        return array

    def _values(self, part: Any, place: str) -> np.ndarray:
        values, kind, shape = (part.get(name) for name in ("$values", "dtype", "shape"))
        sizes = shape if isinstance(shape, list) and all(type(size) is int and size >= 0 for size in shape) else [-1]
        if not isinstance(values, list) or kind not in ("O", "U", "T") or math.prod(sizes) != len(values):
            raise UnreadableError(f"{place} is not an array of texts")
        read = [self._plain_scalar(value, f"{place}.{k}") for k, value in enumerate(values)]
        if kind != "O" and not all(type(value) is str for value in read):
            raise UnreadableError(f"{place} holds other values than texts")
        width = max(map(len, read), default=0) if kind == "U" else 0
        if 4 * width * len(read) > 4 * self._length + 2**20:
            raise UnreadableError(f"{place} holds texts of very different lengths")
        dtype: Any = {"O": object, "U": f"U{max(width, 1)}", "T": np.dtypes.StringDType()}[kind]
        array = np.empty(len(read), dtype)
        array[:] = read
        return array.reshape(sizes)

    def _check_shape(self, shape: tuple[int, ...], limit: Limit, place: str) -> None:
        if limit.axes is None:
            return
        if len(shape) != len(limit.axes):
            raise UnreadableError(f"{place} has {len(shape)} axes, but must have {len(limit.axes)}")
        for size, axis in zip(shape, limit.axes, strict=True):
            self._check_size(axis, size, place)

    def _check_size(self, axis: str | int, size: int, place: str) -> None:
        """The first value that has an axis decides its size."""
        known = axis if isinstance(axis, int) else self._sizes.setdefault(axis, size)
        if axis == "features" and size > _MAX_FEATURES + self._length:
            raise UnreadableError(f"{place} is {size}, too many columns for a file of this length")
        if size != known:
            name = "an axis" if isinstance(axis, int) else f"the axis {axis!r}"
            raise UnreadableError(f"{place} has {size} values along {name}, but must have {known}")

    # --- parameters, which may be anything plain ----------------------------------------------------------------------

    def _plain(self, part: Any, place: str, depth: int = 0) -> Any:
        if depth > _MAX_DEPTH:
            raise UnreadableError(f"{place} is nested too deeply")
        if isinstance(part, list):
            return [self._plain(value, f"{place}.{k}", depth + 1) for k, value in enumerate(part)]
        if not isinstance(part, dict) or part.keys() in ({"$float"}, {"$scalar"}):
            return self._plain_scalar(part, place)
        if "$array" in part or "$values" in part:
            return self._array(np.ndarray, part, place, _PARAMETER)
        if part.keys() == {"$tuple"} and isinstance(part["$tuple"], list):
            return tuple(self._plain(part["$tuple"], place, depth))
        if part.keys() == {"$dict"}:
            return self._any_dict(part["$dict"], place, depth)
        if part.keys() == {"$random_state"}:
            return self._random_state(part, place)
        return {_name(name, place): self._plain(value, _joined(place, name), depth + 1) for name, value in part.items()}

    def _plain_scalar(self, part: Any, place: str) -> Any:
        if part is not None and not any(_is_scalar(kind, part) for kind in (bool, int, float, str)):
            raise UnreadableError(f"{place} is not a plain value")
        value = None if part is None else self._scalar(part, place)
        if type(value) is int and abs(value) >= 2**64:
            raise UnreadableError(f"{place} is {_shown(value)}, too large an integer")
        return value

    def _any_dict(self, part: Any, place: str, depth: int) -> dict[Any, Any]:
        names, values = self._sides(part, place)
        keys = [self._plain_scalar(name, f"{place}.names.{k}") for k, name in enumerate(names)]
        return dict(zip(keys, self._plain(values, place, depth), strict=True))

    def _sides(self, part: Any, place: str) -> tuple[list[Any], list[Any]]:
        """The names and the values of a dictionary that JSON cannot hold as one."""
        names, values = part if isinstance(part, list) and len(part) == 2 else (None, None)
        if not isinstance(names, list) or not isinstance(values, list) or len(names) != len(values):
            raise UnreadableError(f"{place} is not a dictionary")
        return names, values


# --- types ------------------------------------------------------------------------------------------------------------


@lru_cache
def _kind(expected: Any) -> Any:
    """What decides how a type is read: Union, TypedDict, dataclass, or the type without its arguments."""
    if is_dataclass(_stored(expected)):
        return dataclass
    if is_typeddict(expected):
        return TypedDict
    origin = get_origin(expected)
    return Union if origin is UnionType else origin or expected


def _may_be(expected: Any, part: Any) -> bool:
    """Whether a part of the description has the form of this type."""
    kind = _kind(expected)
    if kind in (bool, int, float, str):
        return _is_scalar(kind, part)
    if kind is NoneType:
        return part is None
    if kind is list:
        return isinstance(part, list)
    if not isinstance(part, dict):
        return kind is Any
    tags = part.keys()
    if kind is tuple:
        return tags == {"$tuple"} and isinstance(part["$tuple"], list)
    if kind is np.ndarray:
        return tags == {"$array"} or tags == {"$values", "dtype", "shape"}
    if kind is np.random.Generator:
        return tags == {"$generator"}
    if kind is dataclass:
        return "$object" in tags and _class_named(part["$object"], _stored(expected)) is not None
    return kind is Any or (kind is dict and tags == {"$dict"}) or not any(name.startswith("$") for name in tags)


def _is_scalar(kind: type, part: Any) -> bool:
    if type(part) is dict:
        is_float = part.keys() == {"$float"} and part["$float"] in ("nan", "inf", "-inf")
        return (kind is float and is_float) or (kind is not str and _is_tensor_of_scalar(part))
    return type(part) is kind or (kind is float and type(part) is int)


def _is_tensor_of_scalar(part: dict[str, Any]) -> bool:
    return part.keys() == {"$scalar"} and isinstance(part["$scalar"], dict) and part["$scalar"].keys() == {"$array"}


def _stored(expected: Any) -> Any:
    """The dataclass that stands for a class in files."""
    return getattr(expected, "stored_as", expected)


def _class_named(name: Any, expected: type) -> type | None:
    """The expected class or a subclass of it, by its name."""
    known = [expected, *expected.__subclasses__()]
    return next((cls for cls in known if cls.__name__ == name and not getattr(cls, "__abstractmethods__", None)), None)


@lru_cache
def _hints(cls: type) -> dict[str, Any]:
    """The types of the fields of a dataclass, or of the entries of a TypedDict."""
    hints = get_type_hints(cls, localns={"ValidationScores": ValidationScores})  # whose import would be circular
    names = [field.name for field in fields(cls)] if is_dataclass(cls) else list(hints)
    return {name: TYPES.get(f"{cls.__name__}.{name}", hints[name]) for name in names}


@lru_cache
def _dtype(expected: Any) -> np.dtype | None:
    """The dtype of an annotation NDArray[...]; None if it says nothing."""
    arguments = get_args(expected)
    kind = get_args(arguments[1])[0] if arguments and get_args(arguments[1]) else None
    return np.dtype(kind) if isinstance(kind, type) and kind is not np.generic else None


# --- messages ---------------------------------------------------------------------------------------------------------


def _check_values(array: np.ndarray, limit: Limit, place: str) -> None:
    """Whether all numbers of an array are within limits, in as little memory as possible."""
    if array.dtype == bool and array.size and array.view(np.uint8).max() > 1:
        raise UnreadableError(f"{place} holds other values than true and false")
    if array.dtype.kind not in "fiu" or not array.size:
        return
    low, high = array.min(), array.max()  # NaN, if one of them is
    if array.dtype.kind == "f" and not limit.may_be_nan and not (np.isfinite(low) and np.isfinite(high)):
        raise UnreadableError(f"{place} contains NaN or infinity")
    if (limit.low is not None and low < limit.low) or (limit.high is not None and high > limit.high):
        worst = low if limit.low is not None and low < limit.low else high
        raise UnreadableError(f"{place} contains {_shown(worst)}, but must be {_range(limit.low, limit.high)}")


def _range(low: float | None, high: float | None) -> str:
    if high is None:
        return f"at least {low:g}"
    return f"at most {high:g}" if low is None else f"from {low:g} to {high:g}"


def _described(expected: Any) -> str:
    names = {NoneType: "empty", bool: "true or false", int: "an integer", float: "a number", str: "a text"}
    kind = get_origin(expected) or expected
    if kind is np.ndarray:
        return "an array"
    return names.get(kind) or f"a {getattr(kind, '__name__', kind)}"


def _shown(value: Any) -> str:
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= 40 else f"{text[:40]}..."


def _joined(place: str, name: str) -> str:
    shown = name if name.isprintable() and len(name) <= 60 else _shown(name)
    return f"{place}.{shown}" if place else shown


def _name(name: str, place: str) -> str:
    if name.startswith("$"):
        raise UnreadableError(f"{_joined(place, name)} is unknown")
    return name


def clause(error: Exception) -> str:
    """The message of an error as a part of a sentence."""
    return str(error).strip().split("\n")[0].rstrip(".")[:200]
