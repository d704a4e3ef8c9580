"""Models of timm with random weights."""

import sys

import torch
from requirements import do_without


def timm_model(name, **options):
    """A model without pretrained weights; skips the test if timm is absent."""
    try:
        _import_torchvision()
        import timm
    except ImportError:
        do_without("timm is not installed")
    return timm.create_model(name, pretrained=False, **options)


def _import_torchvision():
    """torchvision for CUDA does not find its operators beside a PyTorch without CUDA; models need none of them."""
    try:
        import torchvision  # noqa: F401
    except RuntimeError:
        for operator in ("nms", "qnms"):
            torch.library.define(f"torchvision::{operator}", "(Tensor boxes, Tensor scores, float limit) -> Tensor")
        for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
