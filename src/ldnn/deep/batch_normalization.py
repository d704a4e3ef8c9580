"""Batch normalisation over the whole batch, however it is divided between processes."""

from typing import Any

import torch
from torch import Tensor, distributed, nn
from torch.nn import functional as F


class BatchNormalization(nn.Module):
    """Gives each feature, or each map of pixels, mean 0 and variance 1 over the batch, then adds a trained bias.

    There is no trained scale: the next weights have one. In training, means and variances are those of the images of
    all processes, so that the result does not depend on their number; in evaluation they are running means. Unlike
    nn.SyncBatchNorm it works on any device. A batch of one image, as the last batch of an epoch may be, is normalised
    by the running means, which do not change.

    Parameters
    ----------
    features : int
    bias : bool, default=True
        Whether there is a trained bias.
    momentum : float, default=0.1
        Weight of a batch in the running means.

    Shape
    -----
    (B, features) or (B, features, height, width), to the same shape
    """

    running_mean: Tensor
    running_var: Tensor

    def __init__(self, features: int, *, bias: bool = True, momentum: float = 0.1, eps: float = 1e-5):
        super().__init__()
        self.momentum = momentum
        self.eps = eps
        self.bias = nn.Parameter(torch.zeros(features)) if bias else None
        self.register_buffer("running_mean", torch.zeros(features))
        self.register_buffer("running_var", torch.ones(features))

    def forward(self, x: Tensor) -> Tensor:
        world = distributed.get_world_size() if self.training and distributed.is_initialized() else 1
        if world > 1:
            return self._over_processes(x, world)
        by_batch = self.training and x.shape[0] > 1
        return F.batch_norm(
            x, self.running_mean, self.running_var, None, self.bias, by_batch, self.momentum, self.eps
        )  # fmt: skip

    def _over_processes(self, x: Tensor, world: int) -> Tensor:
        """Normalise by the sums over all processes. The trainer gives every process one image only if the batch has
        one, which they share.
        """
        axes = [0, *range(2, x.dim())]
        shape = [1, -1] + [1] * (x.dim() - 2)
        values = x.float()
        counts = x.new_tensor([x.shape[0], x.numel() / x.shape[1]], dtype=torch.float32)
        sums = _SumOverProcesses.apply(torch.cat([values.sum(axes), counts]))
        images, count = sums[-2:].detach()
        if images <= world:
            return F.batch_norm(x, self.running_mean, self.running_var, None, self.bias, eps=self.eps)
        mean = sums[:-2] / count
        values = values - mean.view(shape)  # before it is squared, since variances may be small beside means
        variance = _SumOverProcesses.apply(values.square().sum(axes)) / count
        with torch.no_grad():
            self.running_mean.lerp_(mean.to(self.running_mean), self.momentum)
            self.running_var.lerp_((variance * count / (count - 1)).to(self.running_var), self.momentum)
        values = values * torch.rsqrt(variance + self.eps).view(shape)
        return (values if self.bias is None else values + self.bias.view(shape)).to(x.dtype)

    def extra_repr(self) -> str:
        return f"{len(self.running_mean)}, bias={self.bias is not None}, momentum={self.momentum}"


class _SumOverProcesses(torch.autograd.Function):
    """A tensor's sum over all processes; its gradient is the sum of the gradients of all processes."""

    @staticmethod
    def forward(ctx: Any, values: Tensor) -> Tensor:
        values = values.clone()
        distributed.all_reduce(values)
        return values

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        gradient = gradients[0].clone()
        distributed.all_reduce(gradient)
        return gradient
