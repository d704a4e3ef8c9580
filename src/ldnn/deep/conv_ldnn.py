"""Convolutional networks with an LDNN head.

With head="fully_connected" the same configuration is the paper's matched ConvNet: a fully connected layer with as many
nodes as the LDNNs have discriminants, then an output layer. Both heads give log-odds, so both are trained with the same
losses. head="linear" is one fully connected layer.
"""

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from .architectures import (
    ACTIVATIONS,
    Block,
    Configuration,
    Convolution,
    Layer,
    Local,
    MaxPool,
    Whitening,
    named_configuration,
)
from .batch_normalization import BatchNormalization
from .convolutions import GreyConvolution2d, LocallyConnected2d, Whitening2d
from .layer import LDNN

HEADS = ("ldnn", "fully_connected", "linear")
NORMALIZATIONS = ("auto", None, "batch", "layer")
_MONOTONIC = (nn.ReLU, nn.Sigmoid)


class ConvLDNN(nn.Module):
    """A convolutional network with one LDNN for each class as its head: images to log-odds.

    Parameters
    ----------
    configuration : str or Configuration
        The name of one of the `CONFIGURATIONS`, or a `Configuration`.
    image_shape : (channels, height, width)
        The shape of the network's input, after cropping.
    n_classes : int
    head : {"ldnn", "fully_connected", "linear"}, default="ldnn"
        "fully_connected" builds the matched ConvNet, "linear" has no hidden layer.
    normalize : {"auto", None, "batch", "layer"}, default="auto"
        Whether the features have mean 0 and variance 1: with "batch", each feature over the batch (by running means in
        evaluation); with "layer", the features of each image. "auto" means "batch" for a trunk with batch
        normalisation, and None for others.
    start_scale : float, default=1.0
        Scale of the LDNN's random start; see `LDNN`. The fully connected head has its own start.

    Attributes
    ----------
    trunk, head : Module
        Images (B, channels, height, width) to features (B, F), and features to log-odds (B, C).

    Examples
    --------
    >>> import torch
    >>> from ldnn.deep import Configuration, Convolution, ConvLDNN, MaxPool
    >>> layers = (Convolution(8, kernel=5), MaxPool(2, stride=2))
    >>> network = ConvLDNN(Configuration(layers, n_conjunctions=3, n_discriminants=4), (1, 28, 28), n_classes=10)
    >>> network(torch.zeros(2, 1, 28, 28)).shape
    torch.Size([2, 10])
    >>> network.head
    LDNN(in_features=1152, n_classes=10, n_conjunctions=3, n_discriminants=4)
    """

    stored_as: ClassVar[type]  # in files

    def __init__(
        self,
        configuration: str | Configuration,
        image_shape: tuple[int, int, int],
        n_classes: int,
        head: str = "ldnn",
        *,
        normalize: str | None = "auto",
        start_scale: float = 1.0,
    ):
        super().__init__()
        if head not in HEADS:
            raise ValueError(f"head={head!r} is not known: use {' or '.join(map(repr, HEADS))}.")
        if normalize not in NORMALIZATIONS:
            raise ValueError(f"normalize={normalize!r} is not known: use {' or '.join(map(repr, NORMALIZATIONS))}.")
        self.configuration = named_configuration(configuration)
        self.image_shape = _checked_shape(image_shape)
        self.n_classes = n_classes
        self.normalize = ("batch" if self.configuration.normalizes else None) if normalize == "auto" else normalize
        modules: list[nn.Module] = []
        shape = self.image_shape
        for layer in self.configuration.layers:
            shape = _append(layer, shape, modules)
        features = shape[0] * shape[1] * shape[2]
        # Convolutions are up to twice as fast if the channels of a pixel are adjacent in memory.
        self.trunk = nn.Sequential(*modules, nn.Flatten(), *_normalization(self.normalize, features))
        self.trunk.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        sizes = (self.configuration.n_conjunctions, self.configuration.n_discriminants)
        ldnn = LDNN(features, n_classes, *sizes, start_scale=start_scale)
        self.head_kind = head
        self.head: nn.Module = ldnn
        if head != "ldnn":
            self.head = (
                nn.Linear(features, n_classes) if head == "linear" else _fully_connected(ldnn, self.configuration)
            )

    def fit_whitening(self, images: Tensor) -> "ConvLDNN":
        """Compute the filters of a `Whitening` layer from prepared images (B, channels, height, width), if any.

        A few thousand training images are enough.
        """
        for module in self.trunk:
            if isinstance(module, Whitening2d):
                module.fit(images)
        return self

    def forward(self, images: Tensor) -> Tensor:
        """Images (B, channels, height, width) to log-odds (B, C)."""
        if images.dim() != 4 or tuple(images.shape[1:]) != self.image_shape:
            raise ValueError(
                f"The images have shape {tuple(images.shape)}; this network takes (n, channels, height, width) = "
                f"(n, {', '.join(map(str, self.image_shape))})."
            )
        return self.head(self.trunk(images.contiguous(memory_format=torch.channels_last)))

    def stored(self) -> Any:
        """All that a file holds of the network."""
        from .stored_networks import StoredConvNetwork

        return StoredConvNetwork.of(self)


