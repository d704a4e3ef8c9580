"""Locally connected layers against a plain loop; grey convolutions and batch normalisation against PyTorch's."""

import itertools

import pytest
import torch
from torch import nn

from ldnn.deep import LocallyConnected2d
from ldnn.deep.convolutions import GreyConvolution2d, Whitening2d


def plain_local(layer, x):
    """One position after the other."""
    height, width = layer.output_size
    pad, kernel = layer.padding, layer.kernel
    x = nn.functional.pad(x, (pad, pad, pad, pad))
    y = x.new_zeros(len(x), layer.weight.shape[1], height, width)
    for row, column in itertools.product(range(height), range(width)):
        position = row * width + column
        patch = x[:, :, row : row + kernel, column : column + kernel].permute(0, 2, 3, 1).flatten(1)
        y[:, :, row, column] = patch @ layer.weight[position].t() + layer.bias[position, :, 0]
    return y


@pytest.mark.parametrize(
    ("size", "kernel", "padding"), [((6, 6), 3, 1), ((5, 4), 3, 0), ((4, 6), 2, 2), ((3, 3), 1, 0)]
)
def test_local_layer_is_the_loop_over_positions(size, kernel, padding):
    layer = LocallyConnected2d(3, 4, size, kernel, padding).double()
    nn.init.normal_(layer.bias)
    x = torch.randn(2, 3, *size, dtype=torch.float64, requires_grad=True)
    y, expected = layer(x), plain_local(layer, x)
    torch.testing.assert_close(y, expected)
    weights = torch.randn_like(y)
    of = (x, layer.weight, layer.bias)
    torch.testing.assert_close(
        torch.autograd.grad((y * weights).sum(), of), torch.autograd.grad((expected * weights).sum(), of)
    )


def test_local_layer_with_equal_filters_is_a_convolution():
    convolution = nn.Conv2d(3, 4, 3, padding=1)
    layer = LocallyConnected2d(3, 4, (5, 6), 3, 1)
    layer.weight.data[:] = convolution.weight.data.permute(0, 2, 3, 1).flatten(1)
    layer.bias.data[:] = convolution.bias.data[:, None]
    x = torch.randn(2, 3, 5, 6)
    torch.testing.assert_close(layer(x), convolution(x))


@pytest.mark.parametrize("padding", [0, 3])
def test_grey_convolution_is_a_convolution(padding):
    """Its matrix product in training is what PyTorch's own convolution gives, and so is its gradient."""
    layer = GreyConvolution2d(1, 4, 5, padding=padding).double()
    x = torch.randn(3, 1, 9, 8, dtype=torch.float64, requires_grad=True)
    of = (x, layer.weight, layer.bias)
    y, expected = layer(x), layer.eval()(x)
    torch.testing.assert_close(y, expected)
    weights = torch.randn_like(y)
    torch.testing.assert_close(
        torch.autograd.grad((y * weights).sum(), of), torch.autograd.grad((expected * weights).sum(), of)
    )


@pytest.mark.parametrize(("channels", "kernel", "stride"), [(3, 2, 1), (1, 3, 1), (3, 4, 2)])
def test_whitened_patches_are_uncorrelated(channels, kernel, stride):
    """The first half of the maps has variance 1 and no covariance, up to the noise term; the others are negatives."""
    coarse = torch.rand(200, channels, 6, 6)
    images = nn.functional.interpolate(coarse, (12, 12), mode="bilinear") + torch.randn(200, channels, 12, 12)
    layer = Whitening2d(channels, kernel, stride).fit(images)
    maps = layer(images).detach()
    half = maps.shape[1] // 2
    assert half == min(12, channels * kernel**2)
    torch.testing.assert_close(maps[:, half:], -maps[:, :half])
    covariance = Whitening2d(channels, kernel).fit(images)(images)[:, :half].transpose(0, 1).flatten(1).cov()
    torch.testing.assert_close(covariance.detach(), torch.eye(half), atol=0.01, rtol=0)
    assert [name for name, _ in layer.named_parameters()] == ["bias"]


def test_sizes_that_do_not_fit():
    with pytest.raises(ValueError, match="3x3 filter does not fit 2x2"):
        LocallyConnected2d(1, 1, (2, 2), 3)
    with pytest.raises(ValueError, match=r"takes \(n, 1, 4, 4\)"):
        LocallyConnected2d(1, 1, (4, 4), 3)(torch.zeros(1, 1, 5, 4))
