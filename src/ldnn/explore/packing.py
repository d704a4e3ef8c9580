"""Arrays in a page: compressed together, as text."""

import zlib
from base64 import b64encode
from typing import Any

import numpy as np
from numpy.typing import NDArray

_TYPES = ("i1", "i2", "i4", "f4", "f8")  # from small to large: the first that holds all values exactly is used


class PackedArrays:
    """Arrays that become one text; `add` returns where a script finds them again (`unpack.js`)."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._length = 0

    def add(self, array: NDArray) -> dict[str, Any]:
        """Store an array of numbers exactly, in the smallest type that can hold them."""
        array = np.ascontiguousarray(array)
        kind = next(kind for kind in _TYPES if _holds(array, kind))
        stored = array.astype(f"<{kind}")
        # All first bytes, then all second ones, ...: signs and exponents are alike, so they are compressed well.
        content = stored.reshape(-1).view(np.uint8).reshape(stored.size, stored.itemsize).T.tobytes()
        found = {"type": kind, "at": self._length, "length": stored.size}
        self._parts.append(content)
        self._length += len(content)
        return found

    def text(self) -> str:
        return b64encode(zlib.compress(b"".join(self._parts), 9)).decode()


def packed_size(array: NDArray) -> float:
    """About how many characters an array of whole numbers takes in the text."""
    planes = np.ascontiguousarray(array.reshape(-1), dtype="<i4").view(np.uint8).reshape(-1, 4)
    return len(zlib.compress(planes.T.tobytes(), 6)) * 4 / 3


def _holds(array: NDArray, kind: str) -> bool:
    if kind.startswith("i"):
        limits = np.iinfo(kind)
        with np.errstate(invalid="ignore"):
            is_whole = np.isfinite(array).all() and (array == np.round(array)).all()
        if not is_whole or np.signbit(array[array == 0]).any():
            return False
        return bool(array.size == 0 or (array.min() >= limits.min and array.max() <= limits.max))
    with np.errstate(over="ignore"):
        return bool(np.array_equal(array.astype(kind).astype(np.float64), array.astype(np.float64), equal_nan=True))
