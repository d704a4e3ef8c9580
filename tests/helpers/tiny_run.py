"""A small training run, also for other processes: `python tiny_run.py <folder> [<seconds between epochs>]`."""

import sys
import time

import torch

from ldnn.deep import Configuration, ConvLDNN, Convolution, MaxPool, Preparation, Stage, TrainingOptions, train

CONFIGURATION = Configuration((Convolution(4, 3), MaxPool(2, 2)), 2, 3)
STAGES = (Stage(2, 0.05, head_learning_rate=0.1), Stage(2, 0.01, distort=False))


def data(count=49, classes=3):
    """Images whose bright quarter is their class."""
    generator = torch.Generator().manual_seed(1)
    labels = torch.arange(count) % classes
    images = torch.rand(count, 1, 10, 10, generator=generator) / 2
    for label, (top, left) in enumerate([(0, 0), (5, 5), (0, 5)][:classes]):
        images[labels == label, :, top : top + 5, left : left + 5] += 0.5
    return images, labels


def new_network(classes=3, head="ldnn"):
    torch.manual_seed(0)
    return ConvLDNN(CONFIGURATION, (1, 8, 8), 1 if classes == 2 else classes, head)


def preparation():
    return Preparation((1, 10, 10), crop=8, max_rotation=15, max_scaling=0.15)


def training_options(**changes):
    return TrainingOptions(**{"stages": STAGES, "batch_size": 16, "seed": 5, **changes})


def state(network):
    return {name: tensor.clone() for name, tensor in network.state_dict().items()}


def assert_same(first, second):
    assert first.keys() == second.keys()
    for name in first:
        torch.testing.assert_close(first[name], second[name], rtol=0, atol=0)


def without_seconds(history):
    return [{name: value for name, value in row.items() if "seconds" not in name} for row in history]


if __name__ == "__main__":
    torch.set_num_threads(1)
    images, labels = data()
    pause = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
    train(
        new_network(), preparation(), images, labels, training_options(), folder=sys.argv[1],
        validation=(images, labels), report=lambda row: time.sleep(pause),
    )  # fmt: skip
