"""Batch normalisation in one process; test_image_trainer.py has that of several."""

import pytest
import torch
from torch import nn

from ldnn.deep.batch_normalization import BatchNormalization


@pytest.mark.parametrize(("shape", "kind"), [((20, 5), nn.BatchNorm1d), ((4, 5, 3, 2), nn.BatchNorm2d)])
def test_it_is_that_of_pytorch(shape, kind):
    ours, theirs = BatchNormalization(5, momentum=0.3), kind(5, momentum=0.3)
    nn.init.normal_(ours.bias)
    theirs.bias.data.copy_(ours.bias)
    x = 3 + 2 * torch.randn(shape)
    torch.testing.assert_close(ours(x), theirs(x))
    torch.testing.assert_close(ours.running_var, theirs.running_var)
    torch.testing.assert_close(ours.eval()(x), theirs.eval()(x))
    assert BatchNormalization(5, bias=False).bias is None


def test_a_single_image_is_normalised_by_running_means():
    layer = BatchNormalization(5, bias=False)
    x = 3 + 2 * torch.randn(20, 5)
    layer(x)
    before = layer.running_mean.clone()
    single = layer(x[:1])
    torch.testing.assert_close(layer.running_mean, before, rtol=0, atol=0)
    torch.testing.assert_close(single, layer.eval()(x[:1]), rtol=0, atol=0)
