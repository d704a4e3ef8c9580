"""Atomic writes: a file is there in full, or as it was before."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


def output_path(what: str, path: str | os.PathLike) -> Path:
    """The path, if a file can be written there; else an error that says why `what` ("the model") cannot.

    Call it before long work.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent} for {what}; create it first.")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; pass the name of a file in it.")
    return path


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """A temporary file to write to, in the folder of `path`.

    It replaces `path` when the block ends well, with all of it on the disk, and is removed when it does not; a file
    that was there before stays until then. What is not a regular file (a pipe, a device) is written to directly.
    """
    path = Path(os.path.realpath(path))  # a link stays a link
    if path.exists() and not path.is_file():
        yield path
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        yield part
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
