"""Interpretable classifiers with a limit on the number of conditions, behind one interface."""

import warnings
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from ldnn import RuleClassifier


@lru_cache
def _compile() -> None:
    """The first fit of a process loads or compiles the kernels."""
    X = np.random.default_rng(0).normal(size=(40, 2))
    RuleClassifier(2).fit(X, X[:, 0] > 0)


class ReadableRules:
    """RuleClassifier, on the table as it is."""

    def __init__(self, budget: int, seed: int):
        _compile()
        self.model = RuleClassifier(budget, random_state=seed, n_jobs=1)

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> "ReadableRules":
        self.model.fit(X, y)
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        return self.model.predict_proba(X)

    @property
    def n_conditions(self) -> int:
        return self.model.n_conditions_

    @property
    def columns(self) -> set[str]:
        state = self.model._state
        return {state.schema.names[k] for rule in state.rules for c in rule.conditions for k in c.columns}


class NumbersOnly:
    """A classifier of numbers: categories become indicators, missing values the median."""

    def __init__(self, model: Any):
        self.model = model

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> "NumbersOnly":
        self.medians = X.median(numeric_only=True)
        numbers = self._numbers(X)
        self.names = list(numbers.columns)
        self.model.fit(numbers.to_numpy(), y)
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        return self.model.predict_proba(self._numbers(X).reindex(columns=self.names, fill_value=0).to_numpy())

    def _numbers(self, X: pd.DataFrame) -> pd.DataFrame:
        return pd.get_dummies(X.fillna(self.medians), dtype=float).astype(float).fillna(0.0)  # columns without values


class Cart(NumbersOnly):
    """A decision tree grown best first; its conditions are its splits."""

    def __init__(self, budget: int, seed: int):
        super().__init__(DecisionTreeClassifier(max_leaf_nodes=budget + 1, random_state=seed))

    @property
    def n_conditions(self) -> int:
        return int(self.model.get_n_leaves()) - 1

    @property
    def columns(self) -> set[str]:
        return {self.names[f] for f in self.model.tree_.feature if f >= 0}


class Figs(NumbersOnly):
    """Sums of trees; its conditions are the splits of all of them."""

    def __init__(self, budget: int, seed: int):
        from imodels import FIGSClassifier

        super().__init__(FIGSClassifier(max_rules=budget, random_state=seed))

    @property
    def _splits(self) -> list[int]:
        features: list[int] = []

        def walk(node: Any) -> None:
            if node is not None and node.left is not None:
                features.append(node.feature)
                walk(node.left)
                walk(node.right)

        for tree in self.model.trees_:
            walk(tree)
        return features

    @property
    def n_conditions(self) -> int:
        return len(self._splits)

    @property
    def columns(self) -> set[str]:
        return {self.names[f] for f in self._splits}


class Ripper:
    """RIPPER of wittgenstein, for the rarer class; its conditions are those of its rules."""

    def __init__(self, budget: int, seed: int):
        from wittgenstein import RIPPER

        self.model = RIPPER(max_total_conds=budget, random_state=seed)

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> "Ripper":
        counts = np.bincount(y)
        self.positive = int(counts.argmin())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.model.fit(self._frame(X), pd.Series(y, name="class"), pos_class=self.positive)
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            holds = np.asarray(self.model.predict(self._frame(X)))
        own = np.where(holds, 0.9, 0.1)
        return np.column_stack([own, 1 - own] if self.positive == 0 else [1 - own, own])

    @staticmethod
    def _frame(X: pd.DataFrame) -> pd.DataFrame:
        texts = {name: X[name].astype(str) for name in X if not pd.api.types.is_numeric_dtype(X[name])}
        return X.assign(**texts).fillna(-999).reset_index(drop=True)

    @property
    def n_conditions(self) -> int:
        return sum(len(rule.conds) for rule in self.model.ruleset_.rules)

    @property
    def columns(self) -> set[str]:
        return {str(cond.feature) for rule in self.model.ruleset_.rules for cond in rule.conds}
