"""The command `ldnn`, for someone with a CSV or Parquet file and no Python."""

import sys


def main() -> None:
    """Run the command; what it needs beyond `ldnn` itself is named if it is missing."""
    try:
        from .commands import app
    except ModuleNotFoundError as error:
        sys.exit(f'ldnn: the command needs {error.name}: pip install "ldnn[cli]"')
    app(prog_name="ldnn")
