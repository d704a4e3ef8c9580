"""What `ConvLDNNClassifier` chooses by the number and the shape of its images: the width of the network, epochs,
batches, and whether images are mirrored.

Costs are counted, not timed, so that a choice does not depend on the machine.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .architectures import Block, Configuration, MaxPool, Whitening, configuration_for
from .augmentation import Preparation
from .conv_ldnn import ConvLDNN
from .image_trainer import train
from .inference import evaluate, predicted_classes
from .training_options import TrainingOptions, one_cycle

WIDTHS = (0.25, 0.375, 0.5, 0.75, 1.0)
MOMENTUM, WEIGHT_DECAY, LABEL_SMOOTHING, BIAS_RATE_FACTOR = 0.85, 0.0013, 0.05, 16.0
WHITENING_IMAGES = 5000
_RATE = 0.2 / 128  # learning rate for each image of a batch
_PAPER_RATE = 0.02 / 64  # of networks without batch normalisation
_PAPER_EPOCHS, _PAPER_BATCH = 20, 64
_LEAST_EPOCHS, _MOST_EPOCHS = 4, 60
_PILOT_SHARE = 0.2  # of the time of a network
_PILOT_PASSES = 2000, 20_000  # of images through the pilot, at least and at most
_FEWEST_FOR_PILOT = 100


@dataclass(frozen=True)
class ImagePlan:
    """How the networks of a classifier are built and trained."""

    configuration: Configuration
    epochs: int
    batch_size: int
    learning_rate: float

    def training_options(self, seed: int, **changes: Any) -> TrainingOptions:
        """One cycle of the learning rate; for trunks with batch normalisation, with weight decay and soft labels."""
        modern = {
            "label_smoothing": LABEL_SMOOTHING, "weight_decay": WEIGHT_DECAY, "bias_rate_factor": BIAS_RATE_FACTOR,
        }  # fmt: skip
        usual = modern if self.configuration.normalizes else {}
        return TrainingOptions(
            one_cycle(self.epochs, self.learning_rate),
            momentum=MOMENTUM,
            nesterov=True,
            batch_size=self.batch_size,
            seed=seed,
            **{**usual, **changes},
        )


def plan_images(
    n_images: int,
    image_shape: tuple[int, int, int],
    n_classes: int,
    *,
    effort: float,
    configuration: Configuration | None = None,
    epochs: int | None = None,
) -> ImagePlan:
    """A plan for images of this number and shape (channels, height, width); what is given is not chosen.

    Of the widths with which there is time for enough epochs, the largest is chosen, and then as many epochs as there is
    time for. Few images need more epochs.
    """
    seconds = _budget(n_images, image_shape, effort)
    enough = epochs or math.ceil(10 * min(max((10_000 / n_images) ** 0.5, 1), 3))
    if configuration is None:
        networks = [configuration_for(image_shape, n_classes, width) for width in WIDTHS]
        affordable = [network for network in networks if enough * n_images * pass_cost(network, image_shape) <= seconds]
        configuration = (affordable or networks[:1])[-1]
    if not configuration.normalizes:
        batch = min(_PAPER_BATCH, n_images)
        return ImagePlan(configuration, epochs or _PAPER_EPOCHS, batch, batch * _PAPER_RATE)
    if epochs is None:
        affordable_epochs = int(seconds / (n_images * pass_cost(configuration, image_shape)))
        epochs = min(max(affordable_epochs, _LEAST_EPOCHS), _MOST_EPOCHS)
    batch = 2 ** round(math.log2(min(max(n_images / 50, 32), 512)))
    return ImagePlan(configuration, epochs, batch, batch * _RATE)


def _budget(n_images: int, image_shape: tuple[int, int, int], effort: float) -> float:
    """Seconds of one core for a network: some for any images, more for many or large ones."""
    pixels = image_shape[1] * image_shape[2] / 1024
    return effort * (60 + 0.03 * n_images) * min(max(pixels, 0.1), 2)


def pass_cost(configuration: Configuration, image_shape: tuple[int, int, int]) -> float:
    """Seconds of one core in which an image passes through a network of blocks forwards and backwards, roughly: 55
    GFLOP/s, and 4 ns for each value of a map.
    """
    operations, values = network_work(configuration, image_shape)
    return operations / 55e9 + 4e-9 * values


def network_work(configuration: Configuration, image_shape: tuple[int, int, int]) -> tuple[int, int]:
    """Multiplications and additions of the convolutions in the blocks of a network, forwards and backwards, and the
    number of values of all maps, for one image.
    """
    channels, *sides = image_shape
    operations, values = 0, 0
    for layer in configuration.layers:
        if isinstance(layer, Whitening):
            sides = [(side - layer.kernel) // layer.stride + 1 for side in sides]
            channels = 2 * min(12, channels * layer.kernel**2)
            values += channels * math.prod(sides)
        elif isinstance(layer, Block):
            for number in range(layer.n_convolutions):
                operations += 6 * 9 * channels * layer.maps * math.prod(sides)
                values += layer.maps * math.prod(sides)
                sides = [side // layer.pool for side in sides] if number == 0 else sides
                channels = layer.maps
        elif isinstance(layer, MaxPool):
            sides = [max(1, side // layer.stride) for side in sides]
    return operations, values


def keeps_classes_when_mirrored(
    images: Tensor, labels: Tensor, n_outputs: int, *, seed: int, effort: float = 1.0, fabric: Any = None
) -> bool:
    """Whether mirror images, left to right, belong to the same classes: false for digits, true for most photographs.

    A small network learns a part of the images (n, channels, height, width) as they are. Mirroring the others must not
    cost it a tenth of its accuracy, nor half of the accuracy on any class, by more than two standard errors.
    """
    if len(images) < _FEWEST_FOR_PILOT:
        return False
    image_shape = (images.shape[1], images.shape[2], images.shape[3])
    configuration = configuration_for(image_shape, n_outputs, WIDTHS[0])
    seconds = _PILOT_SHARE * _budget(len(images), image_shape, effort)
    passes = int(min(max(seconds / pass_cost(configuration, image_shape), _PILOT_PASSES[0]), _PILOT_PASSES[1]))
    count = min(len(images), passes // _LEAST_EPOCHS)
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(seed))[:count]
    held_out, learned = order[: count // 5], order[count // 5 :]
    preparation = Preparation(image_shape).fit_mean(images[learned])
    network = new_network(configuration, preparation, n_outputs, seed)
    network.fit_whitening(preparation(images[learned]))
    epochs = min(max(passes // len(learned), _LEAST_EPOCHS), 15)
    plan = plan_images(len(learned), image_shape, n_outputs, effort=effort, configuration=configuration, epochs=epochs)
    train(network, preparation, images[learned], labels[learned], plan.training_options(seed), fabric=fabric)
    x, y = images[held_out], labels[held_out].to(next(network.parameters()).device)
    right, mirrored = (
        (predicted_classes(evaluate(network, preparation, given)) == y).double().cpu().numpy()
        for given in (x, x.flip(3))
    )
    groups = [(np.ones(len(y), dtype=bool), 0.1)] + [(y.cpu().numpy() == label, 0.5) for label in np.unique(y.cpu())]
    return not any(_loses_more_than(share, right[group], mirrored[group]) for group, share in groups)


def _loses_more_than(share: float, right: np.ndarray, mirrored: np.ndarray) -> bool:
    """Whether the accuracy falls by more than a share of itself, beyond two standard errors of the difference."""
    differences = right - mirrored
    error = float(np.sqrt(np.mean(differences**2) / len(differences)))
    return float(differences.mean()) - 2 * error > share * float(right.mean())


def new_network(
    configuration: Configuration, preparation: Preparation, n_outputs: int, seed: int, head: str = "ldnn"
) -> ConvLDNN:
    """A network with the random start of a seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return ConvLDNN(configuration, preparation.output_shape, n_outputs, head)
