"""What a file holds of a model of images. Networks are checked in outline, without memory for their weights, first."""

from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from .architectures import Block, Configuration, MaxPool, Whitening
from .augmentation import Preparation
from .conv_ldnn import ConvLDNN
from .convolutions import LocallyConnected2d

_LARGEST_MAPS = 2**23  # numbers that a layer may make of one image


class ImageModelParts(TypedDict):
    """What `fit` has set in a ConvLDNNClassifier."""

    classes_: NDArray
    networks_: list[ConvLDNN]
    preparation_: Preparation
    history_: list[list[dict[str, float]]]
    _rescales: bool


@dataclass(frozen=True)
class StoredPreparation:
    """What a file holds of a `Preparation`; see there."""

    mean: NDArray[np.float32]
    crop: int | None
    max_rotation: float
    max_scaling: float
    flip: bool
    shift: int

    @classmethod
    def of(cls, preparation: Preparation) -> "StoredPreparation":
        is_cropped = preparation.output_shape != preparation.image_shape
        return cls(
            preparation.mean.cpu().numpy(),
            preparation.output_shape[1] if is_cropped else None,
            preparation.max_rotation,
            preparation.max_scaling,
            preparation.flip,
            preparation.shift,
        )

    def restored(self) -> Preparation:
        """The preparation, on the CPU."""
        channels, height, width = self.mean.shape
        names = ("crop", "max_rotation", "max_scaling", "flip", "shift")
        given: dict[str, Any] = {name: getattr(self, name) for name in names}
        preparation = Preparation((channels, height, width), **given)
        preparation.load_state_dict({"mean": torch.from_numpy(self.mean)})
        return preparation


@dataclass(frozen=True)
class StoredConvNetwork:
    """What a file holds of a `ConvLDNN`; see there. weights: its state_dict, as arrays."""

    configuration: Configuration
    image_shape: tuple[int, int, int]
    n_classes: int
    head: str
    normalize: str | None
    weights: dict[str, NDArray]

    @classmethod
    def of(cls, network: ConvLDNN) -> "StoredConvNetwork":
        return cls(
            network.configuration,
            network.image_shape,
            network.n_classes,
            network.head_kind,
            network.normalize,
            {name: tensor.cpu().numpy() for name, tensor in network.state_dict().items()},
        )

    def restored(self) -> ConvLDNN:
        """The network, on the CPU."""
        self._check_number_of_weights()
        with torch.device("meta"):  # shapes without memory
            network = ConvLDNN(
                self.configuration, self.image_shape, self.n_classes, self.head, normalize=self.normalize
            )
            _check_maps(network.trunk, torch.empty(1, *self.image_shape))
        outline = network.state_dict()
        if self.weights.keys() != outline.keys():
            raise ValueError("the weights are not those of its layers")
        weights = {name: torch.from_numpy(array) for name, array in self.weights.items()}
        for name, expected in outline.items():
            if (weights[name].shape, weights[name].dtype) != (expected.shape, expected.dtype):
                shape = tuple(weights[name].shape)
                raise ValueError(f"{name} has shape {shape} in {weights[name].dtype}, not {tuple(expected.shape)}")
            if name.endswith("running_var") and bool((weights[name] < 0).any()):
                raise ValueError(f"{name} has negative variances")
        network.load_state_dict(weights, assign=True)
        network.trunk.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        return network

    def _check_number_of_weights(self) -> None:
        """Raise ValueError if the layers have more maps than there are weights: even an outline would take long."""
        convolutions = maps = 0
        for layer in self.configuration.layers:
            if not isinstance(layer, MaxPool | Whitening):
                count = layer.n_convolutions if isinstance(layer, Block) else 1
                convolutions += count
                maps += count * layer.maps
        if convolutions > len(self.weights) or maps > sum(array.size for array in self.weights.values()):
            raise ValueError("the weights are not those of its layers")


def _check_maps(trunk: nn.Module, image: Tensor) -> None:
    """Raise ValueError if a layer would make too many numbers of an image."""
    maps = image
    for module in trunk.eval().children():
        patches = module.kernel**2 if isinstance(module, LocallyConnected2d) else 1
        size = maps.numel() * patches
        maps = module(maps)
        if max(size, maps.numel()) > _LARGEST_MAPS:
            raise ValueError(f"a layer makes {max(size, maps.numel()):,} numbers of an image")
    trunk.train()


ConvLDNN.stored_as = StoredConvNetwork
Preparation.stored_as = StoredPreparation
