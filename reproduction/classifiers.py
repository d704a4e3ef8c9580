"""Builds every classifier of the comparison from its settings, to run on one thread."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from experiments.plain_network import farthest_init, on_components
from ldnn import LDNNClassifier, ModularNetworkClassifier

from .tasks import ClassifierSettings


def build(method: str, settings: ClassifierSettings, seed: int) -> Any:
    """A classifier, not yet fitted."""
    return _BUILDERS[method](dict(settings), seed)


def with_farthest_centroids(settings: ClassifierSettings, X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """The settings with the centroids of these rows instead of "distance_threshold", if they have one."""
    own = dict(settings)
    threshold = own.pop("distance_threshold", None)
    if threshold is not None:
        own["init"] = farthest_init(X, y, threshold)
    return own


def epochs(model: Any) -> int | None:
    """The number of passes of a fitted classifier over its rows; None if it does not learn in passes."""
    last = model[-1] if hasattr(model, "steps") else model
    if isinstance(last, MLPClassifier):
        return int(last.n_iter_)
    return getattr(last, "best_epoch_", None)


def _ldnn(settings: dict[str, Any], seed: int) -> Any:
    share = settings.pop("n_components", None)
    model = LDNNClassifier(*settings.pop("size", ()), **settings, n_jobs=1, random_state=seed)
    return model if share is None else on_components(model, share)


def _modular(settings: dict[str, Any], seed: int) -> Any:
    return ModularNetworkClassifier(*settings.pop("size", ()), **settings, n_jobs=1, random_state=seed)


def _mlp(settings: dict[str, Any], seed: int) -> Any:
    return make_pipeline(StandardScaler(), MLPClassifier(**settings, random_state=seed))


def _forest(settings: dict[str, Any], seed: int) -> Any:
    return RandomForestClassifier(**settings, n_jobs=1, random_state=seed)


def _svm(settings: dict[str, Any], seed: int) -> Any:
    return make_pipeline(MinMaxScaler(), SVC(**settings, cache_size=1000))


def _logistic(settings: dict[str, Any], seed: int) -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression(**settings, random_state=seed))


def _hist(settings: dict[str, Any], seed: int) -> Any:
    return HistGradientBoostingClassifier(**settings, early_stopping=False, random_state=seed)


def _lightgbm(settings: dict[str, Any], seed: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(**settings, n_jobs=1, random_state=seed, verbose=-1)


def _xgboost(settings: dict[str, Any], seed: int) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(**settings, n_jobs=1, random_state=seed, enable_categorical=True, tree_method="hist")


_BUILDERS: dict[str, Callable[[dict[str, Any], int], Any]] = {
    "ldnn": _ldnn,
    "modular": _modular,
    "mlp": _mlp,
    "forest": _forest,
    "svm": _svm,
    "logistic": _logistic,
    "hist": _hist,
    "lightgbm": _lightgbm,
    "xgboost": _xgboost,
}
