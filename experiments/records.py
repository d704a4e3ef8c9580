"""Records of long sweeps: a file with one line of JSON per run, written as soon as the run is done."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ldnn._io.atomic import atomic_write

Record = dict[str, Any]


def read(path: Path, **fields: type) -> list[Record]:
    """The records of a file, in order: its lines that are JSON objects with these fields, of these types.

    Other lines, such as one that was cut off, are named on standard error, and stay in the file.
    """
    return [record for _, record in _parsed(path, fields) if record is not None]


def remove(path: Path, is_unwanted: Callable[[Record], bool], **fields: type) -> None:
    """Delete the records, as `read` gives them, that are no longer wanted. Other lines stay as they are."""
    if not path.exists():
        return
    kept = [line for line, record in _parsed(path, fields) if record is None or not is_unwanted(record)]
    with atomic_write(path) as part:
        part.write_bytes(b"".join(line + b"\n" for line in kept))


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


def _parsed(path: Path, fields: Mapping[str, type]) -> Iterator[tuple[bytes, Record | None]]:
    """Each line of a file that is not empty, with its record; None if it is none."""
    for number, line in enumerate(path.read_bytes().split(b"\n") if path.exists() else [], 1):
        if not line.strip():
            continue
        try:
            yield line, _record(line, fields)
        except (ValueError, RecursionError) as reason:
            _say(f"Line {number} of {path} is ignored: {reason}.")
            yield line, None


def _record(line: bytes, fields: Mapping[str, type]) -> Record:
    """The record in a line; ValueError if it is none."""
    try:
        record = json.loads(line)
    except ValueError:
        raise ValueError("it is not JSON, perhaps because it was cut off") from None
    if not isinstance(record, dict):  # the rest of a line that was cut off may be valid JSON, such as a number
        raise ValueError("it is not a JSON object")
    for name, kind in fields.items():
        if not isinstance(record.get(name), kind):
            raise ValueError(f"it has no {name!r} of a suitable type")
    return record


@cache
def _say(sentence: str) -> None:
    """Once on standard error: files are read several times."""
    print(sentence, file=sys.stderr)
