"""`train`: stochastic gradient descent with momentum on images, in one process or many.

The same script runs in one process, or in several under `torchrun`: Lightning Fabric connects them. Every process draws
the same random numbers and takes its share of each batch, so the result depends on the size of the whole batch, not on
the number of processes.
"""

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from lightning_fabric import Fabric
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from tqdm import tqdm

from .._training.dead_networks import DEAD, warn_of_dead_networks
from .augmentation import Preparation
from .batch_normalization import BatchNormalization
from .checkpoints import Checkpoints, History, restore, run_identity
from .convolutions import Whitening2d
from .devices import is_lost_connection, launch
from .head_replacement import LDNNHead
from .image_arrays import check_range
from .inference import evaluate, predicted_classes
from .layer import check_labels
from .training_options import LOSSES, Stage, TrainingOptions


def train(
    network: nn.Module,
    preparation: Preparation,
    images: Tensor,
    labels: Tensor,
    options: TrainingOptions,
    *,
    validation: tuple[Tensor, Tensor] | None = None,
    folder: str | Path | None = None,
    fabric: Fabric | None = None,
    verbose: bool | str = False,
    report: Callable[[dict[str, float]], None] | None = None,
) -> History:
    """Train a network in place by stochastic gradient descent with momentum.

    Parameters
    ----------
    network : Module
        Prepared images to log-odds. Its attribute `head`, or the head from `replace_head`, is trained with
        `head_learning_rate`.
    preparation : Preparation
        Makes the network's input from the stored images.
    images : Tensor of shape (n, channels, height, width)
        Stored images: uint8 from 0 to 255, or floats from 0 to 1.
    labels : Tensor of shape (n,)
        Class indices; 0 and 1 for a network with one output.
    options : TrainingOptions
    validation : (images, labels) or None
        Evaluated after each epoch; nothing is chosen by the result.
    folder : path or None
        Folder for log.csv and a checkpoint of the last full epoch, from which the same call resumes.
    fabric : Fabric or None
        From `launch`; None means `launch()`.
    verbose : bool or str
        Whether to show a progress bar with the time that is left; a text is shown before it.
    report : function or None
        Called after each epoch with its row of the history, for example to write to TensorBoard.

    Returns
    -------
    history : list of dict
        One row for each epoch: epoch (from 1), learning_rate, training_loss and training_error (measured just before
        the step of each batch), seconds and processor_seconds (of training since the first epoch, by the clock and of
        this process), validation_loss and validation_error.

    Examples
    --------
    >>> import torch
    >>> from ldnn.deep import Configuration, Convolution, ConvLDNN, Preparation, Stage, TrainingOptions, train
    >>> images, labels = torch.rand(60, 1, 8, 8), torch.arange(60) % 2
    >>> images[labels == 1, :, :4] += 0.5
    >>> images = images.clamp(0, 1)
    >>> network = ConvLDNN(Configuration((Convolution(4, kernel=3),), 2, 2), (1, 8, 8), n_classes=1)
    >>> options = TrainingOptions((Stage(3, learning_rate=0.05),), batch_size=20)
    >>> history = train(network, Preparation((1, 8, 8)).fit_mean(images), images, labels, options)
    >>> [row["epoch"] for row in history]
    [1, 2, 3]
    """
    trainer = _ImageTrainer(network, preparation, images, labels, options, fabric or launch())
    try:
        return trainer.run(validation, None if folder is None else Path(folder), verbose, report)
    except RuntimeError as error:
        if trainer.fabric.world_size == 1 or not is_lost_connection(error):
            raise
        # This process cannot go on, and a traceback would hide why.
        resume = "" if folder is None else f" Start all of them again to continue from the checkpoint in {folder}."
        raise SystemExit(f"Training ended because another of its processes did.{resume}") from None


