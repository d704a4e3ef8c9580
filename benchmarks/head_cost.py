"""What does an LDNN head cost beside a fully connected one with as many hidden units?

Forward and backward pass of each head and its cross-entropy, on one thread: the shortest of many times, measured in
turn.
"""

import time
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from ldnn.deep import LDNN, log_loss

from .harness import Parts, Question, Result, figure

BATCH = 128
SIZES = [  # features, classes, conjunctions, discriminants
    ("MNIST", 735, 10, 5, 5),
    ("smaller maps", 240, 10, 5, 5),
    ("CIFAR-10, crops of 24", 1152, 10, 7, 7),
    ("CIFAR-10, 10 x 5 x 5 on 8 x 8 maps", 2048, 10, 5, 5),
    ("CIFAR-100, crops of 24", 1152, 100, 4, 4),
]


def parts(quick: bool) -> Parts:
    seconds = 0.5 if quick else 5.0
    return {size[0]: partial(head_cost, seconds, *size) for size in SIZES}


def head_cost(seconds: float, name: str, features: int, classes: int, conjunctions: int, discriminants: int) -> Result:
    """Milliseconds of both heads (forward and backward), and their ratio."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    hidden = classes * conjunctions * discriminants
    heads: dict[str, Any] = {
        "LDNN": LDNN(features, classes, conjunctions, discriminants),
        "fully connected": nn.Sequential(nn.Linear(features, hidden), nn.Sigmoid(), nn.Linear(hidden, classes)),
    }
    x = torch.rand(BATCH, features, requires_grad=True)
    labels = torch.randint(classes, (BATCH,))
    best = dict.fromkeys(heads, float("inf"))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for kind, head in heads.items():
            start = time.perf_counter()
            _step(head, x, labels)
            best[kind] = min(best[kind], time.perf_counter() - start)
    return {
        "figures": [
            *(figure(f"{name}: {kind} head", 1e3 * best[kind], "ms") for kind in heads),
            figure(f"{name}: LDNN / fully connected", best["LDNN"] / best["fully connected"], "times"),
        ]
    }


def _step(head: nn.Module, x: Tensor, labels: Tensor) -> None:
    x.grad = None
    head.zero_grad()
    log_loss(head(x), labels).mean().backward()


QUESTION = Question("head_cost", "What does an LDNN head cost beside a fully connected one?", parts)
