"""Convolutional trunks with an LDNN head, and the paper's configurations of them (section V).

A network is a list of layers and the size of its LDNNs. The same configuration with head="fully_connected" is the
paper's matched ConvNet: a fully connected layer with as many nodes as the LDNNs have discriminants, then an output
layer. Both heads give log-odds, so both are trained by the same losses.
"""

from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .layer import LDNN

_ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "logistic": nn.Sigmoid}
HEADS = ("ldnn", "fully_connected")


@dataclass(frozen=True)
class Convolution:
    """`maps` filters of kernel x kernel pixels, then the activation ("relu" or "logistic"); equation (8)."""

    maps: int
    kernel: int
    padding: int = 0
    activation: str = "relu"


@dataclass(frozen=True)
class MaxPool:
    """The largest of size x size pixels, every `stride` pixels; a last window may hang over the edge."""

    size: int
    stride: int


@dataclass(frozen=True)
class Local:
    """A convolution whose filters are different at every position (`LocallyConnected2d`), then the activation."""

    maps: int
    kernel: int
    padding: int = 0
    activation: str = "relu"


Layer = Convolution | MaxPool | Local


@dataclass(frozen=True)
class Configuration:
    """The layers of a trunk, and the N and M of the LDNN (one for each class) on top of it."""

    layers: tuple[Layer, ...]
    n_conjunctions: int
    n_discriminants: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "layers", tuple(self.layers))
        for layer in self.layers:
            if not isinstance(layer, Convolution | MaxPool | Local):
                raise ValueError(f"{layer!r} is no layer: a trunk is made of Convolution, MaxPool and Local.")
            if not isinstance(layer, MaxPool) and layer.activation not in _ACTIVATIONS:
                raise ValueError(f"activation={layer.activation!r} is not known: use {' or '.join(_ACTIVATIONS)}.")


def _conv_local(local_maps: int) -> tuple[Layer, ...]:
    """The trunk of the layer file 'layers-conv-local-13pct', to which the paper points."""
    return (
        Convolution(64, 5, padding=2),
        MaxPool(3, 2),
        Convolution(64, 5, padding=2),
        MaxPool(3, 2),
        Local(local_maps, 3, padding=1),
        Local(local_maps, 3, padding=1),
    )


# Of MNIST the paper does not say how maps are padded and pooled. For "mnist", held-out training images chose one of
# six ways (`mnist_geometry` to `mnist_pools` in reproduction/images.py); "mnist-augmented" is our reading.
CONFIGURATIONS: dict[str, Configuration] = {
    "mnist": Configuration(
        (Convolution(20, 7, padding=3), MaxPool(3, 2), Convolution(15, 7, padding=3), MaxPool(3, 2)), 5, 5
    ),
    "mnist-augmented": Configuration((Convolution(64, 5), MaxPool(2, 2), Convolution(128, 4), MaxPool(2, 2)), 4, 4),
    "cifar10": Configuration(_conv_local(32), 7, 7),
    "norb": Configuration(_conv_local(32), 7, 7),
    "svhn": Configuration(_conv_local(64), 4, 4),
    "cifar100": Configuration(_conv_local(32), 4, 4),
}


