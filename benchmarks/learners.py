"""Classifiers whose work can grow: by epochs, by trees, or by rows. `time_to_error.py` draws their learning curves."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from experiments.plain_network import PLAIN
from ldnn import LDNNClassifier

from .harness import AbsentError
from .rivals import rivals
from .synthetic import ONE_THREAD

DOUBLING = tuple(2**k for k in range(12))
OTHER_LDNN = "disjunctive-nn"
Size = tuple[int, int]  # N x M of the paper's LDNN


@dataclass(frozen=True)
class TrainTest:
    """A data frame and classes for training, and for testing."""

    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray


@dataclass(frozen=True)
class Learner:
    """A classifier whose work can grow.

    make: a new classifier for an amount of work and one of `rates` (None: it has no learning rate). power: the growth
    of its seconds with the amount. usual: the amount with which rates are compared. by_rows: whether the amount is a
    number of training rows.
    """

    unit: str
    amounts: tuple[int, ...]
    make: Callable[[int, float | None], Any]
    rates: tuple[float, ...] = ()
    usual: int = 10
    power: float = 1.0
    by_rows: bool = False


class DisjunctiveNN(ClassifierMixin, BaseEstimator):
    """`disjunctive-nn`, another LDNN, with its epochs and learning rate as parameters of the constructor."""

    def __init__(self, N: int, M: int, epochs: int, learning_rate: float):
        self.N = N
        self.M = M
        self.epochs = epochs
        self.learning_rate = learning_rate

    def fit(self, X: Any, y: Any) -> "DisjunctiveNN":
        import torch
        from disjunctive_nn import DisjunctiveNormalNetwork

        torch.set_num_threads(1)
        torch.manual_seed(0)
        self.classes_ = np.unique(y)
        network = DisjunctiveNormalNetwork(self.N, self.M)
        self.network_ = network.fit(X, y, epochs=self.epochs, lr=self.learning_rate)
        return self

    def predict(self, X: Any) -> np.ndarray:
        return self.network_.predict(X)


def ldnn(size: Size, table: TrainTest, **parameters: Any) -> Learner:
    """One network per class, with as many epochs as wanted."""
    settings = {**PLAIN, **ONE_THREAD, **parameters}

    def make(epochs: int, rate: float | None) -> Any:
        return LDNNClassifier(*size, max_epochs=epochs, learning_rate="auto" if rate is None else rate, **settings)

    return Learner("epochs", DOUBLING[:9], make, (0.03, 0.1, 0.3, 1.0))


def mlp(size: Size, table: TrainTest, **parameters: Any) -> Learner:
    """An MLP with as many hidden units as the LDNN has half-spaces."""

    def make(epochs: int, rate: float | None) -> Any:
        return _peer(
            "MLP", table, hidden_layer_sizes=(size[0] * size[1],), activation="logistic", max_iter=epochs,
            n_iter_no_change=epochs, learning_rate_init=rate, **parameters,
        )  # fmt: skip

    usual = 2 if parameters.get("batch_size") == 1 else 10
    return Learner("epochs", DOUBLING[:9], make, (0.001, 0.01, 0.1), usual)


def trees(size: Size, table: TrainTest, *, kind: str, count: str, **parameters: Any) -> Learner:
    """A classifier made of trees; `count` is its parameter for the number of trees."""
    return Learner("trees", DOUBLING[2:11], lambda number, _: _peer(kind, table, **{count: number}, **parameters))


def svm(size: Size, table: TrainTest) -> Learner:
    """An SVM on more and more rows."""
    rows = len(table.y)
    amounts = tuple(500 * 2**k for k in range(11) if 500 * 2**k < rows)
    return Learner("rows", (*amounts, rows), lambda _, __: _peer("SVM", table), power=2.0, by_rows=True)


def other_ldnn(size: Size, table: TrainTest) -> Learner:
    """`disjunctive-nn` with the same N x M, behind the encoding that the MLP has."""
    import_other_ldnn()
    if len(np.unique(table.y)) > 2:
        raise AbsentError(f"{OTHER_LDNN} is for two classes only.")

    def make(epochs: int, rate: float | None) -> Any:
        pipeline = _peer("MLP", table)
        return pipeline.set_params(**{pipeline.steps[-1][0]: DisjunctiveNN(*size, epochs, rate or 0.01)})

    return Learner("epochs", tuple(10 * 2**k for k in range(9)), make, (0.01, 0.03, 0.1), usual=160)


def import_other_ldnn() -> None:
    """`make bench` installs it in the folder that LDNN_PEERS names, since newer versions of pip refuse its metadata."""
    folder = os.environ.get("LDNN_PEERS", "")
    if folder and Path(folder).is_dir() and folder not in sys.path:
        sys.path.append(folder)
    try:
        import disjunctive_nn  # noqa: F401
    except ImportError as error:
        raise AbsentError(f"{OTHER_LDNN} cannot be imported ({error}): `make bench` installs it.") from None


def _peer(kind: str, table: TrainTest, **parameters: Any) -> Any:
    """A new pipeline of `ldnn.peers` with these parameters of its last step."""
    makers = rivals(table.X)
    if kind not in makers:
        raise AbsentError(f"{kind} is not installed: pip install 'ldnn[peers]'.")
    pipeline = makers[kind]()
    last = pipeline.steps[-1][0]
    return pipeline.set_params(**{f"{last}__{name}": value for name, value in parameters.items()})


LEARNERS: dict[str, Callable[[Size, TrainTest], Learner]] = {
    "LDNN, linear": ldnn,  # as in the paper
    "LDNN, piecewise": partial(ldnn, discriminant="piecewise", revisit_every=8),  # as by default
    "MLP, SGD one by one": partial(mlp, solver="sgd", batch_size=1),
    "MLP, Adam": partial(mlp, solver="adam"),
    "SVC": svm,
    "random forest": partial(trees, kind="random forest", count="n_estimators", n_jobs=1),
    "HistGradientBoosting": partial(trees, kind="HistGradientBoosting", count="max_iter", early_stopping=False),
    "LightGBM": partial(trees, kind="LightGBM", count="n_estimators", n_jobs=1),
    "XGBoost": partial(trees, kind="XGBoost", count="n_estimators", n_jobs=1),
    OTHER_LDNN: other_ldnn,
}
