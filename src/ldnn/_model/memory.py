"""Arrays in the layout that the kernels like: padded to whole vectors, aligned to cache lines and pages."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from .._kernels.simd import whole_vectors

_LINE = 16  # float32 numbers in 64 bytes
_PAGE = 1024  # float32 numbers in 4 KiB
_SAME_SETS = 128  # float32 numbers: an eighth of the distance at which two addresses share a cache set


def padded(width: int) -> int:
    """In whole vectors, plus a cache line where rows of that width would share few cache sets and evict each other."""
    columns = whole_vectors(width)
    return columns if columns % _SAME_SETS else columns + _LINE


def aligned_arrays(widths: Sequence[int]) -> Iterator[NDArray[np.float32]]:
    """Float32 arrays that begin on cache lines, so that no vector of eight straddles two of them.

    They are parts of one allocation with space at both ends, away from what other threads write.
    """
    lengths = [-(-width // _LINE) * _LINE for width in widths]
    memory = np.empty(sum(lengths) + 2 * _PAGE, np.float32)
    start = (-memory.ctypes.data % (4 * _PAGE)) // 4
    for width, length in zip(widths, lengths, strict=True):
        yield memory[start : start + width]
        start += length


def aligned_zeros(shape: tuple[int, int, int]) -> NDArray[np.float32]:
    """Float32 zeros (C, ...) for C threads: each of the C parts starts on a page and ends a page before the next.

    So no vector of eight straddles two cache lines, and no core prefetches what another one is writing.
    """
    size = shape[1] * shape[2]
    pages = -(-size // _PAGE) + 1
    memory = np.zeros((shape[0] * pages + 1) * _PAGE, dtype=np.float32)
    start = (-memory.ctypes.data % (4 * _PAGE)) // 4
    parts = memory[start : start + shape[0] * pages * _PAGE].reshape(shape[0], pages * _PAGE)
    return parts[:, :size].reshape(shape)


def aligned_copy(array: NDArray[np.float32]) -> NDArray[np.float32]:
    """A copy of an array (C, ..., ...) in memory like that of `aligned_zeros`."""
    copy = aligned_zeros(array.shape)
    copy[:] = array
    return copy
