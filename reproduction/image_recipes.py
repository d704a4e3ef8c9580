"""One recipe for each image experiment of the paper's section V, and for the same images with normalised features, with
mirrored images, and with a trunk of today.

The full recipes have the paper's networks, epochs and learning rates; they need a graphics card or weeks of processor
time. The shortened ones train the same networks on the same images, with schedules of minutes to hours on one core.
"""

from collections.abc import Callable
from typing import Any

from . import choice_recipes, image_runs
from .image_settings import (
    AUGMENTED,
    CIFAR10,
    CIFAR100,
    HEADS,
    MIRRORED,
    MIRRORED_RATES,
    MIXED,
    MNIST_EPOCHS,
    MNIST_RATES,
    MODERN,
    MODERN_HEADS,
    NORB,
    NORMALIZED,
    SHORTENED,
    SVHN,
    UNMODIFIED,
    falling,
    mirrored,
    modern,
    normalized,
)
from .tasks import Experiment, Task

TITLES = {
    "table4": "Table IV: MNIST as it is",
    "table5": "Table V: MNIST, augmented",
    "table6": "Table VI: CIFAR-10",
    "table7": "Table VII: NORB",
    "table8": "Table VIII: SVHN",
    "cifar100": "CIFAR-100",
}

_CIFAR_STAGES = ((500, 1e-3, 1e-2), (20, 1e-4, 1e-3), (20, 1e-5, 1e-4))


def mnist() -> Experiment:
    """Table IV and the convergence figure: squared error, neither momentum nor annealing, fewer than 20 epochs."""
    stages = {head: ((19, *rates),) for head, rates in MNIST_RATES.items()}
    return _experiment("table4", "mnist", UNMODIFIED, stages, HEADS, 4)


def mnist_shortened() -> Experiment:
    """As many epochs; the rate falls in the last ones, since there is no time to average over seeds."""
    stages = {head: falling(*rates, epochs=MNIST_EPOCHS) for head, rates in MNIST_RATES.items()}
    return _shortened("table4", "mnist", UNMODIFIED, stages, HEADS, 4)


def mnist_augmented() -> Experiment:
    """Table V: crops of 24x24, rotated and scaled."""
    return _experiment("table5", "mnist", AUGMENTED, ((100, 1e-3), (15, 1e-4), (15, 1e-5)), ("LDNN",), 5)


def mnist_augmented_shortened() -> Experiment:
    return _shortened("table5", "mnist", AUGMENTED, ((8, 0.02), (2, 0.002), (1, 0.0002)), ("LDNN",), 2)


def cifar10() -> Experiment:
    """Table VI: crops of 24x24, the mean image subtracted, the head ten times as fast as the trunk."""
    return _experiment("table6", "cifar10", CIFAR10, _CIFAR_STAGES, HEADS, 5)


def cifar10_shortened() -> Experiment:
    return _shortened("table6", "cifar10", CIFAR10, ((6, 0.01), (1, 0.001), (1, 0.0001)), HEADS, 3)


def norb() -> Experiment:
    """Table VII: the cluttered stereo pairs, rescaled to 48x48, crops of 44x44, rotated and scaled."""
    return _experiment("table7", "norb_cluttered", NORB, ((75, 1e-3), (20, 1e-4)), ("LDNN",), 4)


def norb_shortened() -> Experiment:
    return _shortened("table7", "norb_cluttered", NORB, ((4, 0.01), (1, 0.001)), ("LDNN",), 2)


def svhn() -> Experiment:
    """Table VIII: grey, crops of 28x28, rotated and scaled except in the last ten epochs."""
    stages = ((200, 1e-3), (20, 1e-4), (20, 1e-5), (10, 5e-6, None, False))
    return _experiment("table8", "svhn", SVHN, stages, ("LDNN",), 4)


def svhn_shortened() -> Experiment:
    """The same on a sample of 3,000 training and 800 test digits, which were cropped again: another problem."""
    stages = ((12, 0.02), (4, 0.002), (2, 0.0002, None, False))
    return _shortened("table8", "svhn_subset", SVHN, stages, HEADS, 2)


def cifar100() -> Experiment:
    """The paper's last experiment, which has no table: like CIFAR-10, with smaller LDNNs."""
    return _experiment("cifar100", "cifar100", CIFAR100, _CIFAR_STAGES, ("LDNN",), 4)


