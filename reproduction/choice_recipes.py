"""One recipe for each choice that the paper's text leaves open, evaluated on held-out training images."""

from typing import Any

from . import image_runs
from .image_settings import (
    AT_FIRST,
    CIFAR10,
    DECAY,
    GEOMETRIES,
    HEADS,
    MIRRORED,
    MNIST,
    MNIST_EPOCHS,
    MNIST_RATES,
    PADDED,
    POOLS,
    Stages,
    falling,
    in_words,
    mirrored,
    modern,
    with_changes,
)
from .tasks import Experiment, Task

CIFAR_HELD_OUT = {"train_images": 20_000, "held_out": 5_000}  # the first and the last training images
HELD_OUT = 10_000  # the last training images, which decide what the paper leaves open

WAYS_TO_LEARN: dict[str, tuple[float, dict[str, Any]]] = {
    "batches of 16, rate 0.5": (0.5, {"batch_size": 16}),
    "batches of 32, rate 1": (1.0, {}),
    "batches of 8, rate 0.25": (0.25, {"batch_size": 8}),
    "batches of 32, rate 0.5, mean image subtracted": (0.5, {"subtract_mean": True}),
    "batches of 32, rate 0.5, targets 0.1 and 0.9": (0.5, {"label_smoothing": 0.2}),
    "batches of 32, rate 1, targets 0.1 and 0.9": (1.0, {"label_smoothing": 0.2}),
    "batches of 32, rate 2, targets 0.1 and 0.9": (2.0, {"label_smoothing": 0.2}),
    # At rate 1 the matched ConvNet dies in its first epoch, so it has other rates.
    "ConvNet, rate 0.5, targets 0.1 and 0.9": (0.5, {"label_smoothing": 0.2, "head": "fully_connected"}),
    "ConvNet, rate 0.2, targets 0.1 and 0.9": (0.2, {"label_smoothing": 0.2, "head": "fully_connected"}),
    "ConvNet, rate 0.1, targets 0.1 and 0.9": (0.1, {"label_smoothing": 0.2, "head": "fully_connected"}),
}

# With as many epochs as Table IV: the rate of the trunk, and of the head if it differs.
LONGER: tuple[tuple[str, str, tuple[float, ...]], ...] = (
    ("LDNN", AT_FIRST, (1.0,)),
    ("LDNN", AT_FIRST, (1.0, 0.3)),
    ("LDNN", PADDED, (1.0,)),
    ("LDNN", PADDED, (1.0, 0.3)),
    ("ConvNet", PADDED, (0.1,)),
    ("ConvNet", PADDED, (0.3, 0.1)),
)

# The rate of the trunk, and of the head if it differs; and what else differs from the recipe of Table VI.
HEAD_CAUSES: tuple[tuple[Any, ...], ...] = (
    ("LDNN", (0.03,)),
    ("ConvNet", (0.03,)),
    ("LDNN", (0.03, 0.3)),
    ("ConvNet", (0.03, 0.1)),
    ("LDNN", (0.1,)),
    ("ConvNet", (0.1,)),
    ("LDNN", (0.1,), {"start_scale": 3}),
    ("LDNN", (0.03,), {"normalize": "batch"}),
    ("ConvNet", (0.03,), {"normalize": "batch"}),
    ("ConvNet", (0.01,), {"normalize": "batch"}),
    ("ConvNet", (0.03, 0.01), {"normalize": "batch"}),
    ("ConvNet", (0.03,), {"normalize": "batch", "loss": "softmax"}),
    ("LDNN", (0.1,), {"normalize": "batch"}),
    ("LDNN", (0.01,), {"normalize": "batch"}),
    ("LDNN", (0.03,), {"normalize": "layer"}),
    ("LDNN", (0.03,), {"start_scale": 3}),
    ("LDNN", (0.03, 0.1), {"start_scale": 2}),
    ("LDNN", (0.1, 0.3)),
    ("ConvNet", (0.05, 0.1)),
    ("LDNN", (0.1,), {"head_decay": 0}),
    ("LDNN", (0.1,), {"loss": "softmax"}),
    ("ConvNet", (0.03, 0.1), {"loss": "softmax"}),
    ("LDNN", (0.1,), {"label_smoothing": 0.2}),
    ("LDNN", (0.1,), {"loss": "squared"}),
    ("LDNN", (1.0,), {"momentum": 0}),
    ("ConvNet", (0.03, 0.1), {"head_decay": 0}),
    ("LDNN", (0.01,)),
    ("ConvNet", (0.01,)),
)
# The best of both heads: three networks of each, and longer.
HEAD_BEST: tuple[tuple[Any, ...], ...] = (
    ("LDNN", (0.03,), {"normalize": "batch"}),
    ("ConvNet", (0.03,), {"normalize": "batch"}),
    ("LDNN", (0.1,)),
    ("ConvNet", (0.03, 0.1)),
)


