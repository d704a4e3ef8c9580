"""Models that differ in what they are made of, with the rows they are fitted to."""

import numpy as np
import pandas as pd
from networks import on_components, plain, scaled_by_importance, with_linear_members, with_selected_columns

from ldnn import LDNNClassifier, ModularNetworkClassifier


def table(random, n=300):
    """Every kind of column: numbers, text, truth, mixed objects, rare values, missing ones."""
    frame = pd.DataFrame(
        {
            "age": random.uniform(18, 80, n),
            "city": random.choice(["Oslo", "Rome", "Lima"], n),
            "member": random.random(n) < 0.5,
            "rare": (random.random(n) < 0.03) * 7.0,
            "mixed": random.choice(np.array(["a", True, 2], dtype=object), n),
        }
    )
    frame.loc[random.random(n) < 0.1, "age"] = np.nan
    frame.loc[random.random(n) < 0.1, "city"] = None
    return frame, ((frame["city"] == "Rome") & (frame["age"] > 40)).to_numpy()


def models(random):
    """Configurations that differ in what they keep, with the rows they were fitted to."""
    X, y = table(random)
    numbers = random.standard_normal((200, 3))
    codes = random.integers(3, size=200)
    several = np.array(["one", "two", "three"])[codes]
    quick = {"max_epochs": 3, "validation_fraction": 0.1, "random_state": 0}
    weights = {np.int64(0): 1.0, 1: np.float32(2), 2: 1}
    piecewise = {"discriminant": "piecewise", **quick}
    yield "auto", LDNNClassifier(random_state=np.random.RandomState(5), effort=0.1), X, y
    yield "linear members", with_linear_members(LDNNClassifier(2, 3, n_estimators=3, **piecewise), 1), X, y
    yield "conic", LDNNClassifier(2, 2, discriminant="conic", **quick), numbers, codes == 1
    yield "classes", LDNNClassifier(2, 2, discriminant="piecewise-tree", momentum=0.5, **quick), numbers, several
    yield "selected columns", with_selected_columns(LDNNClassifier(2, 2, **piecewise), 2), X, y
    yield "scaled by importance", scaled_by_importance(LDNNClassifier(2, 2, **piecewise)), X, y
    directions = {"age": 1, "rare": -1}
    yield "monotone", LDNNClassifier(2, 3, n_estimators=2, monotonic_cst=directions, **piecewise), X, y
    yield "objects", LDNNClassifier(2, 2, **quick), numbers, several.astype(object)
    yield "whiten", plain(2, 2, normalize="whiten", class_weight=weights), numbers, codes
    yield "common", plain(2, 2, normalize="common"), numbers * [1, 2, 3], codes
    yield "components", on_components(plain(2, 2, n_estimators=2, momentum=0.5), 2), numbers, several
    yield "components beside categories", on_components(plain(2, 2), 1), X, y
    yield "centroids", plain(2, 2, init=(numbers[:2], numbers[2:4].tolist()), n_jobs=np.int64(1)), numbers, codes > 0
    categories = {"validation_fraction": 0, "categorical_features": np.array([0])}
    yield "categories", plain(np.int64(2), 2, **categories), np.round(numbers), codes
    yield "rules", plain(2, 2, init="rules", categorical_features=["city", "member", "mixed"]), X, y
    yield "modular", ModularNetworkClassifier(3, 2, n_init=2, **quick), X, y
    yield "modular classes", ModularNetworkClassifier(3, 2, n_init=2, **quick), numbers.astype(np.float32), codes * 2.0


NAMES = [name for name, *_ in models(np.random.default_rng(0))]