def cifar100_shortened() -> Experiment:
    return _shortened("cifar100", "cifar100", CIFAR100, ((9, 0.01), (2, 0.001), (1, 0.0001)), ("LDNN",), 2)


def cifar10_normalized() -> Experiment:
    """Table VI with normalised features and the rate chosen by `cifar10_head`, in three lengths, of which the longer
    ones are in mixed precision.
    """
    tasks = [
        normalized("cifar10", head, epochs, 3, precision)
        for epochs, precision in (((5, 2, 1), {}), ((14, 4, 2), MIXED), ((44, 10, 6), MIXED))
        for head in HEADS
    ]
    return Experiment("cifar10" + NORMALIZED, "CIFAR-10: normalised features", tuple(tasks), image_runs.run)


def cifar10_mirrored() -> Experiment:
    """Table VI with mirrored images, too, and the rates chosen by `cifar10_mirrored_choice`."""
    tasks = [mirrored(head, *MIRRORED_RATES[head], epochs=60, repeats=3, name=f"{head}, 60 epochs") for head in HEADS]
    return Experiment("cifar10" + MIRRORED, "CIFAR-10: mirrored images", tuple(tasks), image_runs.run)


def cifar100_normalized() -> Experiment:
    """The paper's network for CIFAR-100 with what was chosen on CIFAR-10."""
    tasks = [normalized("cifar100", head, (14, 4, 2), 2, MIXED) for head in HEADS]
    return Experiment("cifar100" + NORMALIZED, "CIFAR-100: normalised features", tuple(tasks), image_runs.run)


def cifar10_modern() -> Experiment:
    """Beyond the paper: a trunk of today with an LDNN head and with a linear one, three networks each."""
    tasks = [
        modern("cifar10", head, epochs=epochs, repeats=3, name=f"{head}, {epochs} epochs")
        for epochs in (16, 24)
        for head in MODERN_HEADS
    ]
    return Experiment("cifar10" + MODERN, "Beyond the paper: CIFAR-10", tuple(tasks), image_runs.run)


def cifar100_modern() -> Experiment:
    tasks = [modern("cifar100", head, epochs=20, repeats=3) for head in MODERN_HEADS]
    return Experiment("cifar100" + MODERN, "Beyond the paper: CIFAR-100", tuple(tasks), image_runs.run)


def mnist_modern() -> Experiment:
    """MNIST as it is: neither mirrored nor shifted."""
    tasks = [
        modern("mnist", head, epochs=12, repeats=4, flip=False, shift=0, network={"width": 0.5})
        for head in MODERN_HEADS
    ]
    return Experiment("mnist" + MODERN, "Beyond the paper: MNIST as it is", tuple(tasks), image_runs.run)


def _experiment(name: str, data: str, settings: dict[str, Any], stages: Any, heads: Any, repeats: int) -> Experiment:
    """Networks that differ in their heads only, unless `stages` has an entry for each head."""
    tasks = []
    for head in heads:
        own = stages[head] if isinstance(stages, dict) else stages
        recipe = {**settings, "head": HEADS[head], "stages": own}
        tasks.append(Task(data, head, "network", recipe, repeats=repeats, length=3))
    return Experiment(name, TITLES[name], tuple(tasks), image_runs.run)


def _shortened(name: str, *recipe: Any) -> Experiment:
    experiment = _experiment(name, *recipe)
    return Experiment(name + SHORTENED, f"{experiment.title} (shortened)", experiment.tasks, experiment.measure)


RECIPES: tuple[Callable[[], Experiment], ...] = (
    *choice_recipes.RECIPES, cifar10_normalized, cifar10_mirrored, mnist, mnist_augmented, cifar10, norb, svhn,
    cifar100, cifar100_normalized, cifar10_modern, cifar100_modern, mnist_modern,
)  # fmt: skip
SHORTENED_RECIPES: tuple[Callable[[], Experiment], ...] = (
    *choice_recipes.RECIPES, cifar10_normalized, cifar10_mirrored, mnist_shortened, mnist_augmented_shortened,
    cifar10_shortened, norb_shortened, svhn_shortened, cifar100_shortened, cifar100_normalized, cifar10_modern,
    cifar100_modern, mnist_modern,
)  # fmt: skip
