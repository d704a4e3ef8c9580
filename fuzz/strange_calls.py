"""Strange calls of the classifiers: any parameters, tables, labels and weights; then all that a fitted model does.

A case is a seed. The answer is right if probabilities are probabilities, and the same after pickle, save and load.
"""

import pickle
import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from sklearn.base import clone

import ldnn
from ldnn import LDNNClassifier, ModularNetworkClassifier

from .verdicts import Verdict, WrongAnswerError, check_probabilities, judge

_PARAMETERS: dict[str, list[Any]] = {
    "n_conjunctions": [1, 2, 3, np.int64(2), 0, -1, 1.5, "two", None, True],
    "n_discriminants": [1, 2, 3, 0, "auto", 2.0],
    "discriminant": ["linear", "conic", "piecewise", "piecewise-tree", "piecewise-quantile", "auto", "cubic", None, 3],
    "n_estimators": [1, 2, "auto", 0, -3, 1.5],
    "init": [
        "auto",
        "kmeans",
        "farthest",
        "random",
        "rules",
        "other",
        None,
        [],
        ([[0.0]], [[1.0]]),
        (1, 2, 3),
        [[np.nan], [1]],
    ],
    "n_init": [1, 2, 0, "3"],
    "loss": ["squared", "log", "auto", "hinge", None],
    "label_smoothing": [0, 0.2, 0.999, 1, -0.1, np.nan, np.float32(0.1)],
    "learning_rate": [0.1, 1, 1e-300, 1e300, "auto", 0, -1, np.inf, np.nan, True],
    "learning_rate_schedule": ["linear", "constant", "cosine"],
    "momentum": [0, 0.5, 0.999999, 1, -1, np.nan],
    "max_epochs": [1, 2, "auto", 0, 1.5],
    "revisit_every": [1, 3, 8, 0],
    "validation_fraction": [0, 0.1, 0.5, 0.999, 1, -0.5, np.nan],
    "scoring": ["loss", "accuracy", "f1"],
    "normalize": ["standard", "common", "whiten", None, "auto", "minmax"],
    "categorical_features": ["from_dtype", None, [0], ["a"], [True, False], [99], [-1], "all", [0.5]],
    "class_weight": [None, "balanced", {0: 1, 1: 2}, {"a": 1}, {}, {0: -1}, {0: np.nan}, {0: np.inf}, "even", [1, 2]],
    "warm_start": [False, True, "yes"],
    "n_jobs": [1, None, -1, 2, 0, 1.5],
    "random_state": [0, 1, None, np.random.RandomState(0), -1, "seed", 2**40],
    "verbose": [False, 0],
}
_WORDS = ["a", "b", "", "Ärger", "\x1b[31m", "=1+1", "<b>", "nan", "1", "x" * 300, "\u202e", "\U0001f600"]
_NUMBERS = [0.0, 1.0, -1.0, 1e-300, 1e300, -1e300, 1e308, 3e38, np.nan, 2.0**53, 1e-45]


