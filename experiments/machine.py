"""The description of the computer that goes into every record."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

PACKAGES = ("ldnn", "numpy", "scipy", "scikit-learn", "numba")


def describe_machine() -> dict[str, str]:
    """Processor, number of cores, and versions of Python and of the packages that decide about speed."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        processor = names[0] if names else processor
    return {
        "processor": processor,
        "cores": str(os.cpu_count()),
        "python": platform.python_version(),
        **{package: version(package) for package in PACKAGES},
    }
