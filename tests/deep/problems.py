"""A small problem for training, also for other processes: `python problems.py <folder> [<seconds between epochs>]`."""

import sys
import time

import torch

from ldnn.deep import Configuration, ConvLDNN, Convolution, MaxPool, Preparation, Settings, Stage, train

CONFIGURATION = Configuration((Convolution(4, 3), MaxPool(2, 2)), 2, 3)
STAGES = (Stage(2, 0.05, head_rate=0.1), Stage(2, 0.01, distort=False))


def problem(count=49, classes=3):
    """Images whose bright quarter is their class."""
    generator = torch.Generator().manual_seed(1)
    labels = torch.arange(count) % classes
    images = torch.rand(count, 1, 10, 10, generator=generator) / 2
    for code, (top, left) in enumerate([(0, 0), (5, 5), (0, 5)][:classes]):
        images[labels == code, :, top : top + 5, left : left + 5] += 0.5
    return images, labels


def fresh(classes=3, head="ldnn"):
    torch.manual_seed(0)
    return ConvLDNN(CONFIGURATION, (1, 8, 8), 1 if classes == 2 else classes, head)


def preparation():
    return Preparation((1, 10, 10), crop=8, max_rotation=15, max_scaling=0.15)


def settings(**options):
    return Settings(**{"stages": STAGES, "batch_size": 16, "seed": 5, **options})


if __name__ == "__main__":
    torch.set_num_threads(1)
    images, labels = problem()
    pause = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
    train(
        fresh(), preparation(), images, labels, settings(), folder=sys.argv[1], validation=(images, labels),
        report=lambda row: time.sleep(pause),
    )  # fmt: skip