def default_configuration(image_shape: tuple[int, int, int], n_classes: int) -> Configuration:
    """A trunk for small images of any kind: convolutions and pools until the maps are at most 8 pixels high or wide."""
    side = min(image_shape[1:])
    layers: list[Layer] = [Convolution(32, 5, padding=2), MaxPool(3, 2)]
    side = -(-side // 2)
    while side > 8:
        layers += [Convolution(64, 3, padding=1), MaxPool(3, 2)]
        side = -(-side // 2)
    layers.append(Convolution(64, 3, padding=1))
    size = 5 if n_classes <= 20 else 4
    return Configuration(tuple(layers), size, size)


def named_configuration(configuration: str | Configuration) -> Configuration:
    """The configuration itself, or that of the paper by its name."""
    if isinstance(configuration, Configuration):
        return configuration
    if configuration not in CONFIGURATIONS:
        raise ValueError(
            f"There is no network {configuration!r}; use one of {', '.join(map(repr, CONFIGURATIONS))}, "
            f"or a Configuration of your own layers."
        )
    return CONFIGURATIONS[configuration]


class ConvLDNN(nn.Module):
    """A convolutional network with one LDNN for each class as its head: images to log-odds.

    Parameters
    ----------
    configuration : str or Configuration
        One of `CONFIGURATIONS` by name, or a list of layers and the LDNN's size as a `Configuration`.
    image_shape : (channels, height, width)
        Of the images that the network sees: after cropping.
    n_classes : int
    head : {"ldnn", "fully_connected"}, default="ldnn"
        "fully_connected" gives the matched ConvNet.

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

    def __init__(
        self,
        configuration: str | Configuration,
        image_shape: tuple[int, int, int],
        n_classes: int,
        head: str = "ldnn",
    ):
        super().__init__()
        if head not in HEADS:
            raise ValueError(f"head={head!r} is not known: use {' or '.join(map(repr, HEADS))}.")
        self.configuration = named_configuration(configuration)
        self.image_shape = _checked_shape(image_shape)
        self.n_classes = n_classes
        modules: list[nn.Module] = []
        shape = self.image_shape
        for layer in self.configuration.layers:
            shape = _add(layer, shape, modules)
        # With the channels of a pixel side by side in memory, convolutions take up to half the time.
        self.trunk = nn.Sequential(*modules, nn.Flatten())
        self.trunk.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        features = shape[0] * shape[1] * shape[2]
        sizes = (self.configuration.n_conjunctions, self.configuration.n_discriminants)
        ldnn = LDNN(features, n_classes, *sizes)
        self.head: nn.Module = ldnn if head == "ldnn" else _fully_connected(ldnn, self.configuration)

    def forward(self, images: Tensor) -> Tensor:
        if images.dim() != 4 or tuple(images.shape[1:]) != self.image_shape:
            raise ValueError(
                f"The images have shape {tuple(images.shape)}; this network takes (n, channels, height, width) = "
                f"(n, {', '.join(map(str, self.image_shape))})."
            )
        return self.head(self.trunk(images.contiguous(memory_format=torch.channels_last)))

    def to_state(self) -> dict[str, Any]:
        """What the network is made of, with arrays for tensors."""
        return {
            "configuration": self.configuration,
            "image_shape": self.image_shape,
            "n_classes": self.n_classes,
            "head": HEADS[0] if isinstance(self.head, LDNN) else HEADS[1],
            "weights": {name: tensor.cpu().numpy() for name, tensor in self.state_dict().items()},
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> "ConvLDNN":
        """The network that gave this state, on the processor."""
        weights = state.pop("weights")
        network = cls(**state)
        network.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
        return network


class LocallyConnected2d(nn.Module):
    """Like nn.Conv2d with stride 1, but every position has filters and biases of its own.

    All positions are one batched matrix product. It needs the patches of the whole batch in memory: kernel**2 times
    the (padded) input, also kept for the backward pass.

    Attributes
    ----------
    weight : Parameter of shape (height * width, out_channels, kernel * kernel * in_channels)
        Of the output's positions, row by row; the last axis runs over the kernel's rows, its columns, the channels.
    bias : Parameter of shape (height * width, out_channels, 1)

    Shape
    -----
    (B, in_channels, *image_size) -> (B, out_channels, *output_size), where output_size is
    image_size + 2 * padding - kernel + 1
    """

    def __init__(self, in_channels: int, out_channels: int, image_size: tuple[int, int], kernel: int, padding: int = 0):
        super().__init__()
        self.in_channels = in_channels
        self.image_size = tuple(image_size)
        self.kernel = kernel
        self.padding = padding
        self.output_size = tuple(side + 2 * padding - kernel + 1 for side in image_size)
        if min(self.output_size) < 1:
            raise ValueError(f"A {kernel}x{kernel} filter does not fit {image_size[0]}x{image_size[1]} pixels.")
        positions = self.output_size[0] * self.output_size[1]
        patch = kernel * kernel * in_channels
        self.weight = nn.Parameter(torch.empty(positions, out_channels, patch))
        self.bias = nn.Parameter(torch.empty(positions, out_channels, 1))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.normal_(self.weight, std=(2 / self.weight.shape[2]) ** 0.5)
        nn.init.zeros_(self.bias)

    def forward(self, x: Tensor) -> Tensor:
        if tuple(x.shape[1:]) != (self.in_channels, *self.image_size):
            raise ValueError(
                f"The maps have shape {tuple(x.shape)}; this layer takes (n, {self.in_channels}, "
                f"{self.image_size[0]}, {self.image_size[1]})."
            )
        height, width = self.output_size
        pad = self.padding
        # The batch goes last: then a patch is made of whole rows, which copy several times faster than nn.Unfold's.
        x = F.pad(x.permute(2, 3, 1, 0), (0, 0, 0, 0, pad, pad, pad, pad))
        offsets = [(row, column) for row in range(self.kernel) for column in range(self.kernel)]
        patches = torch.cat([x[row : row + height, column : column + width] for row, column in offsets], dim=2)
        y = torch.baddbmm(self.bias, self.weight, patches.flatten(0, 1))  # (positions, out_channels, B)
        return y.permute(2, 1, 0).unflatten(2, (height, width))

    def extra_repr(self) -> str:
        return (
            f"{self.in_channels}, {self.weight.shape[1]}, image_size={self.image_size}, "
            f"kernel={self.kernel}, padding={self.padding}"
        )


class GreyConvolution2d(nn.Conv2d):
    """A convolution of one channel with stride 1, as one matrix product in training on a processor: the gradient of
    its filters then takes a third of the time or less.
    """

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or x.device.type != "cpu":
            return super().forward(x)
        kernel, pad = self.kernel_size[0], cast("tuple[int, int]", self.padding)[0]
        x = F.pad(x[:, 0], (pad, pad, pad, pad))
        patches = x.unfold(1, kernel, 1).unfold(2, kernel, 1)  # (B, height, width, kernel, kernel)
        y = F.linear(patches.flatten(3), self.weight.flatten(1), self.bias)
        return y.permute(0, 3, 1, 2)


def _checked_shape(image_shape: tuple[int, int, int]) -> tuple[int, int, int]:
    if len(image_shape) != 3 or any(not isinstance(side, int) or side < 1 for side in image_shape):
        raise ValueError(f"image_shape={image_shape!r} is not allowed: give (channels, height, width).")
    channels, height, width = image_shape
    return channels, height, width


def _add(layer: Layer, shape: tuple[int, int, int], modules: list[nn.Module]) -> tuple[int, int, int]:
    """Append a layer's modules; the shape of its maps."""
    channels, height, width = shape
    if isinstance(layer, MaxPool):
        pool = nn.MaxPool2d(layer.size, layer.stride, ceil_mode=True)
        # Before the activation, which never falls: the maps are the same, and only those that are left are activated.
        is_activated = bool(modules) and isinstance(modules[-1], tuple(_ACTIVATIONS.values()))
        modules.insert(len(modules) - is_activated, pool)
        out = (channels, _pooled(height, layer), _pooled(width, layer))
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
        modules += [convolution, _ACTIVATIONS[layer.activation]()]
    elif isinstance(layer, Local):
        local = LocallyConnected2d(channels, layer.maps, (height, width), layer.kernel, layer.padding)
        modules += [local, _ACTIVATIONS[layer.activation]()]
    return out


def _pooled(side: int, layer: MaxPool) -> int:
    """How many windows start within `side` pixels, the last one cut off at the edge."""
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
    return nn.Sequential(hidden, _ACTIVATIONS[activation](), output)


def _initialize(layer: nn.Conv2d | nn.Linear, activation: str) -> None:
    """Weights that keep the size of signals through many layers: half of them die in a ReLU, hence the 2."""
    fan_in = layer.weight[0].numel()
    nn.init.normal_(layer.weight, std=((2 if activation == "relu" else 1) / fan_in) ** 0.5)
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)
