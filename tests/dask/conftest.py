"""Clusters that are started once for all tests of this folder."""

import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

import ldnn.dask.cluster_fit
import ldnn.dask.schedule


@pytest.fixture(scope="session")
def client():
    """Two workers with one thread each; within this process, which starts fast, but tasks travel as bytes."""
    with (
        LocalCluster(
            n_workers=2, processes=False, threads_per_worker=1, dashboard_address=None, protocol="tcp://"
        ) as cluster,
        Client(cluster) as connected,
    ):
        yield connected


@pytest.fixture(scope="module")
def processes():
    """Two workers that are processes."""
    with (
        LocalCluster(n_workers=2, processes=True, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster, set_as_default=False) as connected,
    ):
        yield connected


@pytest.fixture
def in_rounds(monkeypatch):
    """Samples of 400 rows and lanes of at least 600, so that small tables are trained in rounds, on several lanes."""
    monkeypatch.setattr(ldnn.dask.cluster_fit, "SAMPLE_ROWS", 400)
    monkeypatch.setattr(ldnn.dask.schedule, "ROWS_OF_LANE", 600)


@pytest.fixture(scope="session")
def table():
    """2,000 rows: three columns of numbers, one with missing values, a column of text; labels are text."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(2000, 3)), columns=["a", "b", "c"])
    frame["colour"] = random.choice(["red", "green", "blue"], 2000)
    is_yes = frame["a"] ** 2 + frame["b"] + (frame["colour"] == "red") > 1
    frame["y"] = np.where(is_yes, "yes", "no")
    frame.loc[::9, "c"] = np.nan
    return frame
