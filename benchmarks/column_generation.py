"""BooleanRuleCG and LogisticRuleRegression of aix360, which run in an interpreter of their own (`aix360_rules.py`)."""

import json
import os
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from .rule_learners import NumbersOnly

_MOST_ROWS = 1000  # that are learned, for the time


class ColumnGeneration(NumbersOnly):
    """A disjunction (BooleanRuleCG) or a logistic regression (LogisticRuleRegression) of conjunctions."""

    def __init__(self, budget: int, seed: int, kind: str):
        super().__init__(_BestModel(budget, seed, kind))

    @property
    def seconds_elsewhere(self) -> float:
        """Of the other interpreter, for all budgets."""
        return self.model.seconds

    @property
    def n_conditions(self) -> int:
        return _n_conditions(self.model.found)

    @property
    def columns(self) -> set[str]:
        return {self.names[column] for rule in self.model.found["rules"] for column, _, _ in rule["conditions"]}


class _BestModel:
    """Of models with several penalties, the one that classifies the training rows best within the number of conditions.
    Rules are for the rarer class.
    """

    def __init__(self, budget: int, seed: int, kind: str):
        self.budget, self.seed, self.kind = budget, seed, kind

    def fit(self, X: np.ndarray, y: np.ndarray) -> "_BestModel":
        self.positive = int(np.bincount(y).argmin())
        sample = np.random.default_rng(self.seed).permutation(len(y))[:_MOST_ROWS]
        is_own = (y == self.positive).astype(np.int64)
        answer = _fitted(self.kind, X[sample].tobytes(), is_own[sample].tobytes(), X.shape[1])
        self.seconds = answer["seconds"]
        allowed = [model for model in answer["models"] if _n_conditions(model) <= self.budget]
        none: dict[str, Any] = {"intercept": -1.0, "rules": []}
        self.found = max([none, *allowed], key=lambda model: np.mean((_sums(model, X) > 0) == is_own))
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        own = 1 / (1 + np.exp(-np.clip(_sums(self.found, X), -50, 50)))
        return np.column_stack([own, 1 - own] if self.positive == 0 else [1 - own, own])


@lru_cache(maxsize=2)  # models for all budgets are found at once
def _fitted(kind: str, X: bytes, y: bytes, n_columns: int) -> dict[str, Any]:
    interpreter = os.environ.get("LDNN_AIX360")
    if not interpreter:
        raise ImportError("LDNN_AIX360 does not name an interpreter that has aix360")
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.npz"
        np.savez(rows, X=np.frombuffer(X).reshape(-1, n_columns), y=np.frombuffer(y, dtype=np.int64))
        script = Path(__file__).with_name("aix360_rules.py")
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run([interpreter, script, kind, rows], capture_output=True, text=True, env=threads)
    if done.returncode:
        raise RuntimeError(done.stderr[-500:])
    return json.loads(done.stdout.splitlines()[-1])


def _sums(model: dict[str, Any], X: np.ndarray) -> np.ndarray:
    """(n,) the intercept and the weights of the rules that hold."""
    total = np.full(len(X), model["intercept"])
    for rule in model["rules"]:
        holds = np.ones(len(X), dtype=bool)
        for column, sign, limit in rule["conditions"]:
            holds &= X[:, column] <= limit if sign == "<=" else X[:, column] > limit
        total += rule["weight"] * holds
    return total


def _n_conditions(model: dict[str, Any]) -> int:
    """Both ends of a range in a rule are one condition."""
    return sum(len({column for column, _, _ in rule["conditions"]}) for rule in model["rules"])


def boolean_rules(budget: int, seed: int) -> ColumnGeneration:
    """A disjunction of conjunctions."""
    return ColumnGeneration(budget, seed, "BooleanRuleCG")


def logistic_rules(budget: int, seed: int) -> ColumnGeneration:
    """A logistic regression of conjunctions."""
    return ColumnGeneration(budget, seed, "LogisticRuleRegression")
