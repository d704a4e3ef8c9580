"""Strange calls of the classifiers: parameters, tables, labels and weights of all kinds; then all that a model does.

A case is a seed, and makes about two dozen calls: `fit`, `predict_proba`, `predict`, `pickle`, `save`, `load`,
`partial_fit`, `set_params`, `rules` ... In half of the cases everything is ordinary, in the others one or more of the
inputs are strange. `fit` may refuse; a model that was fitted must do what it is asked for. The answer is right if
probabilities are probabilities, the same after pickle and files, the same bits for a row alone and among others, and
monotone where they were asked to be; and if the model is the same after wrong calls (`wrong_calls.py`).
"""

import pickle
import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

import ldnn
from ldnn import LDNNClassifier, ModularNetworkClassifier, RuleClassifier
from ldnn.rules import explain, rules

from .strange_inputs import classes_of, labels, reordered, rows_between, table, weights
from .verdicts import Verdict, WrongAnswerError, check_probabilities, judge
from .wrong_calls import Misuse

_DIRECTIONS = [[1, 0], [-1, 1, 0], {"a": 1}, {"a": -1, "b": 1}, {"b": 1}]
_ORDINARY: dict[str, list[Any]] = {
    "n_conjunctions": [1, 2, 3, np.int64(2)],
    "n_discriminants": [1, 2, 3],
    "discriminant": ["linear", "conic", "piecewise", "piecewise-tree", "piecewise-quantile"],
    "n_estimators": [1, 2],
    "monotonic_cst": _DIRECTIONS,
    "init": ["kmeans", "farthest", "random", "rules"],
    "n_init": [1, 2],
    "loss": ["squared", "log"],
    "label_smoothing": [0, 0.2, np.float32(0.1)],
    "learning_rate": [0.1, 1],
    "learning_rate_schedule": ["linear", "constant"],
    "momentum": [0, 0.5],
    "max_epochs": [1, 2],
    "revisit_every": [1, 3, 8],
    "validation_fraction": [0, 0.1, 0.5],
    "scoring": ["loss", "accuracy"],
    "normalize": ["standard", "common", "whiten", None],
    "categorical_features": ["from_dtype", None, [0], ["a"]],
    "class_weight": [None, "balanced", {0: 1, 1: 2}],
    "warm_start": [False, True],
    "n_jobs": [1, None, -1, 2],
    "random_state": [0, 1, None, np.random.RandomState(0)],
    "max_conditions": [1, 2, 4],
    "max_rules": [None, 1, 2],
    "classes": [None, 0, [1], "yes", True],
    "columns_per_condition": [1, 2, "auto"],
}
_ODD: dict[str, list[Any]] = {
    "n_conjunctions": [0, -1, 1.5, "two", None, True, "auto"],
    "n_discriminants": [0, "auto", 2.0],
    "discriminant": ["auto", "cubic", None, 3],
    "n_estimators": ["auto", 0, -3, 1.5],
    "monotonic_cst": [
        [],
        [2, 0],
        {"z": 1},
        {0: 1},
        {"a": None},
        1,
        "up",
        [[1, 0]],
        [np.nan, 0],
        np.array([1, 0, 0, 0, 0]),
    ],
    "init": ["auto", "other", None, [], ([[0.0]], [[1.0]]), (1, 2, 3), [[np.nan], [1]]],
    "n_init": [0, "3"],
    "loss": ["auto", "hinge", None],
    "label_smoothing": [0.999, 1, -0.1, np.nan],
    "learning_rate": [1e-300, 1e300, "auto", 0, -1, np.inf, np.nan, True],
    "learning_rate_schedule": ["cosine"],
    "momentum": [0.999999, 1, -1, np.nan],
    "max_epochs": [0, 1.5],
    "revisit_every": [0],
    "validation_fraction": [0.999, 1, -0.5, np.nan],
    "scoring": ["f1"],
    "normalize": ["auto", "minmax"],
    "categorical_features": [[True, False], [99], [-1], "all", [0.5]],
    "class_weight": [{"a": 1}, {}, {0: -1}, {0: np.nan}, {0: np.inf}, "even", [1, 2]],
    "warm_start": ["yes"],
    "n_jobs": [0, 1.5],
    "random_state": [-1, "seed", 2**40],
    "max_conditions": ["auto", 0, 10**9, None],
    "max_rules": [0, 10**9, "many"],
    "columns_per_condition": [0, 3, 10**9, "two"],
    "classes": [[], [0, 1], ["no", "yes"], 17, [[0]], {}],
}
_QUICK: dict[str, Any] = {"n_conjunctions": 2, "n_discriminants": 2, "max_epochs": 1, "n_init": 1, "n_jobs": 1}