class _ImageTrainer:
    """One call of `train`, in one of its processes."""

    def __init__(
        self,
        network: nn.Module,
        preparation: Preparation,
        images: Tensor,
        labels: Tensor,
        options: TrainingOptions,
        fabric: Fabric,
    ):
        self.n_outputs = _check(network, preparation, images, labels)
        self.network = network
        self.preparation = preparation.to(fabric.device)
        self.images = images
        self.labels = labels.long().cpu()
        self.options = options
        self.fabric = fabric
        groups = _parameter_groups(network, options)
        self.optimizer = torch.optim.SGD(groups, lr=1.0, momentum=options.momentum, nesterov=options.nesterov)
        decay = options.average_decay
        ema = {"multi_avg_fn": get_ema_multi_avg_fn(decay), "use_buffers": True}
        self.average = AveragedModel(network, **ema) if decay else None
        self.history: History = []
        self.reported_dead: set[int] = set()

    def run(
        self,
        validation: tuple[Tensor, Tensor] | None,
        folder: Path | None,
        verbose: bool | str,
        report: Callable[[dict[str, float]], None] | None,
    ) -> History:
        if validation is not None:
            _check(self.network, self.preparation, *validation)
        is_first = self.fabric.is_global_zero
        checkpoints = None
        if folder is not None and is_first:
            identity = run_identity(self.network, self.preparation, self.images, self.labels, self.options)
            checkpoints = Checkpoints(folder, identity)
        self._resume(checkpoints)
        self.module, self.optimizer = self.fabric.setup(self.network, self.optimizer)
        if checkpoints is not None and not self.history:
            checkpoints.write(
                self.network, self.average, self.optimizer, self.history
            )  # fails now if the folder is not writable
        steps = len(_batches(self.labels, self.options.batch_size))
        done, total = len(self.history), self.options.epochs
        with tqdm(total=total * steps, initial=done * steps, unit="batch", disable=not (verbose and is_first)) as bar:
            for epoch in range(done, total):
                bar.set_description(f"{verbose if isinstance(verbose, str) else ''}epoch {epoch + 1}/{total}")
                row = self._run_epoch(epoch, validation, bar)
                self.history.append(row)
                bar.set_postfix({name: f"{value:.4f}" for name, value in row.items() if "error" in name})
                if checkpoints is not None:
                    checkpoints.write(self.network, self.average, self.optimizer, self.history)
                if report is not None and is_first:
                    report(row)
        if self.average is not None:
            self.network.load_state_dict(self.average.module.state_dict())
        return self.history

    def _resume(self, checkpoints: Checkpoints | None) -> None:
        """Continue from the checkpoint, if there is one; the first process reads it for all."""
        found = self.fabric.broadcast(None if checkpoints is None else checkpoints.read())
        if found is not None:
            tensors, self.history = found
            restore(tensors, self.network, self.average, self.optimizer)

    def _run_epoch(self, epoch: int, validation: tuple[Tensor, Tensor] | None, bar: Any) -> dict[str, float]:
        """Train for one epoch, then evaluate; returns the epoch's row of the history."""
        start, processor_start = time.perf_counter(), time.process_time()
        with torch.random.fork_rng(range(torch.cuda.device_count())):
            measured = self._train_epoch(epoch, bar)
        before = self.history[-1] if self.history else {"seconds": 0.0, "processor_seconds": 0.0}
        row = {
            "epoch": epoch + 1,
            **measured,
            "seconds": before["seconds"] + time.perf_counter() - start,
            "processor_seconds": before["processor_seconds"] + time.process_time() - processor_start,
        }
        return row if validation is None else row | self._validate(*validation)

    def _train_epoch(self, epoch: int, bar: Any) -> dict[str, float]:
        options, device = self.options, self.fabric.device
        stage, number = options.stage(epoch)
        generator = torch.Generator().manual_seed(_mixed_seed(options.seed, epoch))
        order = torch.randperm(len(self.images), generator=generator)
        views = self.preparation.draw(len(self.images), generator, epoch=epoch, seed=options.seed)
        steps = len(_batches(order, options.batch_size))
        self.module.train()
        torch.manual_seed(_mixed_seed(options.seed, epoch, self.fabric.global_rank))  # for dropout, if there is any
        totals = torch.zeros(2, device=device)  # loss, wrong predictions
        highest = torch.full((self.n_outputs,), -math.inf, device=device)
        for step, (batch, own, weight) in enumerate(self._shares(order)):
            rate = self._set_learning_rates(stage, (number + (step + 0.5) / steps) / stage.epochs)
            x = self.preparation(self.images[own].to(device), views[own], distort=stage.distort)
            y = self.labels[own].to(device)
            # DDP averages over the processes, so this is the mean over the whole batch, however it was divided.
            log_odds, losses = self._step(x, y, weight * self.fabric.world_size / len(batch))
            with torch.no_grad():
                wrong = predicted_classes(log_odds) != y
                totals += weight * torch.stack([losses.sum(), wrong.sum()])
                highest = torch.maximum(highest, log_odds.amax(0).float())
            bar.update()
        totals = self._reduced(totals, "sum") / len(self.images)
        if not math.isfinite(totals[0]):
            raise ValueError(
                f"Training failed: the loss became {float(totals[0])} in epoch {epoch + 1}. "
                f"Use a smaller learning rate than {max(stage.rates(0.0) + stage.rates(1.0)):g}, or less momentum."
            )
        self._warn_of_dead_networks(self._reduced(highest, "max"))
        return {"learning_rate": rate, "training_loss": float(totals[0]), "training_error": float(totals[1])}

    def _set_learning_rates(self, stage: Stage, progress: float) -> float:
        """Set the learning rates after a share `progress` of the stage; returns that of the trunk."""
        of_trunk, of_head = stage.rates(progress)
        for group in self.optimizer.param_groups:
            group["lr"] = group["factor"] * (of_head if group["part"] == "head" else of_trunk)
        return of_trunk

    def _shares(self, order: Tensor) -> Iterator[tuple[Tensor, Tensor, float]]:
        """The batches, this process's part of each, and the weight of that part.

        A batch that is not larger than the number of processes is the part of all of them, since they must take the
        same steps and batch normalisation needs more than one image.
        """
        rank, world = self.fabric.global_rank, self.fabric.world_size
        for batch in _batches(order, self.options.batch_size):
            is_shared = 1 < world >= len(batch)
            yield batch, batch if is_shared else batch[rank::world], 1 / world if is_shared else 1.0

    def _step(self, x: Tensor, y: Tensor, scale: float) -> tuple[Tensor, Tensor]:
        """One step along the gradient of `scale` times the sum of the losses; returns log-odds and losses before it."""
        log_odds = self.module(x)
        losses = LOSSES[self.options.loss](log_odds, y, self.options.label_smoothing)
        self.optimizer.zero_grad()
        self.fabric.backward(losses.sum() * scale)
        self.optimizer.step()
        if self.average is not None:
            self.average.update_parameters(self.network)
        return log_odds, losses

    def _validate(self, images: Tensor, labels: Tensor) -> dict[str, float]:
        rank, world = self.fabric.global_rank, self.fabric.world_size
        y = labels[rank::world].long().to(self.fabric.device)
        network = self.network if self.average is None else self.average.module
        log_odds = evaluate(network, self.preparation, images[rank::world])
        losses = LOSSES[self.options.loss](log_odds, y, self.options.label_smoothing)
        wrong = predicted_classes(log_odds) != y
        totals = self._reduced(torch.stack([losses.sum(), wrong.sum()]), "sum") / len(images)
        return {"validation_loss": float(totals[0]), "validation_error": float(totals[1])}

    def _reduced(self, values: Tensor, operation: str) -> Tensor:
        return self.fabric.all_reduce(values, reduce_op=operation)  # type: ignore[return-value]

    def _warn_of_dead_networks(self, highest: Tensor) -> None:
        """Warn of each dead network once. highest: (C,), the largest log-odds of each network in this epoch."""
        present = set(self.labels.tolist())
        outputs = torch.nonzero(torch.sigmoid(highest) < DEAD).flatten().tolist()
        dead = {1 if self.n_outputs == 1 else output for output in outputs} & present - self.reported_dead
        self.reported_dead |= dead
        warn_of_dead_networks(sorted(dead), "image")


