"""Training a network on images: stages of learning rates, logs, checkpoints, one process or many.

Lightning Fabric does the plumbing. The same script runs on one processor or graphics card by itself, and on many under
`torchrun`: every process draws the same random numbers and takes its share of each batch, so the result depends on the
size of the (global) batch, not on the number of processes.
"""

import atexit
import csv
import hashlib
import io
import math
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from lightning_fabric import Fabric
from sklearn.exceptions import ConvergenceWarning
from torch import Tensor, nn
from tqdm import tqdm

from ..tensors import read_tensors, write_tensors
from ..whole import written_whole
from .augment import Preparation
from .images import check_range
from .layer import check_labels, log_loss, squared_loss

LOSSES: dict[str, Callable[[Tensor, Tensor, float], Tensor]] = {"log": log_loss, "squared": squared_loss}
CHECKPOINT, LOG = "checkpoint.safetensors", "log.csv"
_KIND = "checkpoint"
_DEAD = 1e-4  # a network whose output never exceeds this has died
_EVALUATION_BATCH = 500

History = list[dict[str, float]]


@dataclass(frozen=True)
class Stage:
    """Some epochs at one learning rate; the head may have its own, and `distort` turns rotation and scaling off."""

    epochs: int
    rate: float
    head_rate: float | None = None
    distort: bool = True


@dataclass(frozen=True)
class Settings:
    """How a network is trained.

    loss is "log" (cross-entropy) or "squared", both summed over the classes and averaged over the batch; softening
    makes the targets softening and 1 - softening; weight_decay draws weights (not biases) towards 0, as half of it
    times their squares in the loss would: one number for all layers, or one for each layer of the trunk that has
    weights and a last one for the head; batch_size counts the images of all processes together; seed fixes the order of
    the images and their random views.
    """

    stages: tuple[Stage, ...]
    momentum: float = 0.9
    batch_size: int = 128
    loss: str = "log"
    softening: float = 0.0
    weight_decay: float | tuple[float, ...] = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "stages", tuple(self.stages))
        if not isinstance(self.weight_decay, int | float):
            object.__setattr__(self, "weight_decay", tuple(self.weight_decay))
        if not self.stages or any(stage.epochs < 1 or stage.rate <= 0 for stage in self.stages):
            raise ValueError(
                f"stages={self.stages!r} is not allowed: give stages of at least one epoch, at rates above 0."
            )
        if self.loss not in LOSSES:
            raise ValueError(f"loss={self.loss!r} is not known: use {' or '.join(map(repr, LOSSES))}.")
        if not 0 <= self.momentum < 1:
            raise ValueError(f"momentum={self.momentum!r} is not allowed: give a number from 0 to below 1.")
        if not 0 <= self.softening < 0.5:
            raise ValueError(f"softening={self.softening!r} is not allowed: give a number from 0 to below 0.5.")
        if self.batch_size < 1:
            raise ValueError(f"batch_size={self.batch_size!r} is not allowed: give at least 1.")
        if not np.all(np.asarray(self.weight_decay) >= 0):
            raise ValueError(f"weight_decay={self.weight_decay!r} is not allowed: give numbers of at least 0.")

    @property
    def epochs(self) -> int:
        return sum(stage.epochs for stage in self.stages)

    def stage(self, epoch: int) -> Stage:
        """The stage that an epoch (counted from 0) belongs to."""
        for stage in self.stages:
            if epoch < stage.epochs:
                return stage
            epoch -= stage.epochs
        raise IndexError(epoch)


def available_device(device: str) -> str:
    """The device itself if it is there; for "auto", the fastest one that is."""
    available = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if device == "auto":
        return next(name for name, is_there in available.items() if is_there)
    if not available.get(device, False):
        usable = ", ".join(repr(name) for name, is_there in available.items() if is_there)
        raise ValueError(f"device={device!r} is not available here; use 'auto', or one of: {usable}.")
    return device