class StrangeCalls:
    """The target "api". A case: {"seed": number}."""

    name = "api"
    refusals = (ValueError, TypeError)

    def __init__(self, folder: Path):
        self.folder = folder

    def warm_up(self) -> None:
        """Compile most kernels, which takes more memory than a case may need."""
        X = np.random.default_rng(0).standard_normal((60, 3))
        y = X[:, 0] > 0
        quick: dict[str, Any] = {"n_conjunctions": 2, "n_discriminants": 2, "max_epochs": 1}
        for loss, momentum in (("squared", 0.0), ("log", 0.5)):
            how = {**quick, "loss": loss, "momentum": momentum}
            ModularNetworkClassifier(**how).fit(X, y).predict_proba(X)
            for discriminant in ("linear", "conic", "piecewise", "piecewise-tree"):
                LDNNClassifier(**how, discriminant=discriminant).fit(X, y).predict_proba(X)
        model = LDNNClassifier(effort=0.01).fit(X, np.arange(60) % 3).partial_fit(X, np.arange(60) % 3)
        rules(model, X), explain(model, X[:1], X)
        for target in (y, np.arange(60) % 3):
            RuleClassifier(2).fit(X, target).predict_proba(X)

    def draw(self, source: random.Random) -> dict[str, Any]:
        return {"seed": source.randrange(2**62)}

    def run(self, case: dict[str, Any]) -> Verdict:
        user = _User(random.Random(case["seed"]), self.folder)
        verdict = judge(user.attempt, self.refusals)
        verdict.calls = max(user.calls, 1)
        return verdict


