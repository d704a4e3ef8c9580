import os

# scikit-learn skips its array-API check without this, and it must be set before SciPy is imported.
os.environ["SCIPY_ARRAY_API"] = "1"

import numpy as np
import pytest
from hypothesis import settings

from ldnn.datasets import make_two_moons

settings.register_profile("default", deadline=None, max_examples=50, derandomize=True)
settings.load_profile("default")


@pytest.fixture(scope="session")
def moons():
    return make_two_moons(600, random_state=0)


@pytest.fixture(scope="session")
def blobs():
    """Three classes in four columns of very different units."""
    random = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 60)
    X = random.standard_normal((180, 4)) + 2.0 * np.eye(3, 4)[np.searchsorted(["a", "b", "c"], y)]
    return X * [1, 100, 0.01, 5] + [0, 2000, 3, -7], y


@pytest.fixture
def random():
    return np.random.default_rng(0)
