"""Records of long sweeps: a file with one line of JSON per run, written as soon as the run is done."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def read(path: Path) -> list[dict[str, Any]]:
    """The records of a file, in order. A line that was cut off is skipped."""
    records = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []:
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(record, dict):  # the rest of a cut-off line may be valid JSON, such as a number
            records.append(record)
    return records


def append(path: Path, record: Mapping[str, Any]) -> None:
    """Add a record on a new line, even if the last line was cut off, and flush it to the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    line = json.dumps(record) + "\n"
    with path.open("ab+") as file:
        if file.tell() > 0:  # a file opened for appending starts at its end
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                line = "\n" + line
        file.write(line.encode())
        file.flush()
        os.fsync(file.fileno())
