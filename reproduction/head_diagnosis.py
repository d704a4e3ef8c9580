"""Measures of a network's head during training: how strongly it depends on its features, and which gates still decide.

A head whose log-odds hardly change with features and weights learns slowly at a given learning rate. An LDNN may also
lose some of its gates: half-spaces that contain all instances or none (saturated), and conjunctions that are the
largest of their network for no instance (idle) or that contain no instance at all (closed).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn import functional as F

from experiments import records
from ldnn.deep import LDNN, ConvLDNN, Preparation
from ldnn.deep.training_options import LOSSES

from .tasks import Record

if TYPE_CHECKING:
    from ldnn.deep import TrainingOptions

IMAGES = 1000  # number of held-out images, which is enough for shares of this kind
EDGE = 0.01  # a gate is closed below this and open above 1 - this


@dataclass(frozen=True)
class Diagnosis:
    """Measures a network's head on some images and appends the result to a file; the `report` argument of `train`."""

    network: ConvLDNN
    preparation: Preparation
    images: Tensor
    labels: Tensor
    options: "TrainingOptions"
    path: Path

    def __call__(self, row: dict[str, float]) -> None:
        features = self._features()
        found = sensitivity(self.network.head, features, self.labels[:IMAGES], self.options)
        if isinstance(self.network.head, LDNN):
            found |= gates(self.network.head, features)
        rounded = {name: float(f"{value:.4g}") for name, value in found.items()}
        records.append(self.path, {"epoch": int(row["epoch"]), **rounded})

    def rows(self) -> list[Record]:
        """One row for each epoch. A run that was killed may have measured its last epoch twice."""
        return list({row["epoch"]: row for row in records.read(self.path, epoch=int)}.values())

    @torch.no_grad()
    def _features(self) -> Tensor:
        """Features (B, F) of the images in evaluation. Before the first epoch, batch normalisation has no running means
        yet and returns the features as they are.
        """
        was_training = self.network.training
        self.network.eval()
        try:
            x = self.preparation(self.images[:IMAGES]).contiguous(memory_format=torch.channels_last)
            return self.network.trunk(x)
        finally:
            self.network.train(was_training)


def sensitivity(
    head: torch.nn.Module, features: Tensor, labels: Tensor, options: "TrainingOptions"
) -> dict[str, float]:
    """Size and variance of the features (B, F), and the gradients of the head.

    slope: mean norm of d log-odds of the instance's class / d features; weight_slope: root mean square norm of
    d log-odds / d weights of the head; gradient: mean norm of d loss / d features, from which the trunk learns.
    """
    features = features.detach().requires_grad_()
    log_odds = head(features)
    own = log_odds.gather(1, labels[:, None]) if log_odds.shape[1] > 1 else log_odds
    (slope,) = torch.autograd.grad(own.sum(), features, retain_graph=True)
    losses = LOSSES[options.loss](log_odds, labels, options.label_smoothing)
    (gradient,) = torch.autograd.grad(losses.sum(), features, retain_graph=True)
    of_weights = [torch.autograd.grad(value, list(head.parameters()), retain_graph=True) for value in own[:20, 0]]
    squares = [sum(float(part.square().sum()) for part in parts) for parts in of_weights]
    return {
        "mean_square": float(features.detach().square().mean()),
        "variance": float(features.detach().var(0).mean()),
        "log_odds_deviation": float(log_odds.detach().std(0).mean()),
        "slope": float(slope.norm(dim=1).mean()),
        "weight_slope": (sum(squares) / len(squares)) ** 0.5,
        "gradient": float(gradient.norm(dim=1).mean()),
        "weight_norm": float(sum(part.detach().square().sum() for part in head.parameters()) ** 0.5),
    }


@torch.no_grad()
def gates(head: LDNN, features: Tensor) -> dict[str, float]:
    """Shares of an LDNN's gates that do not decide, for features (B, F).

    saturated: share of all sigma_ij of all instances; closed and open: share of the conjunctions whose g_i is near 0 or
    near 1 for every instance; idle: share of the conjunctions that are the largest of their network for no instance;
    conjunctions: effective number of conjunctions that contribute to f, 1 / sum_i (g_i / sum g)**2, averaged over the
    instances.
    """
    weights, biases = head.half_spaces()  # (C, N, M, F), (C, N, M)
    activation = torch.einsum("bf,cnmf->bcnm", features, weights) + biases
    sigma = torch.sigmoid(activation)
    log_g = F.logsigmoid(activation).sum(-1)  # (B, C, N)
    g = log_g.exp()
    share = log_g.softmax(-1)
    largest = F.one_hot(log_g.argmax(-1), head.n_conjunctions).amax(0)  # (C, N)
    return {
        "activation_deviation": float(activation.std(0).mean()),
        "saturated": float(((sigma < EDGE) | (sigma > 1 - EDGE)).float().mean()),
        "closed": float((g.amax(0) < EDGE).float().mean()),
        "open": float((g.amin(0) > 1 - EDGE).float().mean()),
        "idle": float((largest == 0).float().mean()),
        "conjunctions": float((1 / share.square().sum(-1)).mean()),
    }
