"""How fast are networks of images trained, beside the machine's own convolutions?

Images of 32x32 pixels in colour, with mirrored and shifted views, through `train` and through a plain loop of PyTorch
on images that are prepared already. All threads of PyTorch are used.
"""

import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import torch
from torch import Tensor, nn

from ldnn.deep import ConvLDNN, Preparation, Stage, TrainingOptions, configuration_for, log_loss, train
from ldnn.deep.image_plan import network_work

from .harness import Parts, Question, Result, figure

SHAPE = (3, 32, 32)
CLASSES = 10


def parts(quick: bool) -> Parts:
    steps, batch = (2, 16) if quick else (6, 256)
    return {
        "the machine": partial(machine, 8 if quick else 128),
        **{
            f"width {width:g}": partial(speed, width, steps, batch)
            for width in ((0.25,) if quick else (0.25, 0.5, 1.0))
        },
    }


def machine(batch: int) -> Result:
    """GFLOP/s of a matrix product, and of the forward and backward pass of a convolution with adjacent channels."""
    a = torch.rand(1024, 1024)
    convolution = nn.Conv2d(64, 256, 3, padding=1, bias=False).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    x = torch.rand(batch, 64, 15, 15).contiguous(memory_format=torch.channels_last).requires_grad_()
    product = _shortest(lambda: a @ a)
    passes = _shortest(lambda: convolution(x).sum().backward())
    operations = 6 * 9 * 64 * 256 * 15 * 15 * batch
    return {
        "figures": [
            figure("threads of PyTorch", torch.get_num_threads()),
            figure("matrix product", 2 * 1024**3 / product / 1e9, "GFLOP/s"),
            figure("convolution, forwards and backwards", operations / passes / 1e9, "GFLOP/s"),
        ]
    }


def speed(width: float, steps: int, batch: int) -> Result:
    """Images per second of both loops; the shorter of two epochs each."""
    torch.manual_seed(0)
    images = torch.randint(256, (steps * batch, *SHAPE), dtype=torch.uint8)
    labels = torch.arange(len(images)) % CLASSES
    preparation = Preparation(SHAPE, flip=True, shift=2).fit_mean(images)
    configuration = configuration_for(SHAPE, CLASSES, width)
    network = ConvLDNN(configuration, SHAPE, CLASSES).fit_whitening(preparation(images))
    options = TrainingOptions((Stage(3, 0.01),), nesterov=True, batch_size=batch)
    ends = [row["seconds"] for row in train(network, preparation, images, labels, options)]
    ours = min(end - start for start, end in pairwise(ends))
    plain = _plain_epoch(network, preparation(images), labels, batch)
    views = preparation.draw(batch, torch.Generator().manual_seed(0))
    augmentation = steps * _shortest(lambda: preparation(images[:batch], views))
    operations = network_work(configuration, SHAPE)[0] * len(images)
    name = f"width {width:g}"
    return {
        "figures": [
            figure(f"{name}: train", len(images) / ours, "images/s"),
            figure(f"{name}: train", operations / ours / 1e9, "GFLOP/s"),
            figure(f"{name}: plain loop", len(images) / plain, "images/s"),
            figure(f"{name}: train / plain loop, time", ours / plain, "times", at_most=1.1),
            figure(f"{name}: share of augmentation", 100 * augmentation / ours, "%", at_most=5),
        ]
    }


def _plain_epoch(network: nn.Module, x: Tensor, labels: Tensor, batch: int) -> float:
    """Seconds of an epoch of a plain loop."""
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9, nesterov=True)
    network.train()

    def epoch() -> None:
        for part, y in zip(x.split(batch), labels.split(batch), strict=True):
            optimizer.zero_grad()
            log_loss(network(part), y).mean().backward()
            optimizer.step()

    return _shortest(epoch, repeats=2)


def _shortest(function: Callable[[], object], repeats: int = 5) -> float:
    """The shortest time of a few calls, after one that is not counted."""
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


QUESTION = Question("images", "How fast are networks of images trained?", parts, threads=None)
