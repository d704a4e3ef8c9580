"""One recipe for each image experiment of the paper's section V: what its text says, and what it leaves open.

The full recipes have the paper's networks, epochs and rates. Few people have the weeks of processor time or the graphics
card for these: `shortened` has the same networks and images with schedules of minutes to hours on one core.
"""

from typing import Any

from . import networks
from .tasks import Experiment, Task

HELD_OUT = 10_000  # the last training images, by which everything is chosen that the paper leaves open


def _layers(*layers: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return {"layers": layers, "n_conjunctions": 5, "n_discriminants": 5}


def _convolution(maps: int, padding: int = 0) -> tuple[str, dict[str, Any]]:
    return "convolution", {"maps": maps, "kernel": 7, "padding": padding}


_POOL = ("max_pool", {"size": 2, "stride": 2})

# The paper says 7x7 filters, 20 and 15 maps, and nothing about padding or pooling.
GEOMETRIES = {
    "28x28 maps, pooled, 8x8 maps, pooled": _layers(_convolution(20, padding=3), _POOL, _convolution(15), _POOL),
    "28x28 maps, pooled, 8x8 maps": _layers(_convolution(20, padding=3), _POOL, _convolution(15)),
    "22x22 maps, pooled, 5x5 maps": _layers(_convolution(20), _POOL, _convolution(15)),
}


def mnist_geometry() -> Experiment:
    """How maps are padded and pooled: two epochs of each on 50,000 training images, judged by the other 10,000."""
    training = {"stages": ((2, 0.5),), "momentum": 0.0, "batch_size": 32, "loss": "squared"}
    tasks = [
        Task("mnist", name, "network", {"network": network, "head": "ldnn", "held_out": HELD_OUT, **training}, repeats=2)
        for name, network in GEOMETRIES.items()
    ]
    return Experiment("mnist-geometry", "MNIST: padding and pooling", tuple(tasks), networks.run)


RECIPES = (mnist_geometry,)
