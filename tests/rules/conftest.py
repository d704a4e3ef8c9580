import numpy as np
import pandas as pd
import pytest

from ldnn import LDNNClassifier


@pytest.fixture(scope="session")
def bank():
    """A table with a rule in it: over 40 in Rome, or rich."""
    random = np.random.default_rng(0)
    n = 3000
    X = pd.DataFrame(
        {
            "age": random.integers(18, 80, n).astype(float),
            "city": random.choice(["Lima", "Oslo", "Rome"], n),
            "income": random.gamma(2, 20, n).round(1),
            "noise": random.standard_normal(n),
        }
    )
    y = np.where(((X["city"] == "Rome") & (X["age"] > 40)) | (X["income"] > 90), "pays", "does not")
    return (
        X,
        y,
        LDNNClassifier(4, 4, discriminant="piecewise-tree", n_estimators=3, max_epochs=12, random_state=0).fit(X, y),
    )
