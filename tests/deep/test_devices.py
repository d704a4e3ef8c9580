"""Devices and precisions that are there, and those that are not."""

from types import SimpleNamespace

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


def test_bfloat16_is_used_where_it_is_fast(monkeypatch):
    """Where AMX is reported, a process of its own finds out whether the operating system allows it."""
    probes = []
    monkeypatch.setattr(devices.subprocess, "run", lambda *_, **__: probes.append(1) or SimpleNamespace(returncode=1))
    for reported, expected, count in (
        ({}, "32-true", 0),
        ({"avx512_bf16": True}, "bf16-mixed", 0),
        ({"avx512_bf16": True, "amx_tile": True, "amx_bf16": True}, "32-true", 1),
    ):
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda reported=reported: reported, raising=False)
        devices._multiplies_bfloat16.cache_clear()
        assert devices.fast_precision("cpu") == expected
        assert len(probes) == count
    devices._multiplies_bfloat16.cache_clear()
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: True)
    assert [devices.fast_precision(device) for device in ("cuda", "mps")] == ["bf16-mixed", "32-true"]


def test_auto_precision(monkeypatch):
    monkeypatch.setattr(devices, "fast_precision", lambda device: "bf16-mixed" if device == "cpu" else "32-true")
    monkeypatch.setattr(devices, "_multiplies_bfloat16", lambda: True)
    assert launch("cpu", "auto")._precision.precision == "bf16-mixed"
    assert launch("cpu")._precision.precision == "32-true"