class _User:
    """Somebody who fits one model and does everything with it. calls: how many public calls were made."""

    def __init__(self, source: random.Random, folder: Path):
        self.source, self.folder, self.calls = source, folder, 0

    def attempt(self) -> None:
        source = self.source
        strange = set() if source.random() < 0.5 else set(source.choices(["parameters", "X", "y", "weights"], k=2))
        n_rows = source.choice([8, 12, 20, 30, 60]) if source.random() < 0.9 else source.choice([1, 2, 3])
        self.X = table(source, n_rows, source.choice([1, 2, 2, 3, 5]), self.folder, "X" in strange)
        self.y = labels(source, n_rows, "y" in strange)
        sample_weight = weights(source, n_rows, "weights" in strange)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            model = clone(_estimator(source, "parameters" in strange))
            if hasattr(model, "partial_fit") and source.random() < 0.2:
                self._call(model.partial_fit, self.X, self.y, classes=classes_of(self.y), sample_weight=sample_weight)
            else:
                self._call(model.fit, self.X, self.y, sample_weight=sample_weight)
            self._must(self._predict, model)
            self._must(self._store, model)
            self._must(self._look_at, model)
            wrong = _parameters(source, model, 0, True)
            Misuse(source, self.folder, model, self.X, self._call, wrong).attempt(source.choice([0, 3, 6, 12]))
            self._train_more(model)

    def _call(self, call: Callable, *arguments: Any, **named: Any) -> Any:
        self.calls += 1
        return call(*arguments, **named)

    def _must(self, part: Callable, model: Any) -> None:
        """What fit took, nothing else may refuse."""
        try:
            part(model)
        except StrangeCalls.refusals as error:
            raise WrongAnswerError(f"refused after fit: {type(error).__name__}: {error}") from error

    def _probabilities(self, model: Any, X: Any, n_rows: int) -> np.ndarray:
        probabilities = self._call(model.predict_proba, X)
        check_probabilities(probabilities, n_rows, len(model.classes_))
        return probabilities

    def _predict(self, model: Any) -> None:
        """Labels and probabilities of all rows, of single rows, and of columns in another order."""
        X, n_rows = self.X, _length(self.X)
        self.probabilities = self._probabilities(model, X, n_rows)
        predicted = self._call(model.predict, X)
        if not set(np.unique(predicted).tolist()) <= set(model.classes_.tolist()):
            raise WrongAnswerError("predict has a label that is not among the classes")
        start = self.source.randrange(n_rows)
        stop = min(n_rows, start + self.source.choice([1, 1, 3]))
        alone = self._probabilities(model, rows_between(X, start, stop), stop - start)
        if not np.array_equal(alone, self.probabilities[start:stop]):
            raise WrongAnswerError("a row has other probabilities alone than among others")
        if not np.array_equal(self._call(model.predict, rows_between(X, start, stop)), predicted[start:stop]):
            raise WrongAnswerError("a row has another label alone than among others")
        other = reordered(X)
        if other is not None:
            try:
                self._call(model.predict, other)
            except ValueError:
                return
            raise WrongAnswerError("columns in another order were taken")

    def _store(self, model: Any) -> None:
        """The same probabilities after pickle and files."""
        copied = self._call(pickle.loads, self._call(pickle.dumps, model))
        if not np.array_equal(self._call(copied.predict_proba, self.X), self.probabilities):
            raise WrongAnswerError("other probabilities after pickle")
        path = self.folder / "api.ldnn"
        self._call(ldnn.save, model, path)
        if not np.array_equal(self._call(self._call(ldnn.load, path).predict_proba, self.X), self.probabilities):
            raise WrongAnswerError("other probabilities after save and load")

    def _look_at(self, model: Any) -> None:
        """Everything that shows a model; monotone columns are monotone."""
        self._check_monotone(model)
        if self.source.random() < 0.2:
            self._call(repr, model), self._call(model._repr_html_)
            if isinstance(model, RuleClassifier):
                self._call(str, model.rules_), self._call(model.rules_._repr_html_), self._call(model.apply, self.X)
            else:
                self._call(lambda: (model.terms_, model.weights_, model.plan_, model.feature_importances_))
                self._call(model.decision_function, self.X)
        if self.source.random() < 0.05 and not isinstance(model, RuleClassifier):
            self._call(str, self._call(rules, model, self.X))
            self._call(str, self._call(explain, model, rows_between(self.X, 0, 1), self.X))

    def _check_monotone(self, model: Any) -> None:
        """The probability along a column of numbers of a matrix or a frame of pandas, in a few rows."""
        wanted = model.get_params().get("monotonic_cst")
        names = list(self.X.columns) if isinstance(self.X, pd.DataFrame) else None
        if wanted is None or not (names or (isinstance(self.X, np.ndarray) and self.X.dtype == float)):
            return
        for k in range(len(names) if names else self.X.shape[1]):
            direction = wanted.get(names[k] if names else f"x{k}", 0) if isinstance(wanted, dict) else wanted[k]
            is_number = names is None or self.X.iloc[:, k].dtype == float
            if direction and is_number:
                self._check_along(model, k, direction)

    def _check_along(self, model: Any, k: int, direction: int) -> None:
        row = self.source.randrange(_length(self.X))
        line = np.concatenate([[-1e9, -30.0], np.linspace(-4, 4, 41), [30.0, 1e9]])
        if isinstance(self.X, pd.DataFrame):
            along = self.X.iloc[[row] * len(line)].copy()
            along.isetitem(k, line)
        else:
            along = np.repeat(np.asarray(self.X[row : row + 1]), len(line), axis=0)
            along[:, k] = line
        steps = np.diff(self._probabilities(model, along, len(line))[:, 1]) * direction
        if steps.min() < -1e-6:  # weights are of single precision
            raise WrongAnswerError(f"not monotone along column {k}: a step of {steps.min():.3g}")

    def _train_more(self, model: Any) -> None:
        n_rows = _length(self.X)
        if self.source.random() < 0.3 and hasattr(model, "partial_fit"):
            self._call(model.partial_fit, self.X, self.y)
            self._must(lambda model: self._probabilities(model, self.X, n_rows), model)
        if self.source.random() < 0.3:
            self._call(model.set_params, **_parameters(self.source, model, 1, self.source.random() < 0.3))
            self._call(model.fit, self.X, self.y)
            self._must(lambda model: self._probabilities(model, self.X, n_rows), model)


def _length(X: Any) -> int:
    return X.shape[0] if hasattr(X, "shape") else len(X)


def _estimator(source: random.Random, strange: bool) -> Any:
    kind = source.random()
    if kind < 0.2:
        model: Any = ModularNetworkClassifier(**_QUICK)
    elif kind < 0.3:
        model = RuleClassifier(2, n_jobs=1)
    else:
        model = LDNNClassifier(**_QUICK, n_estimators=1, learning_rate=1.0, loss="squared", effort=0.01)
        if source.random() < 0.7:  # else something is chosen automatically, which takes most of the time of a case
            model.set_params(discriminant=source.choice(_ORDINARY["discriminant"]), normalize="standard")
    return model.set_params(**_parameters(source, model, source.choice([0, 1, 1, 2, 3]), strange))


def _parameters(source: random.Random, model: Any, count: int, strange: bool) -> dict[str, Any]:
    known = [name for name in _ORDINARY if name in model.get_params()]
    chosen = {name: source.choice(_ORDINARY[name]) for name in source.sample(known, count)}
    if strange:
        name = source.choice(known)
        chosen[name] = source.choice(_ODD[name])
    return chosen
