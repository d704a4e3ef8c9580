import numpy as np
import pytest

from ldnn import datasets
from reproduction.moons import bayes_error


@pytest.mark.parametrize("width", [0.7, 0.6])
def test_the_bayes_error_is_that_of_a_large_sample(width):
    """A histogram of many points, counted on half of them and tested on the other half, comes near to it from above."""
    X, y = datasets.make_two_moons(2_000_000, width=width, random_state=0)
    cells = np.floor((X + 2) / 0.02).astype(int)
    place = cells[:, 0] * 1000 + cells[:, 1]
    balance = np.bincount(place[::2], 2.0 * y[::2] - 1, minlength=place.max() + 1)
    error = 100 * np.mean((balance[place[1::2]] > 0) != y[1::2])
    assert bayes_error(width) - 0.05 <= error <= bayes_error(width) + 0.25