MIRRORED_CHOICES: tuple[tuple[str, float, float], ...] = (  # head, rate, and decay of all weights behind convolutions
    ("LDNN", 0.03, 0.004),
    ("LDNN", 0.1, 0.004),
    ("LDNN", 0.03, 0.0004),
    ("ConvNet", 0.03, 0.0004),
    ("ConvNet", 0.01, 0.0004),
    ("ConvNet", 0.03, 0.004),
)

# Head, rate, and what else differs from the recipes of the trunk of today.
MODERN_CHOICES: tuple[tuple[str, float, dict[str, Any]], ...] = (
    ("LDNN", 0.2, {}),
    ("linear", 0.2, {}),
    ("LDNN", 0.2, {"bias_rate_factor": 1.0}),
    ("LDNN", 0.2, {"bias_rate_factor": 64.0}),
    ("LDNN", 0.2, {"label_smoothing": 0.0}),
    ("LDNN", 0.2, {"loss": "softmax"}),
    ("LDNN", 0.2, {"average_decay": 0.98}),
    ("LDNN", 0.2, {"weight_decay": 0.005}),
    ("LDNN", 0.2, {"normalize": None}),
)
WIDE_CHOICES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("LDNN", {}),
    ("LDNN", {"label_smoothing": 0.2}),
    ("LDNN", {"bias_rate_factor": 64.0}),
    ("linear", {}),
    ("linear", {"label_smoothing": 0.2}),
    ("LDNN", {"weight_decay": 0.0026}),
    ("LDNN", {"average_decay": 0.99}),
)


def mnist_geometry() -> Experiment:
    """The paper has 7x7 filters, 20 and 15 maps, and says nothing about padding or pooling: two epochs of each variant
    on 50,000 training images, evaluated on the other 10,000.
    """
    tasks = [_held_out(name, network, ((2, 0.5),), repeats=2) for name, network in GEOMETRIES.items()]
    return Experiment("mnist-geometry", "MNIST: how maps are padded and pooled", tuple(tasks), image_runs.run)


def mnist_choice() -> Experiment:
    """The two best variants again, with a falling rate, which shows better what a network has learned."""
    best = list(GEOMETRIES.items())[:2]
    tasks = [_held_out(name, network, falling(0.5, epochs=(3, 1, 1)), repeats=1) for name, network in best]
    return Experiment("mnist-choice", "MNIST: the two best ways, longer", tuple(tasks), image_runs.run)


def mnist_rates() -> Experiment:
    """Learning rates, batch sizes, targets and brightness, about which the paper says nothing either."""
    tasks = [
        _held_out(name, GEOMETRIES[AT_FIRST], falling(rate, epochs=(3, 1, 1)), repeats=1, **changes)
        for name, (rate, changes) in WAYS_TO_LEARN.items()
    ]
    return Experiment("mnist-rates", "MNIST: learning rates and batch sizes", tuple(tasks), image_runs.run)


def mnist_longer() -> Experiment:
    """As many epochs as for Table IV, since five do not show what overfits: larger maps, other rates for the head."""
    tasks = [
        _held_out(f"{head}, {name}, {in_words(rates)}", GEOMETRIES[name], falling(*rates, epochs=MNIST_EPOCHS),
                  repeats=1, label_smoothing=0.2, head=HEADS[head])
        for head, name, rates in LONGER
    ]  # fmt: skip
    return Experiment("mnist-longer", "MNIST: larger maps, slower heads", tuple(tasks), image_runs.run)


