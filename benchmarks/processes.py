"""Measurements in separate processes, and their memory."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from .harness import AbsentError

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def memory(kind: str) -> int:
    """Bytes of this process: "VmRSS" is the resident memory, "VmHWM" its peak."""
    status = Path("/proc/self/status")
    if not status.exists():
        raise AbsentError("Memory is read from /proc/self/status, which this system does not have.")
    return int(status.read_text().split(kind + ":")[1].split()[0]) * 1024


class TooLongError(Exception):
    """A process was stopped since it took more processor seconds than it was given."""


def apart(function: Callable[..., Any], threads: int = 1, most_seconds: int | None = None, **arguments: Any) -> Any:
    """The dict that a module's function returns when it is called in a new process.

    most_seconds: of the processor, after which the process is stopped.
    """
    environment = {**os.environ, **dict.fromkeys(THREADS, str(threads))}
    called = [function.__module__, function.__name__, json.dumps(arguments)]
    returned = json.loads(run([sys.executable, "-m", "benchmarks.processes", *called], environment, most_seconds))
    if "absent" in returned:
        raise AbsentError(returned["absent"])
    return returned


def run(command: list[str], environment: dict[str, str] | None = None, most_seconds: int | None = None) -> str:
    """The last line that a command prints. If it fails, the error has the last line of its messages."""
    limited = [] if most_seconds is None else ["/bin/sh", "-c", f'ulimit -t {most_seconds}; exec "$@"', "sh"]
    done = subprocess.run([*limited, *command], capture_output=True, text=True, env=environment)
    if most_seconds is not None and done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise TooLongError(f"{' '.join(command[:4])} took more than {most_seconds} s of the processor")
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[:4])} failed: {done.stderr.strip().splitlines()[-1:]}")
    return done.stdout.strip().splitlines()[-1] if done.stdout.strip() else ""


def _main(module: str, function: str, arguments: str) -> None:
    try:
        returned = getattr(import_module(module), function)(**json.loads(arguments))
    except AbsentError as reason:
        returned = {"absent": str(reason)}
    print(json.dumps(returned))


if __name__ == "__main__":
    _main(*sys.argv[1:])
