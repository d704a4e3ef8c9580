"""The folder of a training run: a checkpoint of its last full epoch, and its log."""

import csv
import hashlib
import io
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from .._io.atomic import atomic_write
from .._io.tensors import read_tensors, write_tensors
from .augmentation import Preparation
from .training_options import TrainingOptions

CHECKPOINT, LOG = "checkpoint.safetensors", "log.csv"
_KIND = "checkpoint"
_NETWORK, _MOMENTUM, _AVERAGE = "network.", "momentum.", "average."  # prefixes of the names of tensors
_OTHER_RUNS = {
    "network": "another network",
    "parameters": "another network",
    "preparation": "other views of the images",
    "options": "other training options",
    "images": "other images or labels",
}

History = list[dict[str, float]]
Tensors = dict[str, Tensor]


def run_identity(
    network: nn.Module, preparation: Preparation, images: Tensor, labels: Tensor, options: TrainingOptions
) -> dict[str, Any]:
    """Everything that must be the same when a run is resumed, so that it ends like an uninterrupted one."""
    digest = hashlib.sha256(images.cpu().contiguous().numpy().data)
    digest.update(labels.numpy().data)
    views = ("image_shape", "output_shape", "max_rotation", "max_scaling", "flip", "shift")
    return {
        "network": repr(network),
        "parameters": {name: list(tensor.shape) for name, tensor in network.state_dict().items()},
        "preparation": {name: getattr(preparation, name) for name in views}
        | {"mean": hashlib.sha256(preparation.mean.cpu().numpy().data).hexdigest()},
        "options": asdict(options),
        "images": digest.hexdigest(),
    }


class Checkpoints:
    """Writes and reads the checkpoint and the log of one run in `folder`."""

    def __init__(self, folder: Path, identity: dict[str, Any]):
        self.folder = folder
        self.identity = identity

    def write(
        self, network: nn.Module, average: nn.Module | None, optimizer: torch.optim.Optimizer, history: History
    ) -> None:
        """Write both files; each one replaces its predecessor only when it is complete."""
        self.folder.mkdir(parents=True, exist_ok=True)
        tensors = {f"{_NETWORK}{name}": tensor for name, tensor in network.state_dict().items()}
        if average is not None:
            tensors |= {f"{_AVERAGE}{name}": tensor for name, tensor in average.state_dict().items()}
        for number, state in optimizer.state_dict()["state"].items():
            if state.get("momentum_buffer") is not None:
                tensors[f"{_MOMENTUM}{number}"] = state["momentum_buffer"]
        tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
        description = {"identity": self.identity, "history": history}
        write_tensors(self.folder / CHECKPOINT, tensors, _KIND, description, framework="torch")
        if history:
            with atomic_write(self.folder / LOG) as part:
                part.write_text(_as_csv(history), newline="")

    def read(self) -> tuple[Tensors, History] | None:
        """The tensors and the history of the checkpoint, or None if there is none.

        A checkpoint of another run raises a ValueError.
        """
        path = self.folder / CHECKPOINT
        if not path.exists():
            return None
        file = read_tensors(path, [_KIND], framework="torch")
        identity, found = _as_json(self.identity), file.description.get("identity")
        for part, other_run in _OTHER_RUNS.items():
            if not isinstance(found, dict) or identity[part] != found.get(part):
                raise ValueError(
                    f"The checkpoint {path} was written for {other_run}; "
                    f"give another folder, or remove the file to start over."
                )
        return file.tensors, file.description["history"]


def restore(tensors: Tensors, network: nn.Module, average: nn.Module | None, optimizer: torch.optim.Optimizer) -> None:
    """Set a network, its average if there is one, and its optimizer to the state in a checkpoint."""
    network.load_state_dict(_with_prefix(tensors, _NETWORK))
    if average is not None:
        average.load_state_dict(_with_prefix(tensors, _AVERAGE))
    state = {int(number): {"momentum_buffer": buffer} for number, buffer in _with_prefix(tensors, _MOMENTUM).items()}
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})


def _with_prefix(tensors: Tensors, prefix: str) -> Tensors:
    """The tensors whose names start with a prefix, named without it."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def _as_csv(history: History) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(history[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(history)
    return text.getvalue()


def _as_json(value: Any) -> Any:
    """The value as JSON returns it, with lists in place of tuples."""
    if isinstance(value, dict):
        return {name: _as_json(part) for name, part in value.items()}
    return [_as_json(part) for part in value] if isinstance(value, list | tuple) else value
