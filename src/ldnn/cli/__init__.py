"""The command `ldnn`, for people with a CSV or Parquet file who do not use Python."""

import os
import sys
from pathlib import Path
from typing import Any

from .interrupts import handle_ctrl_c


def main() -> None:
    """Run the command; if a package that it needs is missing, say which one."""
    handle_ctrl_c()
    try:
        from .commands import app
    except ModuleNotFoundError as error:
        sys.exit(f'ldnn: the command needs {error.name}: pip install "ldnn[cli]"')
    sys.stdout, sys.stderr = (stream or Path(os.devnull).open("w") for stream in (sys.stdout, sys.stderr))  # noqa: SIM115 closed
    for stream in (sys.stdout, sys.stderr):  # a terminal that lacks a letter of a label shows its number
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if code := _exit_code(app):  # a thread that is still reading a file would fail while Python shuts down
        sys.stderr.flush()
        os._exit(code)


def _exit_code(app: Any) -> int:
    """Run the app; its exit code, or that of the failure to write all of its output."""
    from .terminal import BROKEN_PIPE

    try:
        try:
            app(prog_name="ldnn")
        except SystemExit as ended:
            if ended.code:
                return ended.code if isinstance(ended.code, int) else 1
        sys.stdout.flush()
    except BrokenPipeError:
        return BROKEN_PIPE
    except OSError as error:  # commands report their own, so it is that of --version or --help
        print(f"ldnn: standard output: {error.strerror}.", file=sys.stderr)
        return 1
    return 0
