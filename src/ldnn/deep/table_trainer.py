"""Mini-batches of rows on a device of PyTorch, in place of the kernels' gradient steps."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from .._model.network import Network
from .._threads import Workers
from .._training.epoch import Epoch
from .._training.trainer import Trainer
from .layer import log_loss, squared_loss
from .table_networks import TableNetworks

LONGEST = 8 / 27  # times the norm of a row: its longest gradient of the squared loss
SAMPLE = 4096  # rows of which the norm is measured
LOSSES = {"squared": squared_loss, "log": log_loss}


@dataclass
class TorchTrainer(Trainer):
    """Trains all networks together. A step follows the sum of the gradients of a mini-batch, so it is as long as the
    kernels' steps for these rows together; but it moves no half-space further than a single row could, or networks
    would die in the first steps, where most rows agree. Every epoch visits all rows.
    """

    device: str = "cpu"
    batch_size: int = 64
    _session: "_Session | None" = None

    def train_networks(self, epoch: Epoch, workers: Workers) -> float:
        """One epoch of every network; the mean loss, summed over the networks."""
        if self._session is None:
            self._session = _Session(self.network, epoch, self.device)
        longest = self._session.longest if self.batch_size > 1 else np.inf
        session, rate = self._session, self.plan.learning_rate_of(epoch.number)
        outputs = torch.from_numpy(epoch.outputs).to(self.device)
        order = torch.from_numpy(epoch.order).to(self.device).long()
        total = torch.zeros((), device=self.device)
        for visited in order.tensor_split(max(1, round(len(order) / self.batch_size))):
            log_odds, loss = self._loss(session, visited)
            loss.backward()
            session.networks.step(rate, longest)
            total += loss.detach()
            outputs[:, visited] = log_odds.detach().sigmoid().t()
        session.networks.write_to(self.network)
        epoch.outputs[:] = outputs.cpu().numpy()
        self.n_visits += len(order) * len(self.positives)
        return float(total) / epoch.total_weight

    def _loss(self, session: "_Session", visited: Tensor) -> tuple[Tensor, Tensor]:
        """The log-odds (B, networks) of visited rows, and the weighted sum of their losses in all networks."""
        log_odds = session.networks(session.X[visited], session.positions[visited])
        by_member = log_odds.unflatten(1, (self.n_estimators, -1))
        labels = session.y[visited, None].expand(-1, self.n_estimators)
        losses = LOSSES[self.plan.loss](by_member, labels, self.plan.label_smoothing)
        return log_odds, losses.sum(1) @ session.weights[visited]


class _Session:
    """What stays on the device from epoch to epoch: the networks, the rows, and their weights at a visit.

    longest: the gradient of a half-space counts as no longer than this.
    """

    def __init__(self, network: Network, epoch: Epoch, device: str):
        rows = epoch.rows
        self.networks = TableNetworks(network).to(device)
        self.X, self.positions = (torch.from_numpy(part).to(device) for part in rows.features)
        self.y = torch.from_numpy(rows.y).to(device).long()
        self.weights = torch.from_numpy(epoch.weights).to(device)
        sample = slice(None, None, max(1, len(rows.y) // SAMPLE))
        squares = self.networks.features(self.X[sample], self.positions[sample]).square().sum(1)
        self.longest = LONGEST * float((1 + squares.mean()).sqrt())
