"""Rules by column generation (aix360), in an interpreter of its own: aix360 needs older versions of scikit-learn.

    python aix360_rules.py KIND ROWS.npz

KIND is BooleanRuleCG or LogisticRuleRegression. The file has X (n, F) of numbers and y (n,) of zeros and ones. On
standard output is JSON: processor seconds, and models from few to many conditions. A model has an intercept and rules,
each with its weight and its conditions [column, "<=" or ">", limit]; a row is of class 1 where the sum is positive.
"""

import json
import sys
import time
import warnings
from typing import Any

import numpy as np

PENALTIES = (0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002)  # of a rule; those of conditions are below
_SHARE = {"BooleanRuleCG": 1.0, "LogisticRuleRegression": 0.2}  # of the penalty of a rule, for each condition
_MOST = 60  # conditions, from which further models would be too long
_ROUNDS = {"BooleanRuleCG": 15, "LogisticRuleRegression": 30}  # of column generation
_SECONDS = 60


def fitted_models(kind: str, X: np.ndarray, y: np.ndarray) -> list[dict[str, Any]]:
    """A model for each penalty, until they are longer than needed."""
    import pandas as pd
    from aix360.algorithms.rbm import BooleanRuleCG, FeatureBinarizer, LogisticRuleRegression

    table = pd.DataFrame(X, columns=[str(k) for k in range(X.shape[1])])
    binary = FeatureBinarizer(negations=True).fit_transform(table)
    models = []
    for penalty in PENALTIES:
        shared = {"lambda0": penalty, "lambda1": penalty * _SHARE[kind], "iterMax": _ROUNDS[kind]}
        if kind == "BooleanRuleCG":
            model = BooleanRuleCG(**shared, timeMax=_SECONDS, silent=True)
            model.fit(binary, y)
            rules = model.z.loc[:, np.asarray(model.w) > 0.5]
            weights, intercept = np.ones(rules.shape[1]), -0.5
        else:
            model = LogisticRuleRegression(**shared)
            model.fit(binary, y)
            weights, intercept = model.lr.coef_[0], float(model.lr.intercept_[0])
            rules = model.z
            if len(weights) > rules.shape[1]:
                raise ValueError("there are weights of single columns")
        found: list[dict[str, Any]] = []
        rest = intercept
        for name, weight in zip(rules.columns, weights):  # noqa: B905
            conditions = [_condition(key, X) for key in rules.index[rules[name] > 0]]
            if conditions and weight != 0:
                found.append({"weight": float(weight), "conditions": conditions})
            elif not conditions:
                rest += float(weight)
        models.append({"intercept": rest, "rules": found})
        if sum(len(rule["conditions"]) for rule in found) > _MOST:
            break
    return models


def _condition(key: tuple[str, str, Any], X: np.ndarray) -> list[Any]:
    """Of a column with two values, conditions are that it is one of them, or not."""
    name, sign, limit = key
    column = int(name)
    if sign in ("==", "!="):
        values = X[:, column]
        is_upper = (float(limit) == values.max()) == (sign == "==")
        return [column, ">" if is_upper else "<=", float(values.min() + values.max()) / 2]
    if sign not in ("<=", ">"):
        raise ValueError(f"a condition with {sign}")
    return [column, sign, float(limit)]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    rows = np.load(sys.argv[2])
    found = fitted_models(sys.argv[1], rows["X"], rows["y"])
    print(json.dumps({"seconds": time.process_time(), "models": found}))
