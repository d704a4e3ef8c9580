"""Files that are there in full or not at all, whatever happens while they are written."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write into that gets its name when all of it is on the disk.

    If the block ends by an error or by Ctrl-C, what had the name before still has it. What is no usual file (a pipe, a
    device) is written to as it is.
    """
    path = Path(path).resolve()  # a link stays a link
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, temporary)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_bytes(path: str | Path, content: bytes) -> None:
    with whole_file(path) as file:
        file.write(content)