def launch(device: str = "auto", precision: str = "32-true") -> Fabric:
    """Fabric for this process: alone, or one of those that `torchrun` has started.

    device: "auto", "cpu", "cuda" or "mps"; precision: Fabric's, for example "16-mixed" or "bf16-mixed".
    """
    device = available_device(device)
    if device == "cpu" and precision.startswith("bf16") and not _multiplies_bfloat16():
        raise ValueError(
            f"precision={precision!r} does not work on this machine: its system does not let PyTorch use what the "
            "processor has for bfloat16; use '32-true'."
        )
    world, local = int(os.environ.get("WORLD_SIZE", 1)), int(os.environ.get("LOCAL_WORLD_SIZE", 1))
    fabric = Fabric(
        accelerator=device,
        devices=local,
        num_nodes=max(1, world // local),
        strategy="ddp" if world > 1 else "auto",
        precision=precision,  # type: ignore[arg-type]
    )
    fabric.launch()
    if world > 1:
        atexit.register(_leave_the_others)
    return fabric


def _leave_the_others() -> None:
    """When a process ends that was one of several: threads that still listen to the others would abort it."""
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


@lru_cache(maxsize=1)
def _multiplies_bfloat16() -> bool:
    """Whether PyTorch can multiply such numbers on this processor: asked of a process of its own, since where the
    system forbids instructions that the processor announces, some products end the process, and others spoil it.
    """
    products = (
        "import torch; ones = lambda *shape: torch.ones(*shape, dtype=torch.bfloat16); "
        "ones(64, 64) @ ones(64, 64); ones(576, 9) @ ones(9, 4)"
    )
    return subprocess.run([sys.executable, "-c", products], capture_output=True, check=False).returncode == 0


def train(
    network: nn.Module,
    preparation: Preparation,
    images: Tensor,
    labels: Tensor,
    settings: Settings,
    *,
    validation: tuple[Tensor, Tensor] | None = None,
    folder: str | Path | None = None,
    fabric: Fabric | None = None,
    verbose: bool = False,
    report: Callable[[dict[str, float]], None] | None = None,
) -> History:
    """Train a network in place by stochastic gradient descent with momentum.

    Parameters
    ----------
    network : Module
        Prepared images to log-odds. What it calls `head` learns at `head_rate`, everything else at `rate`.
    preparation : Preparation
        Makes the network's input from the stored images.
    images, labels : Tensors of shape (n, channels, height, width), uint8 or float from 0 to 1, and (n,)
        Class numbers from 0; 0 and 1 for a network with one output.
    settings : Settings
    validation : (images, labels) or None
        What is measured after each epoch; nothing is chosen by it.
    folder : path or None
        Keeps a checkpoint of the last full epoch, from which the same call goes on to the same result, and log.csv.
    fabric : Fabric or None
        From `launch`; None takes what there is.
    verbose : bool
        Whether to show a progress bar.
    report : function or None
        Called after each epoch with its row of the history; one that writes to TensorBoard, say.

    Returns
    -------
    list of one dict for each epoch: epoch (from 1), rate, training_loss and training_error (as measured just before
    each batch was learned), seconds (of training, since the first epoch), processor_seconds (the same, as spent by this
    process on its processor), validation_loss and validation_error
    """
    return _Run(network, preparation, images, labels, settings, fabric or launch()).go(
        validation, None if folder is None else Path(folder), verbose, report
    )


class _Run:
    """One call of `train`, in one of its processes."""

    def __init__(
        self,
        network: nn.Module,
        preparation: Preparation,
        images: Tensor,
        labels: Tensor,
        settings: Settings,
        fabric: Fabric,
    ):
        self.n_outputs = _check(network, preparation, images, labels)
        self.network = network
        self.preparation = preparation.to(fabric.device)
        self.images = images
        self.labels = labels.long().cpu()
        self.settings = settings
        self.fabric = fabric
        groups = _groups(network, settings.weight_decay)
        self.optimizer = torch.optim.SGD(groups, lr=1.0, momentum=settings.momentum)
        self.history: History = []
        self.warned: set[int] = set()

    def go(
        self,
        validation: tuple[Tensor, Tensor] | None,
        folder: Path | None,
        verbose: bool,
        report: Callable[[dict[str, float]], None] | None,
    ) -> History:
        if validation is not None:
            _check(self.network, self.preparation, *validation)
        is_first = self.fabric.is_global_zero
        if folder is not None:
            self._resume(folder)
        self.module, self.optimizer = self.fabric.setup(self.network, self.optimizer)
        if folder is not None and is_first and not self.history:
            self._keep(folder)  # before any work is done: the folder can be written to
        steps = math.ceil(len(self.images) / self.settings.batch_size)
        done, total = len(self.history), self.settings.epochs
        with tqdm(total=total * steps, initial=done * steps, unit="batch", disable=not (verbose and is_first)) as bar:
            for epoch in range(done, total):
                bar.set_description(f"epoch {epoch + 1}/{total}")
                start, processor_start = time.perf_counter(), time.process_time()
                with torch.random.fork_rng(range(torch.cuda.device_count())):
                    measured = self._train_epoch(epoch, bar)
                before = self.history[-1] if self.history else {"seconds": 0.0, "processor_seconds": 0.0}
                row = {
                    "epoch": epoch + 1,
                    "rate": self.settings.stage(epoch).rate,
                    **measured,
                    "seconds": before["seconds"] + time.perf_counter() - start,
                    "processor_seconds": before["processor_seconds"] + time.process_time() - processor_start,
                }
                if validation is not None:
                    row |= self._measure(*validation)
                self.history.append(row)
                bar.set_postfix({name: f"{value:.4f}" for name, value in row.items() if "error" in name})
                if folder is not None and is_first:
                    self._keep(folder)
                if report is not None and is_first:
                    report(row)
        return self.history

    def _train_epoch(self, epoch: int, bar: Any) -> dict[str, float]:
        settings, device = self.settings, self.fabric.device
        stage = settings.stage(epoch)
        for group in self.optimizer.param_groups:
            is_head = group["part"] == "head" and stage.head_rate is not None
            group["lr"] = stage.head_rate if is_head else stage.rate
        generator = torch.Generator().manual_seed(_mixed(settings.seed, epoch))
        order = torch.randperm(len(self.images), generator=generator)
        views = self.preparation.draw(len(self.images), generator)
        loss_of = LOSSES[settings.loss]
        self.module.train()
        torch.manual_seed(_mixed(settings.seed, epoch, self.fabric.global_rank))  # for dropout, should there be any
        totals = torch.zeros(2, device=device)  # loss, wrong predictions
        highest = torch.full((self.n_outputs,), -math.inf, device=device)
        for batch, own, weight in self._shares(order):
            x = self.preparation(self.images[own].to(device), views[own], distort=stage.distort)
            y = self.labels[own].to(device)
            log_odds = self.module(x)
            losses = loss_of(log_odds, y, settings.softening)
            self.optimizer.zero_grad()
            # DDP averages over the processes: so this is the mean over the whole batch, however it was divided.
            self.fabric.backward(losses.sum() * (weight * self.fabric.world_size / len(batch)))
            self.optimizer.step()
            with torch.no_grad():
                wrong = predicted_codes(log_odds) != y
                totals += weight * torch.stack([losses.sum(), wrong.sum()])
                highest = torch.maximum(highest, log_odds.amax(0).float())
            bar.update()
        totals = self._reduced(totals, "sum") / len(self.images)
        if not math.isfinite(totals[0]):
            raise ValueError(
                f"Training failed: the loss became {float(totals[0])} in epoch {epoch + 1}. "
                f"Use a smaller learning rate than {stage.rate:g}, or less momentum."
            )
        self._warn_of_dead_networks(self._reduced(highest, "max"))
        return {"training_loss": float(totals[0]), "training_error": float(totals[1])}

    def _shares(self, order: Tensor) -> Iterator[tuple[Tensor, Tensor, float]]:
        """The batches, this process's part of each, and its weight: 0 where nothing is left for this process, which
        must do the same sequence of steps as the others all the same.
        """
        for batch in order.split(self.settings.batch_size):
            own = batch[self.fabric.global_rank :: self.fabric.world_size]
            yield batch, own if len(own) else batch[:1], float(len(own) > 0)

    def _reduced(self, values: Tensor, operation: str) -> Tensor:
        return self.fabric.all_reduce(values, reduce_op=operation)  # type: ignore[return-value]

    def _measure(self, images: Tensor, labels: Tensor) -> dict[str, float]:
        rank, world = self.fabric.global_rank, self.fabric.world_size
        y = labels[rank::world].long().to(self.fabric.device)
        log_odds = evaluate(self.network, self.preparation, images[rank::world])
        losses = LOSSES[self.settings.loss](log_odds, y, self.settings.softening)
        wrong = predicted_codes(log_odds) != y
        totals = self._reduced(torch.stack([losses.sum(), wrong.sum()]), "sum") / len(images)
        return {"validation_loss": float(totals[0]), "validation_error": float(totals[1])}

    def _warn_of_dead_networks(self, highest: Tensor) -> None:
        """A network of squared loss whose output is near 0 everywhere has no gradient left to learn from."""
        present = set(self.labels.tolist())
        dead = torch.nonzero(torch.sigmoid(highest) < _DEAD).flatten().tolist()
        codes = {1 if self.n_outputs == 1 else code for code in dead} & present - self.warned
        if codes:
            self.warned |= codes
            warnings.warn(
                f"The networks of these classes have died: {', '.join(map(str, sorted(codes)))}. Their outputs are "
                f"below {_DEAD:g} for every training image. Use a smaller learning rate, or loss='log', whose gradient "
                "does not vanish there.",
                ConvergenceWarning,
            )

    # --- checkpoints --------------------------------------------------------------------------------------------------

    @cached_property
    def _identity(self) -> dict[str, Any]:
        """What a checkpoint must agree with, so that going on from it gives what an uninterrupted run would give."""
        digest = hashlib.sha256(self.images.cpu().contiguous().numpy().data)
        digest.update(self.labels.numpy().data)
        return {
            "network": repr(self.network),
            "parameters": {name: list(tensor.shape) for name, tensor in self.network.state_dict().items()},
            "preparation": {
                name: getattr(self.preparation, name)
                for name in ("image_shape", "output_shape", "max_rotation", "max_scaling")
            }
            | {"mean": hashlib.sha256(self.preparation.mean.cpu().numpy().data).hexdigest()},
            "settings": asdict(self.settings),
            "images": digest.hexdigest(),
        }

    def _keep(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        tensors = {f"network.{name}": tensor for name, tensor in self.network.state_dict().items()}
        for number, state in self.optimizer.state_dict()["state"].items():
            if state.get("momentum_buffer") is not None:
                tensors[f"momentum.{number}"] = state["momentum_buffer"]
        tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
        description = {"identity": self._identity, "history": self.history}
        write_tensors(folder / CHECKPOINT, tensors, _KIND, description, framework="torch")
        if self.history:
            text = io.StringIO()
            writer = csv.DictWriter(text, fieldnames=list(self.history[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.history)
            with written_whole(folder / LOG) as part:
                part.write_text(text.getvalue(), newline="")

    def _resume(self, folder: Path) -> None:
        """Go on from the folder's checkpoint, if there is one; the first process reads it for all."""
        found = None
        if self.fabric.is_global_zero and (folder / CHECKPOINT).exists():
            found = read_tensors(folder / CHECKPOINT, [_KIND], framework="torch")
            self._check_identity(folder / CHECKPOINT, found[1]["identity"])
        found = self.fabric.broadcast(found)
        if found is None:
            return
        tensors, description = found
        prefix = "network."
        self.network.load_state_dict(
            {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
        )
        state = {
            int(name.removeprefix("momentum.")): {"momentum_buffer": tensor}
            for name, tensor in tensors.items()
            if name.startswith("momentum.")
        }
        self.optimizer.load_state_dict({**self.optimizer.state_dict(), "state": state})
        self.history = description["history"]

    def _check_identity(self, path: Path, theirs: dict[str, Any]) -> None:
        named = {
            "network": "another network", "parameters": "another network", "preparation": "other views of the images",
            "settings": "other settings", "images": "other images or labels",
        }  # fmt: skip
        ours = _as_json(self._identity)
        for part, what in named.items():
            if ours[part] != theirs.get(part):
                raise ValueError(
                    f"The checkpoint {path} was written for {what}; "
                    f"give another folder, or remove the file to start over."
                )


@torch.inference_mode()
def evaluate(network: nn.Module, preparation: Preparation, images: Tensor) -> Tensor:
    """The log-odds (n, C) of stored images, as seen at test; on the network's device, in float32."""
    device = next(network.parameters()).device
    was_training = network.training
    network.eval()
    preparation = preparation.to(device)
    try:
        parts = [network(preparation(part.to(device))).float() for part in images.split(_EVALUATION_BATCH)]
        return torch.cat(parts)
    finally:
        network.train(was_training)


def predicted_codes(log_odds: Tensor) -> Tensor:
    """The class number with the largest f; for one output, whether f is above 1/2."""
    return (log_odds[:, 0] > 0).long() if log_odds.shape[1] == 1 else log_odds.argmax(1)


def _check(network: nn.Module, preparation: Preparation, images: Tensor, labels: Tensor) -> int:
    """Refuse what cannot be trained on; the number of the network's outputs."""
    if len(images) == 0 or labels.shape != (len(images),):
        raise ValueError(
            f"images has shape {tuple(images.shape)} and labels {tuple(labels.shape)}; "
            f"give at least one image, and one label for each."
        )
    if images.dtype != torch.uint8 and not images.is_floating_point():
        raise ValueError(f"images has dtype {images.dtype}; give uint8 from 0 to 255, or floats from 0 to 1.")
    if images.is_floating_point():
        check_range(images, "images")
    outputs = evaluate(network, preparation, images[:1]).shape[1]
    check_labels(labels.cpu().numpy(), max(outputs, 2))
    return outputs


def _groups(network: nn.Module, weight_decay: float | tuple[float, ...]) -> list[dict[str, Any]]:
    """The parameters for the optimizer, grouped by their part, "trunk" or "head", and their weight decay."""

    def layer_of(name: str) -> str:
        return "head" if name.startswith("head.") else name.rpartition(".")[0]

    named = list(network.named_parameters())
    layers = sorted(dict.fromkeys(layer_of(name) for name, _ in named), key=lambda layer: layer == "head")
    decays = weight_decay if isinstance(weight_decay, tuple) else (weight_decay,) * len(layers)
    if len(decays) != len(layers):
        raise ValueError(
            f"weight_decay has {len(decays)} numbers, but {len(layers)} parts of the network have weights "
            f"({', '.join(layers)}); give one number, or one for each of them."
        )
    decay_of = dict(zip(layers, decays, strict=True))
    groups: dict[tuple[str, float], list[nn.Parameter]] = {}
    for name, parameter in named:
        layer = layer_of(name)
        decay = 0.0 if name.endswith("bias") else decay_of[layer]
        groups.setdefault(("head" if layer == "head" else "trunk", decay), []).append(parameter)
    return [{"params": group, "part": part, "weight_decay": decay} for (part, decay), group in groups.items()]


def _mixed(*numbers: int) -> int:
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0] >> np.uint64(1))


def _as_json(value: Any) -> Any:
    """As it comes back from a file: tuples as lists."""
    if isinstance(value, dict):
        return {name: _as_json(part) for name, part in value.items()}
    return [_as_json(part) for part in value] if isinstance(value, list | tuple) else value
