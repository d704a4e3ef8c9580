"""LDNN for PyTorch: the layer, convolutional networks with it, and classifiers of images and of tables.

Names are imported on first use, so that the layer alone needs nothing but PyTorch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

try:
    import torch  # noqa: F401
except ImportError as error:
    raise ImportError('ldnn.deep needs PyTorch and a few small packages: pip install "ldnn[deep]"') from error

if TYPE_CHECKING:
    from .architectures import (
        CONFIGURATIONS,
        Block,
        Configuration,
        Convolution,
        Local,
        MaxPool,
        Whitening,
        configuration_for,
    )
    from .augmentation import Preparation
    from .conv_classifier import ConvLDNNClassifier
    from .conv_ldnn import ConvLDNN
    from .convolutions import LocallyConnected2d
    from .devices import launch
    from .head_reading import head_features, plot_fired_images
    from .head_replacement import LDNNHead, find_ldnn, parameter_groups, replace_head
    from .image_arrays import as_images, rescale, to_grey
    from .image_trainer import train
    from .inference import evaluate, probabilities
    from .layer import LDNN, log_loss, softmax_loss, squared_loss
    from .torch_classifier import TorchLDNNClassifier
    from .training_options import Stage, TrainingOptions, one_cycle

_MODULES = {
    "layer": ("LDNN", "log_loss", "softmax_loss", "squared_loss"),
    "convolutions": ("LocallyConnected2d",),
    "architectures": (
        "CONFIGURATIONS",
        "Block",
        "Configuration",
        "Convolution",
        "Local",
        "MaxPool",
        "Whitening",
        "configuration_for",
    ),
    "conv_ldnn": ("ConvLDNN",),
    "image_arrays": ("as_images", "rescale", "to_grey"),
    "augmentation": ("Preparation",),
    "training_options": ("Stage", "TrainingOptions", "one_cycle"),
    "devices": ("launch",),
    "image_trainer": ("train",),
    "head_replacement": ("LDNNHead", "find_ldnn", "parameter_groups", "replace_head"),
    "head_reading": ("head_features", "plot_fired_images"),
    "inference": ("evaluate", "probabilities"),
    "conv_classifier": ("ConvLDNNClassifier",),
    "torch_classifier": ("TorchLDNNClassifier",),
}

__all__ = [
    "CONFIGURATIONS",
    "LDNN",
    "Block",
    "Configuration",
    "ConvLDNN",
    "ConvLDNNClassifier",
    "Convolution",
    "LDNNHead",
    "Local",
    "LocallyConnected2d",
    "MaxPool",
    "Preparation",
    "Stage",
    "TorchLDNNClassifier",
    "TrainingOptions",
    "Whitening",
    "as_images",
    "configuration_for",
    "evaluate",
    "find_ldnn",
    "head_features",
    "launch",
    "log_loss",
    "one_cycle",
    "parameter_groups",
    "plot_fired_images",
    "probabilities",
    "replace_head",
    "rescale",
    "softmax_loss",
    "squared_loss",
    "to_grey",
    "train",
]


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            try:
                return getattr(import_module(f".{module}", __name__), name)
            except ModuleNotFoundError as error:
                raise ImportError(f'ldnn.deep.{name} needs {error.name}: pip install "ldnn[deep]"') from error
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
