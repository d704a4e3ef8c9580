import numpy as np

from ldnn.explore.packing import PackedArrays

ARRAYS = [
    np.array([1, -3, 127]),
    np.array([1.0, 1000.0]),
    np.array([1e6, -5]),
    np.array([0.5, np.nan]),
    np.array([0.1, 1e300]),
    np.array([-0.0, 1.0]),
    np.empty(0),
    np.arange(6, dtype=np.float32).reshape(2, 3) / 7,
]


def test_the_smallest_exact_type_is_used():
    packed = PackedArrays()
    assert [packed.add(array)["type"] for array in ARRAYS] == ["i1", "i2", "i4", "f4", "f8", "f4", "i1", "f4"]


def test_the_page_reads_the_same_numbers(scripts):
    packed = PackedArrays()
    places = [packed.add(array) for array in ARRAYS]
    found = scripts.evaluate(
        "async ([text, places]) => { const array = await ldnn.unpack(text);"
        " return places.map(place => Array.from(array(place), String)); }",
        [packed.text(), places],
    )
    for one, array in zip(found, ARRAYS, strict=True):
        np.testing.assert_array_equal(np.array([float(text) for text in one]), array.ravel().astype(np.float64))