def mnist_pools() -> Experiment:
    """Overlapping and separate pools, for five epochs; two networks of each kind, also as an ensemble."""
    tasks = [
        _held_out(name, network, falling(*MNIST_RATES["LDNN"], epochs=(3, 1, 1)), repeats=2, label_smoothing=0.2)
        for name, network in POOLS.items()
    ]
    return Experiment("mnist-pools", "MNIST: pools that overlap", tuple(tasks), image_runs.run)


def cifar10_head() -> Experiment:
    """Why one head learns faster than the other on the same trunk: four epochs on 20,000 training images, evaluated on
    5,000 others, with one change at a time.
    """
    tasks = [_with_head(*cell, epochs=(2, 1, 1), repeats=3 if cell in HEAD_BEST else 1) for cell in HEAD_CAUSES]
    return Experiment("cifar10-head", "CIFAR-10: what a head needs to learn", tuple(tasks), image_runs.run)


def cifar10_head_longer() -> Experiment:
    """The best of both heads for twice as many epochs, three networks each, with a diagnosis of the heads."""
    tasks = [_with_head(*cell, epochs=(5, 2, 1), repeats=3, diagnose=True) for cell in HEAD_BEST]
    return Experiment("cifar10-head-longer", "CIFAR-10: the best of both heads, longer", tuple(tasks), image_runs.run)


def cifar10_mirrored_choice() -> Experiment:
    """The paper's trunk on mirrored images, with one cycle of the learning rate: 20 epochs on 45,000 training images,
    evaluated on the other 5,000.
    """
    tasks = []
    for head, rate, decay in MIRRORED_CHOICES:
        changes = {} if decay in DECAY else {"weight_decay": decay}
        name = with_changes(head, in_words((rate,)), changes=changes)
        tasks.append(mirrored(head, rate, decay, epochs=20, repeats=1, name=name, held_out=5_000))
    return Experiment(f"cifar10{MIRRORED}-choice", "CIFAR-10: rates for mirrored images", tuple(tasks), image_runs.run)


def cifar10_modern_choice() -> Experiment:
    """What the trunk of today needs to learn: narrow networks on 5,000 training images, evaluated on 5,000 others."""
    tasks = [
        modern("cifar10", head, epochs=8, repeats=2, name=with_changes(head, changes=changes), rate=rate,
               network={"width": 0.25}, batch_size=128, train_images=5_000, held_out=5_000, **changes)
        for head, rate, changes in MODERN_CHOICES
    ]  # fmt: skip
    return Experiment("cifar10-modern-choice", "CIFAR-10: what a trunk of today needs", tuple(tasks), image_runs.run)


def cifar10_modern_wide() -> Experiment:
    """The same at full width: eight epochs on 45,000 training images, evaluated on the other 5,000."""
    tasks = [
        modern("cifar10", head, epochs=8, repeats=1, name=with_changes(head, changes=changes), held_out=5_000,
               **changes)
        for head, changes in WIDE_CHOICES
    ]  # fmt: skip
    return Experiment("cifar10-modern-wide", "CIFAR-10: what a wide trunk of today needs", tuple(tasks), image_runs.run)


def _with_head(
    head: str, rates: tuple[float, ...], changes: dict[str, Any] | None = None, *, epochs: tuple[int, int, int],
    repeats: int, **others: Any,
) -> Task:  # fmt: skip
    changes = changes or {}
    name = with_changes(head, in_words(rates), changes=changes)
    if "head_decay" in changes:
        changes = {"weight_decay": (*DECAY[:-1], changes["head_decay"])}
    settings = {**CIFAR10, "head": HEADS[head], "stages": falling(*rates, epochs=epochs), **CIFAR_HELD_OUT}
    settings |= {**changes, **others}
    return Task("cifar10", name, "network", settings, repeats=repeats)


def _held_out(name: str, network: dict[str, Any], stages: Stages, repeats: int, **changes: Any) -> Task:
    settings = {"network": network, "head": "ldnn", "held_out": HELD_OUT, "stages": stages, **MNIST, **changes}
    return Task("mnist", name, "network", settings, repeats=repeats)


RECIPES = (
    mnist_geometry, mnist_choice, mnist_rates, mnist_longer, mnist_pools, cifar10_head, cifar10_head_longer,
    cifar10_mirrored_choice, cifar10_modern_choice, cifar10_modern_wide,
)  # fmt: skip