class StrangeCalls:
    """The target "api". A case: {"seed": number}."""

    name = "api"
    refusals = (ValueError, TypeError)

    def __init__(self, folder: Path):
        self.folder = folder

    def warm_up(self) -> None:
        """Compile most kernels, which takes more memory than a case may need."""
        X = np.random.default_rng(0).standard_normal((60, 3))
        quick: dict[str, Any] = {"n_conjunctions": 2, "n_discriminants": 2, "max_epochs": 1}
        for loss, momentum in (("squared", 0.0), ("log", 0.5)):
            how = {**quick, "loss": loss, "momentum": momentum}
            ModularNetworkClassifier(**how).fit(X, X[:, 0] > 0).predict_proba(X)
            for discriminant in ("linear", "conic", "piecewise", "piecewise-tree"):
                LDNNClassifier(**how, discriminant=discriminant).fit(X, X[:, 0] > 0).predict_proba(X)
        LDNNClassifier(effort=0.01).fit(X, np.arange(60) % 3).partial_fit(X, np.arange(60) % 3)

    def draw(self, source: random.Random) -> dict[str, Any]:
        return {"seed": source.randrange(2**62)}

    def run(self, case: dict[str, Any]) -> Verdict:
        return judge(lambda: self._call(random.Random(case["seed"])), self.refusals)

    def _call(self, source: random.Random) -> None:
        n_rows, n_columns = source.choice([1, 2, 3, 8, 30, 30, 30, 60]), source.choice([0, 1, 2, 2, 3, 3, 5])
        X = _table(source, n_rows, n_columns, self.folder)
        y = _labels(source, n_rows)
        weights = _weights(source, n_rows)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            model = clone(_estimator(source))
            if source.random() < 0.2:
                model.partial_fit(X, y, classes=_classes(y), sample_weight=weights)
            else:
                model.fit(X, y, sample_weight=weights)
            self._use(model, X, y, source)

    def _use(self, model: Any, X: Any, y: Any, source: random.Random) -> None:
        proba = model.predict_proba(X)
        check_probabilities(proba, len(proba), len(model.classes_))
        if not set(np.unique(model.predict(X)).tolist()) <= set(model.classes_.tolist()):
            raise WrongAnswerError("predict has a label that is not among the classes")
        if not np.array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), proba):
            raise WrongAnswerError("other probabilities after pickle")
        path = self.folder / "api.ldnn"
        ldnn.save(model, path)
        if not np.array_equal(ldnn.load(path).predict_proba(X), proba):
            raise WrongAnswerError("other probabilities after save and load")
        if source.random() < 0.3:
            model.partial_fit(X, y)
            check_probabilities(model.predict_proba(X), len(proba), len(model.classes_))
        if source.random() < 0.3:
            model.set_params(**_parameters(source, model, 1)).fit(X, y)
            check_probabilities(model.predict_proba(X), len(proba), len(model.classes_))


def _estimator(source: random.Random) -> Any:
    quick: dict[str, Any] = {"n_conjunctions": 2, "n_discriminants": 2, "max_epochs": 1, "n_init": 1}
    if source.random() < 0.25:
        model: Any = ModularNetworkClassifier(**quick)
    else:
        model = LDNNClassifier(**quick, n_estimators=1, learning_rate=1.0, loss="squared", effort=0.01)
    return model.set_params(**_parameters(source, model, source.choice([0, 1, 1, 2, 3])))


def _parameters(source: random.Random, model: Any, count: int) -> dict[str, Any]:
    known = [name for name in _PARAMETERS if name in model.get_params()]
    return {name: source.choice(_PARAMETERS[name]) for name in source.sample(known, count)}


def _column(source: random.Random, n: int) -> Any:
    """A column of any kind, as a list or as something of pandas."""
    random_numbers = np.random.default_rng(source.randrange(2**32))
    kind = source.choice(
        ["normal"] * 6
        + [
            "integers",
            "constant",
            "extreme",
            "missing",
            "empty",
            "infinite",
            "words",
            "words",
            "truth",
            "mixed",
            "category",
            "nullable",
            "dates",
            "large",
            "complex",
            "nested",
        ]
    )
    normal = random_numbers.standard_normal(n)
    choices: dict[str, Any] = {
        "normal": lambda: normal,
        "integers": lambda: random_numbers.integers(-3, 4, n),
        "constant": lambda: np.full(n, 7.0),
        "extreme": lambda: np.array([source.choice(_NUMBERS) for _ in range(n)]),
        "missing": lambda: np.where(random_numbers.random(n) < 0.3, np.nan, normal),
        "empty": lambda: np.full(n, np.nan),
        "infinite": lambda: np.where(random_numbers.random(n) < 0.1, np.inf, normal),
        "words": lambda: np.array([source.choice(_WORDS) for _ in range(n)], dtype=object),
        "truth": lambda: random_numbers.random(n) < 0.5,
        "mixed": lambda: np.array([source.choice(["a", True, 2, None, 1.5]) for _ in range(n)], dtype=object),
        "category": lambda: pd.Categorical([source.choice(["x", "y", None]) for _ in range(n)]),
        "nullable": lambda: pd.array([source.choice([1, 2, None]) for _ in range(n)], dtype="Int64"),
        "dates": lambda: pd.date_range("2020-01-01", periods=n),
        "large": lambda: np.array([10**30 + k for k in range(n)], dtype=object),
        "complex": lambda: normal + 1j,
        "nested": lambda: np.array([(1, 2) if k else None for k in range(n)], dtype=object),
    }
    return choices[kind]()


