"""How a network is trained: losses, learning rates by epoch, momentum, weight decay."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from .layer import log_loss, softmax_loss, squared_loss

LOSSES: dict[str, Callable[[Tensor, Tensor, float], Tensor]] = {
    "log": log_loss,
    "squared": squared_loss,
    "softmax": softmax_loss,
}


@dataclass(frozen=True)
class Stage:
    """A number of epochs with the same learning rate.

    Parameters
    ----------
    epochs : int
    learning_rate : float
    head_learning_rate : float or None, default=None
        Learning rate of the head; None means `learning_rate`.
    distort : bool, default=True
        Whether images are rotated and scaled, if the `Preparation` does so.
    """

    epochs: int
    learning_rate: float
    head_learning_rate: float | None = None
    distort: bool = True


@dataclass(frozen=True)
class TrainingOptions:
    """How a network is trained.

    Parameters
    ----------
    stages : tuple of Stage
    momentum : float in [0, 1), default=0.9
    batch_size : int, default=128
        Number of images in a batch, over all processes.
    loss : {"log", "squared", "softmax"}, default="log"
        Cross-entropy of each class against all others or squared error, both summed over the classes, or cross-entropy
        of the softmax over all classes; averaged over the batch.
    label_smoothing : float in [0, 1), default=0.0
        Targets are label_smoothing / 2 and 1 - label_smoothing / 2 (with loss="softmax", divided by their sum).
    weight_decay : float or tuple of float, default=0.0
        Adds weight_decay / 2 times the squared weights (not biases) to the loss. A tuple has one value for each layer
        of the trunk that has weights, and a last one for the head.
    seed : int, default=0
        Seed of the order of the images and of their random views.
    """

    stages: tuple[Stage, ...]
    momentum: float = 0.9
    batch_size: int = 128
    loss: str = "log"
    label_smoothing: float = 0.0
    weight_decay: float | tuple[float, ...] = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "stages", tuple(self.stages))
        if not isinstance(self.weight_decay, int | float):
            object.__setattr__(self, "weight_decay", tuple(self.weight_decay))
        if not self.stages or any(stage.epochs < 1 or stage.learning_rate <= 0 for stage in self.stages):
            raise ValueError(
                f"stages={self.stages!r} is not allowed: give stages of at least one epoch, at learning rates above 0."
            )
        if self.loss not in LOSSES:
            raise ValueError(f"loss={self.loss!r} is not known: use {' or '.join(map(repr, LOSSES))}.")
        if not 0 <= self.momentum < 1:
            raise ValueError(f"momentum={self.momentum!r} is not allowed: give a number from 0 to below 1.")
        if not 0 <= self.label_smoothing < 1:
            raise ValueError(
                f"label_smoothing={self.label_smoothing!r} is not allowed: give a number from 0 to below 1."
            )
        if self.batch_size < 1:
            raise ValueError(f"batch_size={self.batch_size!r} is not allowed: give at least 1.")
        if not np.all(np.asarray(self.weight_decay) >= 0):
            raise ValueError(f"weight_decay={self.weight_decay!r} is not allowed: give numbers of at least 0.")

    @property
    def epochs(self) -> int:
        return sum(stage.epochs for stage in self.stages)

    def stage(self, epoch: int) -> Stage:
        """The stage of an epoch (counted from 0)."""
        for stage in self.stages:
            if epoch < stage.epochs:
                return stage
            epoch -= stage.epochs
        raise IndexError(epoch)
