"""Arrays as the kernels like them: whole vectors, at the beginning of cache lines and pages."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldnn._model.memory import aligned_arrays, aligned_copy, aligned_zeros, padded


@given(st.integers(1, 5000))
def test_padded_widths_are_whole_vectors_that_do_not_share_cache_sets(width):
    assert padded(width) % 8 == 0
    assert padded(width) % 128 != 0
    assert 0 <= padded(width) - width < 8 + 16


@given(st.lists(st.integers(0, 100), min_size=1, max_size=6))
def test_arrays_begin_on_cache_lines_and_do_not_overlap(widths):
    arrays = list(aligned_arrays(widths))
    assert [array.shape for array in arrays] == [(width,) for width in widths]
    assert all(array.ctypes.data % 64 == 0 and array.dtype == np.float32 for array in arrays if array.size)
    for number, array in enumerate(arrays):
        array[:] = number
    for number, array in enumerate(arrays):
        assert (array == number).all()


@pytest.mark.parametrize("shape", [(1, 3, 8), (4, 33, 24), (3, 64, 16)])
def test_each_part_begins_on_a_page_and_ends_one_before_the_next(shape):
    zeros = aligned_zeros(shape)
    assert (zeros.shape, zeros.dtype) == (shape, np.float32)
    assert not zeros.any()
    assert all(part.ctypes.data % 4096 == 0 and part.flags.c_contiguous for part in zeros)
    if shape[0] > 1:
        assert zeros.strides[0] >= 4 * shape[1] * shape[2] + 4096


def test_a_copy_is_aligned_and_independent(random):
    array = random.standard_normal((3, 5, 8)).astype(np.float32)[:, ::-1]
    copy = aligned_copy(array)
    np.testing.assert_array_equal(copy, array)
    assert all(part.ctypes.data % 4096 == 0 and part.flags.c_contiguous for part in copy)
    copy[:] = 0
    assert array.any()
