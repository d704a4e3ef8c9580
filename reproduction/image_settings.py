"""What image recipes have in common: networks, settings of training, schedules of the learning rate, and names."""

from typing import Any

from .tasks import Task

SHORTENED, NORMALIZED, MIRRORED, MODERN = "-short", "-normalized", "-mirrored", "-modern"  # ends of experiments' names
HEADS = {"LDNN": "ldnn", "ConvNet": "fully_connected"}
MODERN_HEADS = {"LDNN": "ldnn", "linear": "linear"}
# The layer file that the paper refers to has weight decay in its two locally connected layers and its last layer, and
# none in its convolutions.
DECAY = (0.0, 0.0, 0.004, 0.004, 0.004)
DISTORTED = {"max_rotation": 15.0, "max_scaling": 0.15}


def _mnist_network(*layers: tuple[str, dict[str, int]]) -> dict[str, Any]:
    return {"layers": layers, "n_conjunctions": 5, "n_discriminants": 5}


def _maps(maps: int, padding: int = 0) -> tuple[str, dict[str, int]]:
    return "convolution", {"maps": maps, "kernel": 7, "padding": padding}


def _pool(size: int) -> tuple[str, dict[str, int]]:
    return "max_pool", {"size": size, "stride": 2}


_POOL = _pool(2)
GEOMETRIES = {
    "28x28 maps, pooled, 8x8 maps, pooled": _mnist_network(_maps(20, padding=3), _POOL, _maps(15), _POOL),
    "28x28 maps, pooled, 8x8 maps": _mnist_network(_maps(20, padding=3), _POOL, _maps(15)),
    "22x22 maps, pooled, 5x5 maps": _mnist_network(_maps(20), _POOL, _maps(15)),
    "28x28 maps, pooled, 14x14 maps, pooled": _mnist_network(_maps(20, padding=3), _POOL, _maps(15, padding=3), _POOL),
}
AT_FIRST = "28x28 maps, pooled, 8x8 maps, pooled"  # chosen by `mnist_geometry` and `mnist_choice`
PADDED = "28x28 maps, pooled, 14x14 maps, pooled"  # chosen by `mnist_longer`
POOLS = {  # both pools of that network: squares of this many pixels, every 2 pixels
    f"pools of {size}x{size}": _mnist_network(_maps(20, padding=3), _pool(size), _maps(15, padding=3), _pool(size))
    for size in (2, 3, 4)
}
CHOSEN = POOLS["pools of 3x3"]  # chosen by `mnist_pools`
MNIST_EPOCHS = (12, 3, 3)  # for Table IV, with a falling learning rate

MNIST: dict[str, Any] = {"momentum": 0.0, "batch_size": 32, "loss": "squared"}
UNMODIFIED = {**MNIST, "network": CHOSEN, "label_smoothing": 0.2}  # chosen by `mnist_rates`
# Of trunk and head, chosen by `mnist_longer`; at 0.2, two of three ConvNets died temporarily or for good.
MNIST_RATES: dict[str, tuple[float, ...]] = {"LDNN": (1.0, 0.3), "ConvNet": (0.1,)}
# Rate and weight decay of each head, chosen by `cifar10_mirrored_choice`.
MIRRORED_RATES = {"LDNN": (0.03, 0.004), "ConvNet": (0.03, 0.004)}
LARGER: dict[str, Any] = {"momentum": 0.9, "batch_size": 128, "loss": "log"}
AUGMENTED = {**LARGER, "network": "mnist-augmented", "crop": 24, **DISTORTED}
CIFAR10 = {**LARGER, "network": "cifar10", "crop": 24, "subtract_mean": True, "weight_decay": DECAY}
CIFAR100 = {**CIFAR10, "network": "cifar100"}
NETWORKS = {"cifar10": CIFAR10, "cifar100": CIFAR100}
MIXED = {"precision": "bf16-mixed"}
NORB = {**LARGER, "network": "norb", "image_size": 48, "crop": 44, "weight_decay": DECAY, **DISTORTED}
SVHN = {**LARGER, "network": "svhn", "grey": True, "crop": 28, "weight_decay": DECAY, **DISTORTED}
MODERN_SETTINGS: dict[str, Any] = {
    "network": {"width": 1.0}, "subtract_mean": True, "flip": True, "shift": 2, "test_views": True, "momentum": 0.85,
    "nesterov": True, "batch_size": 512, "label_smoothing": 0.05, "weight_decay": 0.0013, "bias_rate_factor": 16.0,
    "precision": "bf16-mixed",
}  # fmt: skip


def normalized(data: str, head: str, epochs: tuple[int, int, int], repeats: int, precision: dict[str, Any]) -> Task:
    settings = {
        **NETWORKS[data], "normalize": "batch", **precision, "head": HEADS[head],
        "stages": falling(0.03, epochs=epochs),
    }  # fmt: skip
    return Task(data, f"{head}, {sum(epochs)} epochs", "network", settings, repeats=repeats)


def mirrored(head: str, rate: float, decay: float, *, epochs: int, repeats: int, name: str, **changes: Any) -> Task:
    settings = {
        **CIFAR10, **MIXED, "normalize": "batch", "flip": True, "test_views": True, "head": HEADS[head],
        "stages": one_cycle(rate, epochs, last=0.01), "weight_decay": (0.0, 0.0, *[decay] * 3), **changes,
    }  # fmt: skip
    return Task("cifar10", name, "network", settings, repeats=repeats)


def modern(
    data: str, head: str, *, epochs: int, repeats: int, name: str = "", rate: float = 0.8, **changes: Any
) -> Task:
    settings = {**MODERN_SETTINGS, "head": MODERN_HEADS[head], "stages": one_cycle(rate, epochs, last=0.05), **changes}
    if head == "linear":
        settings.setdefault("loss", "softmax")
    return Task(data, name or head, "network", settings, repeats=repeats, length=3)


Stages = tuple[tuple[float, ...], ...]  # epochs, rate, and the rate of the head if it differs


def falling(rate: float, *head_rate: float, epochs: tuple[int, int, int]) -> Stages:
    """Three stages with these epochs, in which the rates fall to a tenth."""
    shares = zip(epochs, (1, 0.3, 0.1), strict=True)
    return tuple((count, *(share * own for own in (rate, *head_rate))) for count, share in shares)


def one_cycle(rate: float, epochs: int, *, last: float) -> tuple[tuple[int, tuple[float, float]], ...]:
    """The rate rises to `rate` in the first fifth of the epochs, and falls to the share `last` of it in the others."""
    rising = round(epochs / 5)
    return (rising, (0.2 * rate, rate)), (epochs - rising, (rate, last * rate))


def in_words(rates: tuple[float, ...]) -> str:
    """The rate of the trunk, and of the head if it differs."""
    return f"rate {rates[0]:g}" + "".join(f", head at {rate:g}" for rate in rates[1:])


def with_changes(*names: str, changes: dict[str, Any]) -> str:
    return ", ".join([*names, *(f"{name} {value}".replace("_", " ") for name, value in changes.items())])
