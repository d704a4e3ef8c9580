"""Devices and precisions that are there, and those that are not."""

import pytest
import torch

from ldnn.deep import devices, launch
from ldnn.deep.devices import available_device


def test_auto_is_the_fastest_device(monkeypatch):
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    for has_cuda, expected in ((False, "cpu"), (True, "cuda")):
        monkeypatch.setattr(torch.cuda, "is_available", lambda has_cuda=has_cuda: has_cuda)
        assert available_device("auto") == expected


def test_missing_devices(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    with pytest.raises(ValueError, match="device='cuda' is not available here; use 'auto', or one of: 'cpu'"):
        launch("cuda")
    with pytest.raises(ValueError, match="device='gpu' is not available"):
        launch("gpu")


def test_a_precision_that_the_machine_cannot_compute_in(monkeypatch):
    monkeypatch.setattr(devices, "_multiplies_bfloat16", lambda: False)
    with pytest.raises(ValueError, match="precision='bf16-mixed' does not work on this machine: .*use '32-true'"):
        launch("cpu", "bf16-mixed")
    launch("cpu", "32-true")
