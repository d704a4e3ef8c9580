"""One run of an image experiment: train a network, evaluate it on the test images, and return the record.

A task's settings name the network and its head, the stages of training, and how images are prepared. A run keeps a
checkpoint of its last epoch in a folder under `RUNS`, where a run that was killed resumes. The finished runs of a task
form an ensemble.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.machine import describe_machine
from ldnn import datasets

from . import predictions
from .tasks import Record, Task

if TYPE_CHECKING:
    from torch import Tensor

    from ldnn.deep import Configuration, ConvLDNN, TrainingOptions

RUNS = Path(__file__).parent / "runs"
LOADERS: dict[str, Any] = {"mnist": datasets.load_mnist_images, "svhn": lambda: datasets.load_svhn(extra=True)}
VIEWS = ("crop", "max_rotation", "max_scaling", "flip", "shift")  # options of `Preparation`
WHITENING_IMAGES = 5000
CHANNELS_FIRST = ("norb", "norb_cluttered")


@dataclass(frozen=True)
class ImageSplit:
    """Training and test images, (n, channels, height, width), and their classes."""

    train: "Tensor"
    train_labels: "Tensor"
    test: "Tensor"
    test_labels: "Tensor"
    n_classes: int


def run(task: Task, repeat: int, first: Record | None) -> Record:
    """Train network number `repeat`, which is also its seed, and measure it after each epoch."""
    import torch

    from ldnn.deep import Preparation, evaluate, launch, probabilities, train
    from ldnn.deep.inference import predicted_classes

    from .head_diagnosis import Diagnosis

    torch.set_num_threads(1)
    options = dict(task.settings)
    images = load(
        task.data, options.pop("held_out", None), options.pop("image_size", None), options.pop("grey", False),
        options.pop("train_images", None),
    )  # fmt: skip
    channels, height, width = images.train.shape[1:]
    views = {name: options.pop(name) for name in VIEWS if name in options}
    preparation = Preparation((channels, height, width), **views)
    if options.pop("subtract_mean", False):
        preparation.fit_mean(images.train)
    torch.manual_seed(repeat)
    network = build(options, preparation.output_shape, images.n_classes)
    network.fit_whitening(preparation(images.train[:WHITENING_IMAGES]))
    folder = RUNS / _name(task) / f"network-{repeat}"
    test_views = options.pop("test_views", False)
    fabric = launch(precision=options.pop("precision", "32-true"))
    diagnose, training = options.pop("diagnose", False), _training_options(options, repeat)
    validation = (images.test, images.test_labels)
    diagnosis = Diagnosis(network, preparation, *validation, training, folder / "diagnosis.jsonl") if diagnose else None
    if diagnosis and not diagnosis.path.exists():
        diagnosis({"epoch": 0})
    history = train(
        network, preparation, images.train, images.train_labels, training,
        validation=validation, folder=folder, fabric=fabric, report=diagnosis,
    )  # fmt: skip
    log_odds = evaluate(network, preparation, images.test, views=test_views)
    ensemble = predictions.PREDICTIONS / _name(task)
    predictions.store(ensemble, repeat, probabilities(log_odds))
    last = history[-1]
    wrong = predicted_classes(log_odds.cpu()) != images.test_labels
    return {
        "test_error": round(100 * float(wrong.double().mean()), 4),
        "train_error": round(100 * last["training_error"], 4),
        "voting": predictions.ensemble_error(ensemble, images.test_labels.numpy()),
        "epochs": len(history),
        "fit_seconds": round(last["seconds"], 1),
        "fit_cpu_seconds": round(last["processor_seconds"], 1),
        "parameters": sum(parameter.numel() for parameter in network.parameters()),
        "train_rows": len(images.train),
        "test_rows": len(images.test),
        "history": [{name: round(value, 6) for name, value in row.items()} for row in history],
        **({"diagnosis": diagnosis.rows()} if diagnosis else {}),
        "machine": {**describe_machine(), "torch": torch.__version__},
    }


@lru_cache(maxsize=1)
def load(
    name: str, held_out: int | None, image_size: int | None, grey: bool, train_images: int | None = None
) -> ImageSplit:
    """The official split of a set. With held_out, its last training images take the place of the test images; with
    train_images, only the first of the remaining training images are used.
    """
    import torch

    from ldnn.deep import as_images, rescale, to_grey

    bunch = LOADERS.get(name, getattr(datasets, f"load_{name}"))()
    stored = bunch.images
    tensor = torch.from_numpy(stored) if name in CHANNELS_FIRST else as_images(stored)
    if grey:
        tensor = to_grey(tensor)
    if image_size is not None:
        tensor = rescale(tensor, (image_size, image_size))
    labels = torch.from_numpy(bunch.target)
    train, test = (torch.from_numpy(bunch[part]) for part in ("train", "test"))
    if held_out is not None:
        train, test = train[:-held_out], train[-held_out:]
    train = train[:train_images]
    return ImageSplit(tensor[train], labels[train], tensor[test], labels[test], len(bunch.target_names))


def build(options: dict[str, Any], image_shape: tuple[int, int, int], n_classes: int) -> "ConvLDNN":
    """A network with its random start. The options that describe the network are removed from `options`."""
    from ldnn.deep import ConvLDNN, configuration_for

    network, head = options.pop("network"), options.pop("head")
    is_modern = isinstance(network, Mapping) and "width" in network
    configuration = configuration_for(image_shape, n_classes, **network) if is_modern else _configuration(network)
    others = {name: options.pop(name) for name in ("normalize", "start_scale") if name in options}
    return ConvLDNN(configuration, image_shape, n_classes, head, **others)


def _training_options(options: Mapping[str, Any], seed: int) -> "TrainingOptions":
    """A stage is (epochs, rate), (epochs, rate, rate of the head), or these and whether images are distorted."""
    from ldnn.deep import Stage, TrainingOptions

    stages = tuple(Stage(*stage) for stage in options["stages"])
    return TrainingOptions(**{**options, "stages": stages, "seed": seed})


def _configuration(network: str | Mapping[str, Any]) -> "str | Configuration":
    """One of the paper's configurations by its name, or one made of layers (kind, sizes) and the size of the LDNNs."""
    from ldnn.deep import Configuration, Convolution, Local, MaxPool

    if isinstance(network, str):
        return network
    kinds = {"convolution": Convolution, "max_pool": MaxPool, "local": Local}
    layers = [kinds[kind](**sizes) for kind, sizes in network["layers"]]
    return Configuration(tuple(layers), network["n_conjunctions"], network["n_discriminants"])


def _name(task: Task) -> str:
    """The folder of the task's networks, which depends on its configuration."""
    digest = hashlib.sha256(json.dumps(task.config(), sort_keys=True).encode()).hexdigest()[:8]
    words = "".join(letter if letter.isalnum() else "-" for letter in f"{task.data} {task.classifier}")
    return f"{words}-{digest}"
