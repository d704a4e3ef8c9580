"""Layers of a trunk that PyTorch does not have: locally connected maps, a faster convolution of grey images, and a
batch normalisation that accepts a batch of one image.
"""

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class LocallyConnected2d(nn.Module):
    """Like nn.Conv2d with stride 1, but with separate filters and biases at every position.

    All positions are computed by one batched matrix product. It needs the patches of the whole batch in memory, which
    are kernel**2 times as large as the (padded) input, and keeps them for the backward pass.

    Attributes
    ----------
    weight : Parameter of shape (height * width, out_channels, kernel * kernel * in_channels)
        The first axis runs over the output's positions, row by row; the last axis runs over the kernel's rows, its
        columns, and the channels.
    bias : Parameter of shape (height * width, out_channels, 1)

    Shape
    -----
    (B, in_channels, *image_size) -> (B, out_channels, *output_size), where output_size is
    image_size + 2 * padding - kernel + 1
    """

    def __init__(self, in_channels: int, out_channels: int, image_size: tuple[int, int], kernel: int, padding: int = 0):
        super().__init__()
        self.in_channels = in_channels
        self.image_size = tuple(image_size)
        self.kernel = kernel
        self.padding = padding
        self.output_size = tuple(side + 2 * padding - kernel + 1 for side in image_size)
        if min(self.output_size) < 1:
            raise ValueError(f"A {kernel}x{kernel} filter does not fit {image_size[0]}x{image_size[1]} pixels.")
        positions = self.output_size[0] * self.output_size[1]
        patch = kernel * kernel * in_channels
        self.weight = nn.Parameter(torch.empty(positions, out_channels, patch))
        self.bias = nn.Parameter(torch.empty(positions, out_channels, 1))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.normal_(self.weight, std=(2 / self.weight.shape[2]) ** 0.5)
        nn.init.zeros_(self.bias)

    def forward(self, x: Tensor) -> Tensor:
        if tuple(x.shape[1:]) != (self.in_channels, *self.image_size):
            raise ValueError(
                f"The maps have shape {tuple(x.shape)}; this layer takes (n, {self.in_channels}, "
                f"{self.image_size[0]}, {self.image_size[1]})."
            )
        height, width = self.output_size
        pad = self.padding
        # The batch is the last axis: a patch then consists of whole rows, which copy several times faster than with
        # nn.Unfold.
        x = F.pad(x.permute(2, 3, 1, 0), (0, 0, 0, 0, pad, pad, pad, pad))
        offsets = [(row, column) for row in range(self.kernel) for column in range(self.kernel)]
        patches = torch.cat([x[row : row + height, column : column + width] for row, column in offsets], dim=2)
        y = torch.baddbmm(self.bias, self.weight, patches.flatten(0, 1))  # (positions, out_channels, B)
        return y.permute(2, 1, 0).unflatten(2, (height, width))

    def extra_repr(self) -> str:
        return (
            f"{self.in_channels}, {self.weight.shape[1]}, image_size={self.image_size}, "
            f"kernel={self.kernel}, padding={self.padding}"
        )


class GreyConvolution2d(nn.Conv2d):
    """A convolution of one channel with stride 1.

    In training on a CPU it is one matrix product, since the gradient of the filters then takes at most a third of the
    time.
    """

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or x.device.type != "cpu":
            return super().forward(x)
        kernel, pad = self.kernel_size[0], cast("tuple[int, int]", self.padding)[0]
        x = F.pad(x[:, 0], (pad, pad, pad, pad))
        patches = x.unfold(1, kernel, 1).unfold(2, kernel, 1)  # (B, height, width, kernel, kernel)
        y = F.linear(patches.flatten(3), self.weight.flatten(1), self.bias)
        return y.permute(0, 3, 1, 2)


class BatchNormalization(nn.BatchNorm1d):
    """nn.BatchNorm1d that also accepts a batch of one image in training, as the last batch of an epoch may be.

    Such an image is normalised by the running means and variances, which do not change.
    """

    def forward(self, x: Tensor) -> Tensor:
        if self.training and len(x) == 1:
            return F.batch_norm(x, self.running_mean, self.running_var, eps=self.eps)
        return super().forward(x)
