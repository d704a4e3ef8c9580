"""Builds every classifier of the comparison from its settings, to run on one thread."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from ldnn import LDNNClassifier, ModularNetworkClassifier
from ldnn.datasets import make_two_moons

from .tasks import Settings


def build(method: str, settings: Settings, seed: int) -> Any:
    """A classifier, not yet fitted."""
    return _BUILDERS[method](dict(settings), seed)


def epochs(model: Any) -> int | None:
    """How many passes over the rows a fitted classifier made, where that makes sense."""
    last = model[-1] if hasattr(model, "steps") else model
    if isinstance(last, MLPClassifier):
        return int(last.n_iter_)
    return getattr(last, "best_epoch_", None)


@lru_cache(maxsize=1)
def compile_kernels() -> None:
    """Let Numba compile, or load, what LDNN and Mod-N need, so that no run's time has it."""
    X, y = make_two_moons(100, random_state=0)
    for model in (
        LDNNClassifier(n_jobs=1),
        LDNNClassifier(init="farthest", distance_threshold=1.0, step_size=0.1, max_epochs=1, n_jobs=1),
        LDNNClassifier(2, 2, init="random", momentum=0.1, step_size=0.1, max_epochs=1, n_jobs=1),
        ModularNetworkClassifier(2, 2, max_epochs=1, n_jobs=1),
    ):
        model.fit(X, y).predict(X)


def _ldnn(settings: dict[str, Any], seed: int) -> Any:
    return LDNNClassifier(*settings.pop("size", ()), **settings, n_jobs=1, random_state=seed)


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
