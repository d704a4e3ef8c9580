"""The classifiers that benchmarks compare LDNN with."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import make_pipeline

from ldnn._table.columns import Columns
from ldnn.comparison import peers
from ldnn.comparison.peer_classifiers import OWN_SETTINGS, Makers, ToMatrix

_THREADS = ("n_jobs", "thread_count", "n_threads")  # the names that libraries give to the number of threads


def rivals(X: Any, seed: int = 0, categories: np.ndarray | None = None) -> dict[str, Callable[[], Any]]:
    """`ldnn.comparison.peers`, but LightGBM and XGBoost have 500 trees at a learning rate of 0.05, the random forest
    has 300 trees, and the SVM C=10.
    """
    makers = peers(X, seed, categories)
    return makers | {name: makers[ours] for name, ours in OWN_SETTINGS.items() if ours in makers}


def all_peers(X: Any, seed: int = 0, categories: np.ndarray | None = None) -> Makers:
    """`ldnn.comparison.peers`, and CatBoost, RealMLP-TD and TabM as far as they are installed, with their own defaults.

    Classifiers that do not have their default parameters say so in their names.
    """
    columns = Columns.fit(X, "from_dtype" if categories is None else categories)
    makers = peers(X, seed, categories)
    if find_spec("catboost"):
        makers["CatBoost"] = lambda: make_pipeline(ToMatrix(columns), CatBoost(columns.is_category, seed))
    if find_spec("pytabkit"):
        from .neural_peers import NeuralPeer

        def neural(kind: str) -> Callable[[], Any]:
            return lambda: make_pipeline(ToMatrix(columns), NeuralPeer(kind, columns.is_category, seed))

        makers |= {kind: neural(kind) for kind in ("RealMLP-TD", "TabM")}
    return makers


def on_one_thread(model: Any) -> Any:
    """The same classifier, or pipeline of steps, with every parameter for a number of threads set to 1."""
    names = [name for name in model.get_params() if name.rpartition("__")[2] in _THREADS]
    return model.set_params(**dict.fromkeys(names, 1))


def as_frame(matrix: np.ndarray, is_category: np.ndarray) -> Any:
    """A matrix (n, F) of numbers and category codes as a data frame; missing and unknown categories are -1."""
    import pandas as pd

    codes = {k: np.nan_to_num(matrix[:, k], nan=-1).astype(np.int64) for k in np.flatnonzero(is_category).tolist()}
    return pd.DataFrame({f"x{k}": codes.get(k, matrix[:, k]) for k in range(matrix.shape[1])})


class CatBoost(ClassifierMixin, BaseEstimator):
    """CatBoost's defaults, for a matrix whose categories are codes.

    is_category: (F,) bool; thread_count: -1 for all cores.
    """

    def __init__(self, is_category: np.ndarray, seed: int = 0, thread_count: int = -1):
        self.is_category = is_category
        self.seed = seed
        self.thread_count = thread_count

    def fit(self, X: np.ndarray, y: np.ndarray) -> "CatBoost":
        from catboost import CatBoostClassifier

        self.classes_ = np.unique(y)
        self.model_ = CatBoostClassifier(
            random_seed=self.seed,
            thread_count=self.thread_count,
            cat_features=np.flatnonzero(self.is_category).tolist(),
            verbose=False,
            allow_writing_files=False,
        ).fit(as_frame(X, self.is_category), y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.model_.predict(as_frame(X, self.is_category)).ravel()

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return self.model_.predict_proba(as_frame(X, self.is_category))
