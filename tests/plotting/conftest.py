import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from networks import plain

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="session")
def moons_model(moons):
    """A plain network with its table and labels; not to be changed."""
    X, y = moons
    table = pd.DataFrame(X, columns=["left", "up"])
    return plain(3, 2, validation_fraction=0.1).fit(table, y), table, y


@pytest.fixture(scope="session")
def points_of():
    """A function that gives the points of a plane as a table of its two columns."""

    def points(plane):
        across, along = np.meshgrid(plane.x, plane.y)
        return pd.DataFrame({plane.names[0]: across.ravel(), plane.names[1]: along.ravel()})

    return points