def _checked_shape(image_shape: tuple[int, int, int]) -> tuple[int, int, int]:
    if len(image_shape) != 3 or any(not isinstance(side, int) or side < 1 for side in image_shape):
        raise ValueError(f"image_shape={image_shape!r} is not allowed: give (channels, height, width).")
    channels, height, width = image_shape
    return channels, height, width


def _append(layer: Layer, shape: tuple[int, int, int], modules: list[nn.Module]) -> tuple[int, int, int]:
    """Append the modules of a layer, and return the shape of its output."""
    channels, height, width = shape
    if isinstance(layer, MaxPool):
        pool = nn.MaxPool2d(layer.size, layer.stride, ceil_mode=True)
        # Pooling before a monotonic activation gives the same maps with fewer activations.
        is_activated = bool(modules) and isinstance(modules[-1], _MONOTONIC)
        modules.insert(len(modules) - is_activated, pool)
        out = (channels, _pooled(height, layer), _pooled(width, layer))
    elif isinstance(layer, Whitening):
        filters = Whitening2d(channels, layer.kernel, layer.stride)
        modules += [filters, ACTIVATIONS[layer.activation]()]
        height, width = ((side - layer.kernel) // layer.stride + 1 for side in (height, width))
        out = (len(filters.bias), height, width)
    elif isinstance(layer, Block):
        modules += _block(channels, layer)
        out = (layer.maps, height // layer.pool, width // layer.pool)
    else:
        grown = 2 * layer.padding - layer.kernel + 1
        out = (layer.maps, height + grown, width + grown)
    if min(out) < 1:
        raise ValueError(
            f"{layer} does not fit: its input has only {height}x{width} pixels; use larger images or fewer layers."
        )
    if isinstance(layer, Convolution):
        kind = GreyConvolution2d if channels == 1 else nn.Conv2d
        convolution = kind(channels, layer.maps, layer.kernel, padding=layer.padding)
        _initialize(convolution, layer.activation)
        modules += [convolution, ACTIVATIONS[layer.activation]()]
    elif isinstance(layer, Local):
        local = LocallyConnected2d(channels, layer.maps, (height, width), layer.kernel, layer.padding)
        modules += [local, ACTIVATIONS[layer.activation]()]
    return out


def _block(channels: int, block: Block) -> list[nn.Module]:
    """The modules of a block. Its convolutions begin as the identity, as far as they have maps for it, since the start
    of deep trunks is then easier; batch normalisation makes biases superfluous.
    """
    modules: list[nn.Module] = []
    for number in range(block.n_convolutions):
        convolution = nn.Conv2d(channels, block.maps, 3, padding=1, bias=False)
        same = min(channels, block.maps)
        nn.init.dirac_(convolution.weight.data[:same])
        modules.append(convolution)
        if number == 0 and block.pool > 1:
            modules.append(nn.MaxPool2d(block.pool))
        modules += [BatchNormalization(block.maps, momentum=0.4), ACTIVATIONS[block.activation]()]
        channels = block.maps
    return modules


def _normalization(normalize: str | None, features: int) -> list[nn.Module]:
    """Without a scale and shift of its own, since the weights of the head follow."""
    if normalize == "batch":
        return [BatchNormalization(features, bias=False)]
    return [nn.LayerNorm(features, elementwise_affine=False)] if normalize == "layer" else []


def _pooled(side: int, layer: MaxPool) -> int:
    """Number of windows that start within `side` pixels; the last one may be cut off at the edge."""
    windows = max(0, -(-(side - layer.size) // layer.stride)) + 1
    return windows - 1 if (windows - 1) * layer.stride >= side else windows


def _fully_connected(ldnn: LDNN, configuration: Configuration) -> nn.Sequential:
    """A hidden layer with as many nodes as the LDNNs have discriminants, then an output for each class."""
    activations = [layer.activation for layer in configuration.layers if not isinstance(layer, MaxPool)]
    activation = activations[-1] if activations else "relu"
    hidden = nn.Linear(ldnn.in_features, len(ldnn.bias))
    output = nn.Linear(len(ldnn.bias), ldnn.n_classes)
    _initialize(hidden, activation)
    _initialize(output, "logistic")
    return nn.Sequential(hidden, ACTIVATIONS[activation](), output)


def _initialize(layer: nn.Conv2d | nn.Linear, activation: str) -> None:
    """He initialisation, which keeps the mean square of signals through many layers; ReLU halves it, hence the 2."""
    fan_in = layer.weight[0].numel()
    nn.init.normal_(layer.weight, std=((2 if activation == "relu" else 1) / fan_in) ** 0.5)
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)