def _check(network: nn.Module, preparation: Preparation, images: Tensor, labels: Tensor) -> int:
    """Raise a ValueError if the network cannot be trained on these images; returns the number of its outputs."""
    if len(images) == 0 or labels.shape != (len(images),):
        raise ValueError(
            f"images has shape {tuple(images.shape)} and labels {tuple(labels.shape)}; "
            f"give at least one image, and one label for each."
        )
    if images.dtype != torch.uint8 and not images.is_floating_point():
        raise ValueError(f"images has dtype {images.dtype}; give uint8 from 0 to 255, or floats from 0 to 1.")
    if images.is_floating_point():
        check_range(images, "images")
    if any(isinstance(module, Whitening2d) and not module.weight.any() for module in network.modules()):
        raise ValueError(
            "The network's whitening has no filters yet: call network.fit_whitening(preparation(images[:5000])) first."
        )
    outputs = evaluate(network, preparation, images[:1]).shape[1]
    check_labels(labels.cpu().numpy(), max(outputs, 2))
    return outputs


def _batches(order: Tensor, size: int) -> list[Tensor]:
    """Batches of `size` images. Fewer than a quarter of a batch at the end go into the last one, since means over a few
    images would mislead batch normalisation.
    """
    batches = list(order.split(size))
    if len(batches) > 1 and len(batches[-1]) < size / 4:
        batches[-2:] = [torch.cat(batches[-2:])]
    return batches


def _parameter_groups(network: nn.Module, options: TrainingOptions) -> list[dict[str, Any]]:
    """The optimizer's parameter groups, one for each "part" ("trunk" or "head"), "factor" of the learning rate and
    weight decay.
    """
    weight_decay = options.weight_decay
    shifts = [module.bias for module in network.modules() if isinstance(module, BatchNormalization)]

    heads = ["head", *(name for name, module in network.named_modules() if isinstance(module, LDNNHead))]

    def layer_of(name: str) -> str:
        return "head" if name.startswith(tuple(f"{head}." for head in heads)) else name.rpartition(".")[0]

    named = list(network.named_parameters())
    layers = sorted(dict.fromkeys(layer_of(name) for name, _ in named), key=lambda layer: layer == "head")
    decays = weight_decay if isinstance(weight_decay, tuple) else (weight_decay,) * len(layers)
    if len(decays) != len(layers):
        raise ValueError(
            f"weight_decay has {len(decays)} numbers, but {len(layers)} parts of the network have weights "
            f"({', '.join(layers)}); give one number, or one for each of them."
        )
    decay_of = dict(zip(layers, decays, strict=True))
    groups: dict[tuple[str, float, float], list[nn.Parameter]] = {}
    for name, parameter in named:
        layer = layer_of(name)
        decay = 0.0 if name.endswith("bias") else decay_of[layer]
        factor = options.bias_rate_factor if any(parameter is shift for shift in shifts) else 1.0
        groups.setdefault(("head" if layer == "head" else "trunk", factor, decay), []).append(parameter)
    return [
        {"params": group, "part": part, "factor": factor, "weight_decay": decay}
        for (part, factor, decay), group in groups.items()
    ]


def _mixed_seed(*numbers: int) -> int:
    """One seed from several numbers."""
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0] >> np.uint64(1))
