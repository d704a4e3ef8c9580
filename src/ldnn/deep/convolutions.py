"""Layers of a trunk that PyTorch does not have: locally connected maps, a faster convolution of grey images, and
filters that whiten patches of images.
"""

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class LocallyConnected2d(nn.Module):
    """Like nn.Conv2d with stride 1, but with separate filters and biases at every position.

    All positions are computed by one batched matrix product. It needs the patches of the whole batch in memory, which
    are kernel**2 times as large as the (padded) input, and keeps them for the backward pass.

    Parameters
    ----------
    in_channels, out_channels : int
        Number of maps before and after.
    image_size : (height, width)
        Of the maps before.
    kernel : int
        Height and width of a filter.
    padding : int, default=0
        Number of zeros around the maps, on each side.

    Attributes
    ----------
    weight : Parameter of shape (height * width, out_channels, kernel * kernel * in_channels)
        The first axis runs over the output's positions, row by row; the last axis runs over the kernel's rows, its
        columns, and the channels.
    bias : Parameter of shape (height * width, out_channels, 1)

    Notes
    -----
    Shape: ``(B, in_channels, *image_size)`` to ``(B, out_channels, *output_size)``, where output_size is
    image_size + 2 * padding - kernel + 1.

    Examples
    --------
    >>> import torch
    >>> from ldnn.deep import LocallyConnected2d
    >>> layer = LocallyConnected2d(3, 8, image_size=(6, 6), kernel=3, padding=1)
    >>> layer(torch.zeros(2, 3, 6, 6)).shape
    torch.Size([2, 8, 6, 6])
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
        """Draw random weights, and set the biases to 0."""
        nn.init.normal_(self.weight, std=(2 / self.weight.shape[2]) ** 0.5)
        nn.init.zeros_(self.bias)

    def forward(self, x: Tensor) -> Tensor:
        """Maps ``(B, in_channels, *image_size)`` to maps ``(B, out_channels, *output_size)``."""
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
        """The sizes, for `repr`."""
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


class Whitening2d(nn.Module):
    """A convolution whose filters whiten patches of images: the eigenvectors of the patches' covariance, each divided
    by the square root of its eigenvalue, and their negatives.

    The filters are computed by `fit` and not trained; biases are trained. Of the eigenvectors, the `MOST` with the
    largest eigenvalues are used.

    Attributes
    ----------
    weight : buffer of shape (maps, channels, kernel, kernel)
        Zero until `fit` is called.
    bias : Parameter of shape (maps,)
    """

    MOST = 12
    NOISE = 5e-4  # added to the eigenvalues of patches of pixels from 0 to 1, so that noise is not amplified

    weight: Tensor

    def __init__(self, channels: int, kernel: int, stride: int = 1):
        super().__init__()
        self.kernel = kernel
        self.stride = stride
        maps = 2 * min(self.MOST, channels * kernel * kernel)
        self.register_buffer("weight", torch.zeros(maps, channels, kernel, kernel))
        self.bias = nn.Parameter(torch.zeros(maps))

    @torch.no_grad()
    def fit(self, images: Tensor) -> "Whitening2d":
        """Compute the filters from prepared images (B, channels, height, width); a few thousand are enough."""
        patches = images.unfold(2, self.kernel, 1).unfold(3, self.kernel, 1)  # (B, channels, rows, columns, k, k)
        rows = patches.permute(0, 2, 3, 1, 4, 5).reshape(-1, self.weight[0].numel()).double()
        values, vectors = torch.linalg.eigh(torch.cov(rows.t(), correction=0))  # in ascending order
        count = len(self.weight) // 2
        filters = (vectors / (values.clamp(min=0) + self.NOISE).sqrt())[:, -count:].t().flip(0)
        # The sign of an eigenvector is arbitrary; the largest entry decides, so that all machines agree.
        largest = filters.gather(1, filters.abs().argmax(1, keepdim=True))
        filters = (filters * largest.sign()).view(count, *self.weight.shape[1:])
        self.weight.copy_(torch.cat([filters, -filters]))
        return self

    def forward(self, x: Tensor) -> Tensor:
        return F.conv2d(x, self.weight, self.bias, self.stride)

    def extra_repr(self) -> str:
        return f"{self.weight.shape[1]}, {self.weight.shape[0]}, kernel={self.kernel}, stride={self.stride}"
