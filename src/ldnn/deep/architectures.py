"""Descriptions of convolutional networks: the layers of a trunk, and the size of the LDNNs on top of it.

`CONFIGURATIONS` has the networks of the paper (section V); `ConvLDNN` builds a network from a description.
"""

from dataclasses import dataclass

from torch import nn

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "logistic": nn.Sigmoid}


@dataclass(frozen=True)
class Convolution:
    """`maps` filters of kernel x kernel pixels, then the activation ("relu" or "logistic"); equation (8)."""

    maps: int
    kernel: int
    padding: int = 0
    activation: str = "relu"


@dataclass(frozen=True)
class MaxPool:
    """The maximum of size x size pixels, every `stride` pixels; the last window may extend beyond the edge."""

    size: int
    stride: int


@dataclass(frozen=True)
class Local:
    """A convolution whose filters differ between positions (`LocallyConnected2d`), then the activation."""

    maps: int
    kernel: int
    padding: int = 0
    activation: str = "relu"


Layer = Convolution | MaxPool | Local


@dataclass(frozen=True)
class Configuration:
    """The layers of a trunk, and N and M of the LDNNs (one for each class) on top of it."""

    layers: tuple[Layer, ...]
    n_conjunctions: int
    n_discriminants: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "layers", tuple(self.layers))
        for layer in self.layers:
            if not isinstance(layer, Convolution | MaxPool | Local):
                raise ValueError(f"{layer!r} is not a layer: a trunk consists of Convolution, MaxPool and Local.")
            if not isinstance(layer, MaxPool) and layer.activation not in ACTIVATIONS:
                raise ValueError(f"activation={layer.activation!r} is not known: use {' or '.join(ACTIVATIONS)}.")


def _conv_local(local_maps: int) -> tuple[Layer, ...]:
    """The trunk of the layer file 'layers-conv-local-13pct', which the paper cites."""
    return (
        Convolution(64, 5, padding=2),
        MaxPool(3, 2),
        Convolution(64, 5, padding=2),
        MaxPool(3, 2),
        Local(local_maps, 3, padding=1),
        Local(local_maps, 3, padding=1),
    )


# The paper does not give the padding and pooling of its MNIST networks. Those of "mnist" were chosen among six by the
# error on held-out training images (docs/deep.md); those of "mnist-augmented" are our reading of the text.
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
    """The configuration itself, or the paper's configuration of this name."""
    if isinstance(configuration, Configuration):
        return configuration
    if configuration not in CONFIGURATIONS:
        raise ValueError(
            f"There is no network {configuration!r}; use one of {', '.join(map(repr, CONFIGURATIONS))}, "
            f"or a Configuration of your own layers."
        )
    return CONFIGURATIONS[configuration]
