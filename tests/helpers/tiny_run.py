"""A small training run, also for other processes: `python tiny_run.py <folder> [<seconds between epochs>] [<what>]`.

<what> is "modern" for a network with batch normalisation and averaged weights, "dying" if its process of rank 1 ends
after the second epoch.
"""

import os
import sys
import time

import torch

from ldnn.deep import (
    Block,
    Configuration,
    ConvLDNN,
    Convolution,
    MaxPool,
    Preparation,
    Stage,
    TrainingOptions,
    Whitening,
    one_cycle,
    train,
)

MODERN = Configuration((Whitening(2), Block(8), Block(8, pool=1), MaxPool(4, 4)), 2, 3)
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


def modern_run(**changes):
    """Network, preparation and options of a run with batch normalisation, shifts and averaged weights."""
    torch.manual_seed(0)
    prepare = Preparation((1, 10, 10), flip=True, shift=1)
    network = ConvLDNN(MODERN, (1, 10, 10), 3).fit_whitening(prepare(data()[0]))
    options = {"nesterov": True, "average_decay": 0.8, "bias_rate_factor": 4.0, "weight_decay": 0.001, **changes}
    return network, prepare, training_options(stages=one_cycle(4, 0.1), **options)


def state(network):
    return {name: tensor.clone() for name, tensor in network.state_dict().items()}


def assert_same(first, second):
    assert first.keys() == second.keys()
    for name in first:
        torch.testing.assert_close(first[name], second[name], rtol=0, atol=0)


def without_seconds(history):
    return [{name: value for name, value in row.items() if "seconds" not in name} for row in history]


def report(pause, what):
    def after_epoch(row):
        time.sleep(pause)
        if what == "dying" and row["epoch"] == 2:
            os._exit(1)

    return after_epoch


if __name__ == "__main__":
    torch.set_num_threads(1)
    given = sys.argv[1:]
    folder, pause, what = given + ["", "0", ""][len(given) :]
    network, prepare, options = modern_run() if what else (new_network(), preparation(), training_options())
    train(network, prepare, *data(), options, folder=folder, validation=data(), report=report(float(pause), what))
