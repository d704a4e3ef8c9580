"""The command `ldnn`, for someone with a CSV or Parquet file and no Python."""

import os
import sys


def main() -> None:
    """Run the command; what it needs beyond `ldnn` itself is named if it is missing."""
    try:
        from .commands import app
    except ModuleNotFoundError as error:
        sys.exit(f'ldnn: the command needs {error.name}: pip install "ldnn[cli]"')
    try:
        app(prog_name="ldnn")
    except SystemExit as ended:
        if ended.code:  # a thread that still reads a file would trip over the end of Python
            sys.stderr.flush()
            os._exit(ended.code if isinstance(ended.code, int) else 1)
