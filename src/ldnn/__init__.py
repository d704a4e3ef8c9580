"""Logistic disjunctive normal networks: classifiers that are a union of convex polytopes.

Names are imported when they are first used, so `import ldnn` is light.
"""

from importlib import import_module

__version__ = "0.1.0"

TYPE_CHECKING = False  # type checkers take it for True; to import it from typing would take half of the time

if TYPE_CHECKING:
    from . import batches, comparison, dask, datasets, deep, explore, page, plotting, rules
    from ._io.model_files import load, save
    from ._io.onnx import to_onnx
    from ._model.clusters import farthest_centroids
    from ._warm_up import warm_up
    from .classifier import LDNNClassifier
    from .modular import ModularNetworkClassifier
    from .rule_classifier import RuleClassifier

__all__ = [
    "LDNNClassifier",
    "ModularNetworkClassifier",
    "RuleClassifier",
    "__version__",
    "batches",
    "comparison",
    "dask",
    "datasets",
    "deep",
    "explore",
    "farthest_centroids",
    "load",
    "page",
    "plotting",
    "rules",
    "save",
    "to_onnx",
    "warm_up",
]

_HOME = {
    "LDNNClassifier": "classifier",
    "ModularNetworkClassifier": "modular",
    "RuleClassifier": "rule_classifier",
    "farthest_centroids": "_model.clusters",
    "load": "_io.model_files",
    "save": "_io.model_files",
    "to_onnx": "_io.onnx",
    "warm_up": "_warm_up",
}
_MODULES = {"batches", "comparison", "dask", "datasets", "deep", "explore", "page", "plotting", "rules"}


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name in _HOME:
        return getattr(import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
