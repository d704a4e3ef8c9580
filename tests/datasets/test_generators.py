"""Two moons and two spirals."""

import numpy as np
import pytest

from ldnn.datasets import make_two_moons, make_two_spirals


def test_two_moons_are_half_rings():
    X, y = make_two_moons(4001, random_state=0)
    assert X.shape == (4001, 2)
    assert np.bincount(y).tolist() == [2000, 2001]
    top, bottom = X[y == 1], X[y == 0] - [1.0, 0.7]
    for ring, sign in ((top, 1), (bottom, -1)):
        radius = np.linalg.norm(ring, axis=1)
        assert 0.65 <= radius.min() < 0.66
        assert 1.34 < radius.max() <= 1.35
        assert (sign * ring[:, 1] >= -1e-12).all()


def test_two_moons_parameters_and_seeds():
    X, y = make_two_moons(100, radius=2, width=0.1, separation=3, random_state=1)
    assert np.abs(np.linalg.norm(X[y == 0] - [2, -3], axis=1) - 2).max() <= 0.05
    np.testing.assert_array_equal(X, make_two_moons(100, radius=2, width=0.1, separation=3, random_state=1)[0])


def test_two_spirals_are_the_classical_points():
    X, y = make_two_spirals()
    assert X.shape == (194, 2)
    first = X[y == 1]
    np.testing.assert_allclose(first[0], [0, 6.5])
    np.testing.assert_allclose(first[1], [1.25589, 6.31381], atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(first[-1]), 0.5)
    np.testing.assert_array_equal(X[y == 0], -first)
    assert make_two_spirals(50)[0].shape == (100, 2)
    assert np.linalg.norm(make_two_spirals(50)[0][49]) == pytest.approx(0.5)
