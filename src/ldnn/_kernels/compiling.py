"""How the kernels are compiled: when first called, and then kept on disk for later processes."""

from collections.abc import Callable
from typing import Any

from numba import njit

# Not full fast-math: that assumes that NaN and infinity never occur, and they are how divergence is noticed.
# Nor may sums be reordered: for a handful of terms the vectorised sum is slower, and compiles much longer.
OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True, "fastmath": {"contract", "nsz", "arcp"}}

# Helpers are called by kernels only, so nothing is compiled that would let Python or C call them.
_INNER: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_OUTER: dict[str, Any] = {"cache": True, "no_cfunc_wrapper": True}
helper = njit(**OPTIONS, **_INNER)
small_helper = njit(inline="always", **OPTIONS, **_INNER)  # so small that compiling it apart costs more than copying it


def kernel(function: Callable) -> Any:
    """A function that Python calls. Where the disk is full or cannot be written to, every process compiles anew."""
    try:
        compiled = njit(**OPTIONS, **_OUTER)(function)
    except (OSError, RuntimeError):  # Numba has found no folder for its cache
        return njit(**OPTIONS)(function)
    save = compiled._cache.save_overload

    def save_if_possible(*overload: Any) -> None:
        try:
            save(*overload)
        except OSError:
            return

    compiled._cache.save_overload = save_if_possible
    return compiled


@small_helper
def copy_front(to, values, count):
    """to[:count] = values[:count], without the seconds that Numba takes to compile the text of an error of shapes."""
    for i in range(count):
        to[i] = values[i]
