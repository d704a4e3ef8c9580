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


Rate = float | tuple[float, float]  # constant, or the first and the last one


@dataclass(frozen=True)
class Stage:
    """A number of epochs with a learning rate that is constant or changes linearly from step to step.

    Parameters
    ----------
    epochs : int
    learning_rate : float or (first, last)
    head_learning_rate : float, (first, last) or None, default=None
        Learning rate of the head; None means `learning_rate`.
    distort : bool, default=True
        Whether images are rotated and scaled, if the `Preparation` does so.

    Examples
    --------
    >>> from ldnn.deep import Stage
    >>> falling = Stage(10, learning_rate=(0.1, 0.0), head_learning_rate=0.2)
    >>> falling.rates(0.5)  # of trunk and head, after half of the steps
    (0.05, 0.2)
    """

    epochs: int
    learning_rate: Rate
    head_learning_rate: Rate | None = None
    distort: bool = True

    def __post_init__(self) -> None:
        for name in ("learning_rate", "head_learning_rate"):
            if isinstance(getattr(self, name), list):
                object.__setattr__(self, name, tuple(getattr(self, name)))

    def rates(self, progress: float) -> tuple[float, float]:
        """Learning rates of the trunk and of the head after a share `progress` of the stage."""
        of_head = self.learning_rate if self.head_learning_rate is None else self.head_learning_rate
        return _rate_at(self.learning_rate, progress), _rate_at(of_head, progress)


def _rate_at(rate: Rate, progress: float) -> float:
    first, last = rate if isinstance(rate, tuple) else (rate, rate)
    return first + progress * (last - first)


def one_cycle(
    epochs: int, learning_rate: float, *, warm_up: float = 0.2, first: float = 0.2, last: float = 0.05
) -> tuple[Stage, ...]:
    """Stages of one cycle: the learning rate rises for a share of the epochs, then falls until the last step.

    Parameters
    ----------
    epochs : int
        Of all stages together.
    learning_rate : float
        The highest one.
    warm_up : float, default=0.2
        Share of the epochs in which it rises, rounded to whole epochs; with fewer than three epochs it only falls.
    first, last : float
        The learning rates of the first and the last step, as shares of the highest one.

    Returns
    -------
    tuple of Stage
        For `TrainingOptions`.

    Examples
    --------
    >>> from ldnn.deep import one_cycle
    >>> sum(stage.epochs for stage in one_cycle(10, 0.1))
    10
    """
    rising = max(1, round(warm_up * epochs)) if epochs > 2 and warm_up > 0 else 0
    rise = (Stage(rising, (first * learning_rate, learning_rate)),) if rising else ()
    return (*rise, Stage(epochs - rising, (learning_rate, last * learning_rate)))


@dataclass(frozen=True)
class TrainingOptions:
    """How a network is trained.

    Parameters
    ----------
    stages : tuple of Stage
    momentum : float in [0, 1), default=0.9
    nesterov : bool, default=False
        Whether the momentum is Nesterov's.
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
    bias_rate_factor : float, default=1.0
        Factor of the learning rate of the biases of batch normalisation.
    average_decay : float in [0, 1), default=0.0
        With a number above 0, the result is an exponential average of the weights over the steps: each step multiplies
        the average by this number and adds the rest of the new weights.
    seed : int, default=0
        Seed of the order of the images and of their random views.

    Examples
    --------
    >>> from ldnn.deep import Stage, TrainingOptions
    >>> TrainingOptions((Stage(10, 0.1), Stage(5, 0.01)), batch_size=64, weight_decay=1e-4).epochs
    15
    """

    stages: tuple[Stage, ...]
    momentum: float = 0.9
    nesterov: bool = False
    batch_size: int = 128
    loss: str = "log"
    label_smoothing: float = 0.0
    weight_decay: float | tuple[float, ...] = 0.0
    bias_rate_factor: float = 1.0
    average_decay: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "stages", tuple(self.stages))
        if not isinstance(self.weight_decay, int | float):
            object.__setattr__(self, "weight_decay", tuple(self.weight_decay))
        if not self.stages or any(stage.epochs < 1 or min(_ends(stage)) <= 0 for stage in self.stages):
            raise ValueError(
                f"stages={self.stages!r} is not allowed: give stages of at least one epoch, at learning rates above 0."
            )
        if self.loss not in LOSSES:
            raise ValueError(f"loss={self.loss!r} is not known: use {' or '.join(map(repr, LOSSES))}.")
        for name in ("momentum", "label_smoothing", "average_decay"):
            value = getattr(self, name)
            if not 0 <= value < 1:
                raise ValueError(f"{name}={value!r} is not allowed: give a number from 0 to below 1.")
        if self.nesterov and not self.momentum:
            raise ValueError("nesterov=True needs momentum: give a momentum above 0, or nesterov=False.")
        if not 0 < self.bias_rate_factor < np.inf:
            raise ValueError(f"bias_rate_factor={self.bias_rate_factor!r} is not allowed: give a number above 0.")
        if self.batch_size < 1:
            raise ValueError(f"batch_size={self.batch_size!r} is not allowed: give at least 1.")
        if not np.all(np.asarray(self.weight_decay) >= 0):
            raise ValueError(f"weight_decay={self.weight_decay!r} is not allowed: give numbers of at least 0.")

    @property
    def epochs(self) -> int:
        """The number of epochs of all stages."""
        return sum(stage.epochs for stage in self.stages)

    def stage(self, epoch: int) -> tuple[Stage, int]:
        """The stage of an epoch (counted from 0), and the number of the epoch within it."""
        for stage in self.stages:
            if epoch < stage.epochs:
                return stage, epoch
            epoch -= stage.epochs
        raise IndexError(epoch)


def _ends(stage: Stage) -> tuple[float, ...]:
    """The learning rates of trunk and head at the beginning and at the end of a stage."""
    return stage.rates(0.0) + stage.rates(1.0)