def _table(source: random.Random, n: int, columns: int, folder: Path) -> Any:
    """A table in any container."""
    kind = source.choice(["matrix"] * 4 + ["pandas"] * 4 + ["polars", "polars", "objects", "list", "odd"])
    if kind in ("pandas", "polars", "objects"):
        names: Any = source.choice(
            [list("abcdefgh"), list(range(8)), [*_WORDS[:4], "e", "f", "g", "h"], list("aabcdefg")]
        )
        parts = [_column(source, n) for _ in range(columns)]
        if kind == "objects":
            cells = [np.asarray(part, dtype=object) for part in parts]
            return np.array([[cell[k] for cell in cells] for k in range(n)], dtype=object).reshape(n, columns)
        frame = pd.DataFrame(dict(enumerate(parts)), index=range(n))
        frame.columns = names[:columns]
        if kind == "pandas":
            return frame if source.random() < 0.7 else frame.iloc[::-1]
        try:
            return pl.from_pandas(frame.rename(columns=str))
        except Exception:  # not every column of pandas has a counterpart
            return pl.DataFrame({"a": np.arange(n)})
    matrix = np.random.default_rng(source.randrange(2**32)).standard_normal((n, columns))
    matrix *= source.choice([1, 1, 1e150, 1e-150, 1e8])
    if kind == "list":
        return matrix.tolist()
    if kind == "odd":
        odd = [None, 3, "text", matrix[0], matrix[None], {}, {"a": [1]}, [], pl.LazyFrame({"a": [1]}), np.array(5)]
        return source.choice(odd)
    return _layout(source, matrix, folder)


def _layout(source: random.Random, matrix: np.ndarray, folder: Path) -> np.ndarray:
    kind = source.choice(
        ["c", "f", "strided", "readonly", "memmap", "float32", "float16", "int", "swapped", "reversed"]
    )
    if kind == "f":
        return np.asfortranarray(matrix)
    if kind == "strided":
        return np.repeat(matrix, 2, axis=1)[:, ::2]
    if kind == "readonly":
        matrix.flags.writeable = False
    if kind == "memmap" and matrix.size:
        mapped = np.memmap(folder / "memmap", matrix.dtype, "w+", shape=matrix.shape)
        mapped[:] = matrix
        return mapped
    types: dict[str, Any] = {"float32": np.float32, "float16": np.float16, "int": np.int16, "swapped": ">f8"}
    if kind in types:
        with np.errstate(all="ignore"):
            return matrix.astype(types[kind])
    return matrix[::-1] if kind == "reversed" else matrix


def _labels(source: random.Random, n: int) -> Any:
    kind = source.choice(
        ["integers"] * 4
        + [
            "words",
            "words",
            "truth",
            "floats",
            "fractions",
            "missing",
            "one",
            "mixed",
            "short",
            "column",
            "matrix",
            "category",
            "polars",
            "objects",
            "none",
            "many",
        ]
    )
    codes = np.array([source.randrange(3) for _ in range(n)])
    choices: dict[str, Any] = {
        "integers": lambda: codes,
        "words": lambda: np.array([source.choice(_WORDS) for _ in range(n)]),
        "truth": lambda: codes > 0,
        "floats": lambda: codes.astype(float),
        "fractions": lambda: codes + 0.5,
        "missing": lambda: np.where(codes == 1, np.nan, codes),
        "one": lambda: np.zeros(n, dtype=int),
        "mixed": lambda: np.array([source.choice([1, "a", None]) for _ in range(n)], dtype=object),
        "short": lambda: codes[:-1],
        "column": lambda: codes[:, None],
        "matrix": lambda: np.stack([codes, codes], axis=1),
        "category": lambda: pd.Series(pd.Categorical(np.array(list("abc"))[codes])),
        "polars": lambda: pl.Series("y", codes),
        "objects": lambda: codes.astype(object),
        "none": lambda: None,
        "many": lambda: np.arange(n),
    }
    return choices[kind]()


def _classes(y: Any) -> Any:
    try:
        return np.unique(np.asarray(y))
    except TypeError:
        return [0, 1]


def _weights(source: random.Random, n: int) -> Any:
    if source.random() < 0.6:
        return None
    ones = np.ones(n)
    return source.choice(
        [
            ones,
            ones * 0,
            -ones,
            ones * np.nan,
            ones * np.inf,
            ones * 1e308,
            ones * 1e-308,
            ones[:-1],
            2.0,
            "heavy",
            np.arange(n),
            (np.arange(n) % 2).tolist(),
            ones[:, None],
        ]
    )
