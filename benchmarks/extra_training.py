"""Ways to train that LDNNClassifier does not have, as contexts that change its fits, for the ablation."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

from ldnn._model.network import ABSENT
from ldnn._training.trainer import Trainer
from ldnn._training.updates import JointUpdate

PIECE = 64  # visits with the same dropout


@contextmanager
def weight_decay(share: float) -> Iterator[None]:
    """Weights, but not biases, shrink by this share after each epoch."""

    def shrink(trainer: Trainer, number: int) -> None:
        parameters, bias = trainer.network.parameters, trainer.network.n_dense
        parameters[:, :bias] *= np.float32(1 - share)
        parameters[:, bias + 1 :] *= np.float32(1 - share)

    with _after_epochs(shrink):
        yield


@contextmanager
def averaging(count: int) -> Iterator[None]:
    """At the end, each weight becomes the mean of its values after the last `count` epochs."""
    last: list[np.ndarray] = []

    def average(trainer: Trainer, number: int) -> None:
        last.append(trainer.network.parameters.copy())
        if number + 1 == trainer.plan.max_epochs:
            trainer.network.parameters[:] = np.mean(last[-count:], axis=0)
            last.clear()

    with _after_epochs(average):
        yield


@contextmanager
def _after_epochs(change: Callable[[Trainer, int], None]) -> Iterator[None]:
    train = Trainer.train_networks

    def changed(self: Trainer, epoch: Any, workers: Any) -> float:
        loss = train(self, epoch, workers)
        change(self, epoch.number)
        return loss

    with patch.object(Trainer, "train_networks", changed):
        yield


@contextmanager
def dropout(share: float, by_conjunction: bool) -> Iterator[None]:
    """During training, conjunctions are 0 (or discriminants are 1) with this probability, and have no gradient then."""
    train = JointUpdate.train

    def changed(self: JointUpdate, c: int, arguments: dict[str, Any]) -> float:
        N, M, order = arguments["N"], arguments["M"], arguments["order"]
        biases = arguments["parameters"][arguments["X"].shape[1], : N * M]
        random = np.random.default_rng([c, int(order[0]), len(order)])
        total = 0.0
        for start in range(0, len(order), PIECE):
            absent = random.random((N, 1) if by_conjunction else (N, M)) < share
            absent = np.broadcast_to(absent, (N, M)).ravel()
            own = biases[absent]
            biases[absent] = -ABSENT if by_conjunction else ABSENT
            total += train(self, c, {**arguments, "order": order[start : start + PIECE]})
            biases[absent] = own
        return total

    with patch.object(JointUpdate, "train", changed):
        yield
