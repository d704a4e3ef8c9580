"""LDNN for PyTorch: the layer, convolutional networks with it, and a classifier of images.

Names are imported when they are first used: the layer alone needs nothing but PyTorch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

try:
    import torch  # noqa: F401
except ImportError as error:
    raise ImportError('ldnn.deep needs PyTorch and a few small packages: pip install "ldnn[deep]"') from error

if TYPE_CHECKING:
    from .augment import Preparation
    from .ensemble import ConvLDNNClassifier
    from .images import as_images, rescale, to_grey
    from .layer import LDNN, log_loss, squared_loss
    from .networks import (
        CONFIGURATIONS,
        Configuration,
        ConvLDNN,
        Convolution,
        Local,
        LocallyConnected2d,
        MaxPool,
    )
    from .training import Settings, Stage, evaluate, launch, train

_HOME = {
    "layer": ("LDNN", "log_loss", "squared_loss"),
    "networks": (
        "CONFIGURATIONS",
        "Configuration",
        "ConvLDNN",
        "Convolution",
        "Local",
        "LocallyConnected2d",
        "MaxPool",
    ),
    "images": ("as_images", "rescale", "to_grey"),
    "augment": ("Preparation",),
    "training": ("Settings", "Stage", "evaluate", "launch", "train"),
    "ensemble": ("ConvLDNNClassifier",),
}

__all__ = [
    "CONFIGURATIONS",
    "LDNN",
    "Configuration",
    "ConvLDNN",
    "ConvLDNNClassifier",
    "Convolution",
    "Local",
    "LocallyConnected2d",
    "MaxPool",
    "Preparation",
    "Settings",
    "Stage",
    "as_images",
    "evaluate",
    "launch",
    "log_loss",
    "rescale",
    "squared_loss",
    "to_grey",
    "train",
]


def __getattr__(name: str) -> Any:
    for module, names in _HOME.items():
        if name in names:
            try:
                return getattr(import_module(f".{module}", __name__), name)
            except ModuleNotFoundError as error:
                raise ImportError(f'ldnn.deep.{name} needs {error.name}: pip install "ldnn[deep]"') from error
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
