"""Devices, precisions and processes: what Lightning Fabric is started with."""

import atexit
import os
import subprocess
import sys
from functools import lru_cache
from typing import Any

import torch
from lightning_fabric import Fabric

PRECISIONS = ("auto", "32-true", "bf16-mixed", "16-mixed")
_LOST = ("closed by peer", "reset by peer", "Broken pipe", "Timed out waiting")  # in errors of the backend gloo


def available_device(device: str) -> str:
    """The device itself if it is available; the fastest available one for "auto"."""
    available = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if device == "auto":
        return next(name for name, is_available in available.items() if is_available)
    if not available.get(device, False):
        usable = ", ".join(repr(name) for name, is_available in available.items() if is_available)
        raise ValueError(f"device={device!r} is not available here; use 'auto', or one of: {usable}.")
    return device


def fast_precision(device: str) -> str:
    """Mixed precision on a device with fast instructions for bfloat16 (AVX512_BF16, AMX, recent graphics cards), else
    float32.
    """
    is_fast = {
        "cuda": torch.cuda.is_bf16_supported,
        "mps": lambda: False,
        "cpu": lambda: any(_cpu_reports(name) for name in ("avx512_bf16", "amx_bf16")) and _multiplies_bfloat16(),
    }
    return "bf16-mixed" if is_fast[device]() else "32-true"


def launch(device: str = "auto", precision: str = "32-true") -> Fabric:
    """Start Fabric in this process, which may be one of several that `torchrun` has started.

    Parameters
    ----------
    device : {"auto", "cpu", "cuda", "mps"}, default="auto"
        What to compute on; "auto" takes the fastest.
    precision : str, default="32-true"
        One of Fabric's precisions, for example "16-mixed" or "bf16-mixed"; "auto" is "bf16-mixed" where it is fast.

    Returns
    -------
    Fabric
        Launched.

    Examples
    --------
    >>> from ldnn.deep import launch
    >>> launch(device="cpu").device
    device(type='cpu')
    """
    device = available_device(device)
    if precision == "auto":
        precision = fast_precision(device)
    if device == "cpu" and precision.startswith("bf16") and not _multiplies_bfloat16():
        raise ValueError(
            f"precision={precision!r} does not work on this machine: its operating system keeps PyTorch from using the "
            "processor's bfloat16 instructions; use '32-true'."
        )
    world, local = int(os.environ.get("WORLD_SIZE", 1)), int(os.environ.get("LOCAL_WORLD_SIZE", 1))
    fabric = Fabric(
        accelerator=device,
        devices=local,
        num_nodes=max(1, world // local),
        strategy="ddp" if world > 1 else "auto",
        precision=precision,  # type: ignore[arg-type]
    )
    fabric.launch()
    if world > 1:
        atexit.register(_leave_process_group)
    return fabric


def is_lost_connection(error: RuntimeError) -> bool:
    """Whether an error says that another process of the group has ended or does not answer."""
    is_distributed = isinstance(error, torch.distributed.DistError)
    return is_distributed or any(words in str(error) for words in _LOST)


def _leave_process_group() -> None:
    """Leave the process group at exit: threads that still listen to the other processes would abort this one."""
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


def _cpu_reports(instructions: str) -> bool:
    """Whether the CPU reports these instructions; PyTorch before version 2.13 does not tell."""
    capabilities: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
    return bool(capabilities.get(instructions, False))


@lru_cache(maxsize=1)
def _multiplies_bfloat16() -> bool:
    """Whether PyTorch can multiply bfloat16 matrices on this CPU.

    AMX needs the permission of the operating system. Without it, some products end the process, and others corrupt its
    state, so a separate process tries them.
    """
    if _cpu_reports("avx512_bf16") and not any(map(_cpu_reports, ("amx_tile", "amx_bf16"))):
        return True
    products = (
        "import torch; ones = lambda *shape: torch.ones(*shape, dtype=torch.bfloat16); "
        "ones(64, 64) @ ones(64, 64); ones(576, 9) @ ones(9, 4)"
    )
    return subprocess.run([sys.executable, "-c", products], capture_output=True, check=False).returncode == 0
