import numpy as np
import pandas as pd
import pytest

from ldnn.comparison import compare


@pytest.fixture(scope="session")
def mixed_table():
    """Numbers, text and missing values; three classes."""
    random = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 40)
    X = pd.DataFrame(
        random.standard_normal((120, 3)) + 2 * np.eye(3)[np.repeat([0, 1, 2], 40)], columns=["u", "v", "w"]
    )
    X["city"] = random.choice(["Oslo", "Rome", None], 120)
    X.loc[::11, "v"] = np.nan
    return X, y


@pytest.fixture(scope="session")
def comparison(mixed_table):
    return compare(*mixed_table, folds=3, names=["LDNN", "Mod-N", "SVM"])
