"""What an LDNN head costs beside a fully connected one with as many hidden units.

    python -m benchmarks.head

Forward and backward of each head and its cross-entropy, on one thread: the smallest of many times, measured in turn.
"""

import json
import time
from typing import Any

import torch
from torch import Tensor, nn

from ldnn.deep import LDNN, log_loss

BATCH, SECONDS = 128, 5.0
SIZES = [  # features, classes, conjunctions, discriminants
    ("small maps", 240, 10, 5, 5),
    ("MNIST", 960, 10, 5, 5),
    ("CIFAR-10, crops of 24", 1152, 10, 7, 7),
    ("CIFAR-10, 10 x 5 x 5 on 8 x 8 maps", 2048, 10, 5, 5),
    ("CIFAR-100, crops of 24", 1152, 100, 4, 4),
]


def head_cost(features: int, classes: int, conjunctions: int, discriminants: int) -> dict[str, Any]:
    """Milliseconds of both heads (forward and backward), and their ratio."""
    hidden = classes * conjunctions * discriminants
    heads = {
        "ldnn": LDNN(features, classes, conjunctions, discriminants),
        "fully_connected": nn.Sequential(nn.Linear(features, hidden), nn.Sigmoid(), nn.Linear(hidden, classes)),
    }
    x = torch.rand(BATCH, features, requires_grad=True)
    labels = torch.randint(classes, (BATCH,))
    best = dict.fromkeys(heads, float("inf"))
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        for name, head in heads.items():
            start = time.perf_counter()
            _step(head, x, labels)
            best[name] = min(best[name], time.perf_counter() - start)
    return {
        **{f"{name}_ms": 1e3 * seconds for name, seconds in best.items()},
        "ratio": best["ldnn"] / best["fully_connected"],
    }


def _step(head: nn.Module, x: Tensor, labels: Tensor) -> None:
    x.grad = None
    head.zero_grad()
    log_loss(head(x), labels).mean().backward()


def measure() -> dict[str, dict[str, Any]]:
    """The costs at realistic sizes, by name; can be written as JSON."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    try:
        return {name: head_cost(*sizes) for name, *sizes in SIZES}
    finally:
        torch.set_num_threads(threads)


if __name__ == "__main__":
    print(json.dumps(measure(), indent=1))
