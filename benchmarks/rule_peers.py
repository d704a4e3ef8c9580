"""Weighted and bagged rules (imodels) with a limit on the number of conditions, and two ceilings without a limit."""

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd

from .rule_learners import NumbersOnly

_LEAST_WEIGHT = 1e-10  # of a rule of RuleFit that counts
_ONE_CONDITION = re.compile(r"X(\d+) *(<=|>=|<|>) *([-+.\deE]+)")


class RuleFit(NumbersOnly):
    """A linear model of the paths of boosted trees and of columns: a path has as many conditions as limits, a column of
    the linear part counts as one. The number of rules is reduced until they have no more conditions than allowed. Few
    rules with L1-penalized weights hardly leave the class frequencies, so the probability from which a row is of the
    second class is the one that suits the training rows best.
    """

    def __init__(self, budget: int, seed: int):
        self.budget, self.seed = budget, seed
        super().__init__(None)

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> "RuleFit":
        from imodels import RuleFitClassifier

        n_rules = max(1, self.budget // 2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            while True:
                self.model = RuleFitClassifier(max_rules=n_rules, cv=False, random_state=self.seed)
                super().fit(X, y)
                if self.n_conditions <= self.budget or n_rules == 1:
                    break
                n_rules = max(1, min(n_rules - 1, n_rules * self.budget // self.n_conditions))

        own = super().predict_proba(X)[:, 1]
        limits = np.unique(np.quantile(own, np.linspace(0.01, 0.99, 99)))
        self.limit = limits[np.argmax([np.mean((own >= limit) == y) for limit in limits])]
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        own = super().predict_proba(X)[:, 1]
        below = own * 0.5 / max(self.limit, 1e-9)
        own = np.where(own < self.limit, below, 1 - (1 - own) * 0.5 / max(1 - self.limit, 1e-9) + 1e-9)
        return np.column_stack([1 - own, own])

    @property
    def _used(self) -> list[str]:
        """The names of columns, one for each condition."""
        found = self.model._get_rules()
        texts = found.loc[found["coef"].abs() > _LEAST_WEIGHT, "rule"].astype(str)
        return [name for text in texts for name in re.findall(r"X_?\d+", text)]

    @property
    def n_conditions(self) -> int:
        return len(self._used)

    @property
    def columns(self) -> set[str]:
        return {self.names[int(re.sub(r"\D", "", name))] for name in self._used}


class SkopeRules(NumbersOnly):
    """Precise paths of bagged trees, for the rarer class: a row is of that class where any of them holds. The first
    rules in its own order are kept, as many as classify the training rows best within the number of conditions.
    """

    def __init__(self, budget: int, seed: int):
        from imodels import SkopeRulesClassifier

        self.budget = budget
        super().__init__(SkopeRulesClassifier(n_estimators=30, random_state=seed))

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> "SkopeRules":
        self.positive = int(np.bincount(y).argmin())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            super().fit(X, (y == self.positive).astype(int))
        self.rules: list[list[tuple[str, ...]]] = []
        numbers, kept, best = self._numbers(X).to_numpy(), [], np.mean(y != self.positive)
        for rule in self.model.rules_:
            kept.append(_ONE_CONDITION.findall(str(rule)))
            if sum(map(len, kept)) > self.budget:
                break
            accuracy = np.mean((_n_held(kept, numbers) > 0) == (y == self.positive))
            if accuracy > best:
                best, self.rules = accuracy, list(kept)
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        held = _n_held(self.rules, self._numbers(X).reindex(columns=self.names, fill_value=0).to_numpy())
        own = np.where(held > 0, 0.6 + 0.3 * held / max(1, len(self.rules)), 0.1)
        return np.column_stack([own, 1 - own] if self.positive == 0 else [1 - own, own])

    @property
    def n_conditions(self) -> int:
        return sum(map(len, self.rules))

    @property
    def columns(self) -> set[str]:
        return {self.names[int(column)] for rule in self.rules for column, _, _ in rule}


def _n_held(rules: list[list[tuple[str, ...]]], numbers: np.ndarray) -> np.ndarray:
    """How many rules hold in each row (n,)."""
    held = np.zeros(len(numbers), dtype=int)
    for rule in rules:
        holds = np.ones(len(numbers), dtype=bool)
        for column, sign, limit in rule:
            values, end = numbers[:, int(column)], float(limit)
            holds &= values <= end if sign.startswith("<") else values > end
        held += holds
    return held


class BoostedRules(NumbersOnly):
    """AdaBoost of single conditions."""

    def __init__(self, budget: int, seed: int):
        from imodels import BoostedRulesClassifier

        super().__init__(BoostedRulesClassifier(n_estimators=budget, random_state=seed))

    @property
    def _used(self) -> list[int]:
        return [f for tree in self.model.estimators_ for f in tree.tree_.feature if f >= 0]

    @property
    def n_conditions(self) -> int:
        return len(self._used)

    @property
    def columns(self) -> set[str]:
        return {self.names[f] for f in self._used}


class Ceiling(NumbersOnly):
    """A classifier that has no conditions to count."""

    n_conditions = 0
    columns: set[str] = set()


def lightgbm(budget: int, seed: int) -> Any:
    """LightGBM with its defaults."""
    from lightgbm import LGBMClassifier

    return Ceiling(LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1))


def ebm(budget: int, seed: int) -> Any:
    """An explainable boosting machine; bags of rows are fewer than its default, for the time that they take."""
    from interpret.glassbox import ExplainableBoostingClassifier

    return Ceiling(ExplainableBoostingClassifier(outer_bags=2, random_state=seed, n_jobs=1))
