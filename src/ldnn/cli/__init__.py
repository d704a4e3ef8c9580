"""The command `ldnn`, for people with a CSV or Parquet file who do not use Python."""

import os
import sys


def main() -> None:
    """Run the command; if a package that it needs is missing, say which one."""
    try:
        from .commands import app
    except ModuleNotFoundError as error:
        sys.exit(f'ldnn: the command needs {error.name}: pip install "ldnn[cli]"')
    for stream in (sys.stdout, sys.stderr):  # a terminal that lacks a letter of a label shows its number
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        app(prog_name="ldnn")
    except SystemExit as ended:
        if ended.code:  # a thread that is still reading a file would fail while Python shuts down
            sys.stderr.flush()
            os._exit(ended.code if isinstance(ended.code, int) else 1)
