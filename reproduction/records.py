"""Records of long sweeps: one line of JSON for each run, written as soon as it exists."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def read(path: Path) -> list[dict[str, Any]]:
    """The records so far; a line that was cut off is left out."""
    records = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []:
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(record, dict):  # what is left of a cut-off line may still be JSON, such as a number
            records.append(record)
    return records


def append(path: Path, record: Mapping[str, Any]) -> None:
    """Add a record, on a line of its own even where the last one was cut off, and see it to the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    line = json.dumps(record) + "\n"
    with path.open("ab+") as file:
        if file.tell() > 0:  # a file opened to append stands at its end
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                line = "\n" + line
        file.write(line.encode())
        file.flush()
        os.fsync(file.fileno())
