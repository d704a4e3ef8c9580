"""The networks of a table as a PyTorch module: from encoded rows, as the kernels read them, to log-odds."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from .._model.network import Network
from .layer import LDNN


class TableNetworks(nn.Module):
    """A copy of all networks of a `Network` as one `LDNN` layer, which takes numbers and knots as features.

    weight_factors, bias_factors: of the learning rate, shaped like the layer's parameters. They are the network's
    `rate_factors`, and 0 for absent half-spaces and for knots that linear ensemble members do not read.
    """

    knots: Tensor
    weight_factors: Tensor
    bias_factors: Tensor

    def __init__(self, network: Network):
        super().__init__()
        knots = _knots(network.bases)
        self.layer = LDNN(network.n_dense + len(knots), len(network.parameters), network.N, network.M)
        self.register_buffer("knots", torch.from_numpy(knots))
        self._n_dense = network.n_dense
        weight, bias = _as_layer(network.parameters[:, :, : network.N * network.M], network)
        self.layer.load_state_dict({"weight": weight, "bias": bias})
        factors = _as_layer(_factors(network), network)
        for name, factor in zip(("weight_factors", "bias_factors"), factors, strict=True):
            self.register_buffer(name, factor)

    def forward(self, X: Tensor, positions: Tensor) -> Tensor:
        """The log-odds (B, networks) of rows: numbers (B, F) and positions (B, S)."""
        return self.layer(self.features(X, positions))

    def features(self, X: Tensor, positions: Tensor) -> Tensor:
        """Numbers and knots as one matrix (B, F + knots)."""
        if not len(self.knots):
            return X
        basis, spacing, number = self.knots.unbind(1)
        position = positions[:, basis]
        shares = (1 - (position / spacing - number).abs()).clamp_(min=0)
        return torch.cat([X, shares.where(position >= 0, 0)], dim=1)

    @torch.no_grad()
    def step(self, learning_rate: float, longest: float) -> None:
        """One step of gradient descent; the gradient of a half-space counts as no longer than `longest`."""
        weight, bias = self.layer.weight, self.layer.bias
        assert weight.grad is not None and bias.grad is not None
        length = torch.sqrt(weight.grad.square().sum(1) + bias.grad.square())
        share = (longest / length).clamp(max=1)
        weight.addcmul_(weight.grad.mul_(share.unsqueeze(1)), self.weight_factors, value=-learning_rate)
        bias.addcmul_(bias.grad.mul_(share), self.bias_factors, value=-learning_rate)
        weight.grad = bias.grad = None

    @torch.no_grad()
    def write_to(self, network: Network) -> None:
        """Copy the half-spaces to the network that this one was made of."""
        sizes = (network.M, network.N, len(network.parameters))
        weight = self.layer.weight.cpu().numpy().reshape(*sizes, -1)
        bias = self.layer.bias.cpu().numpy().reshape(*sizes, 1)
        rows = np.concatenate([weight[..., : self._n_dense], bias, weight[..., self._n_dense :]], axis=-1)
        rows = rows.transpose(2, 3, 1, 0)  # (networks, features + 1, N, M)
        network.parameters[:, :, : network.N * network.M] = rows.reshape(*rows.shape[:2], -1)


def _as_layer(parameters: NDArray[np.float32], network: Network) -> tuple[Tensor, Tensor]:
    """Parameters (networks, features + 1, N * M) as those of an `LDNN`: (M * N * networks, features) and biases."""
    networks, rows, _ = parameters.shape
    ordered = parameters.reshape(networks, rows, network.N, network.M).transpose(3, 2, 0, 1).reshape(-1, rows)
    weight = np.delete(ordered, network.n_dense, axis=1)
    return torch.from_numpy(weight), torch.from_numpy(ordered[:, network.n_dense].copy())


def _knots(bases: NDArray[np.int32]) -> NDArray[np.int64]:
    """The knots of bases (S, 3), in the order of their weights: basis, distance to the next knot, number (knots, 3)."""
    found = [np.empty((0, 3), dtype=np.int64)]
    for s, (_, knots, levels) in enumerate(bases.tolist()):
        for level in range(levels):
            numbers = np.arange(knots)
            found.append(np.stack([np.full_like(numbers, s), np.full_like(numbers, 2**level), numbers], axis=1))
            knots = knots // 2 + 1
    return np.concatenate(found)


def _factors(network: Network) -> NDArray[np.float32]:
    """The factor of the learning rate of each parameter, (networks, features + 1, N * M)."""
    networks, rows, _ = network.parameters.shape
    factors = np.zeros((networks, rows, network.N, network.M), dtype=np.float32)
    ends = [*network.bases[:, 0], rows]
    for c, (n, m) in enumerate(network.sizes):
        factors[c, :, :n, :m] = network.rate_factors[c]
        for s, levels in enumerate(network.own_bases[c][:, 2]):
            if levels == 0:
                factors[c, ends[s] : ends[s + 1]] = 0
    return factors.reshape(networks, rows, -1)
