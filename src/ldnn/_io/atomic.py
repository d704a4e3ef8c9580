"""Atomic writes: a file is there in full, or as it was before."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

_PROBE = 4096  # bytes: a full disk may still have room for the name of a file

_unfinished: set[Path] = set()  # files under their temporary names
_inodes: dict[Path, int] = {}  # of files that were, or were about to be, given their own names


def output_path(what: str, path: str | os.PathLike) -> Path:
    """The path, if a file can be written there; else an error that says why `what` ("the model") cannot.

    Call it before long work.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent} for {what}; create it first.")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; pass the name of a file in it.")
    if not path.exists() or path.is_file():
        part = _temporary(Path(os.path.realpath(path)))
        try:
            part.write_bytes(bytes(_PROBE))
        except OSError as error:
            raise type(error)(f"{path.parent} cannot hold {what}: {error.strerror}.") from None
        finally:
            part.unlink(missing_ok=True)
    return path


def is_writing() -> bool:
    """Whether there is an unfinished file, which `atomic_write` has to remove if the process ends now."""
    return bool(_unfinished)


def written_files() -> list[Path]:
    """The files that this process has written, or replaced, with `atomic_write`."""
    return [path for path, inode in _inodes.items() if path.exists() and path.stat().st_ino == inode]


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name[:40]}.{uuid4().hex}.part")  # short, since a name has at most 255 bytes


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
    part = _temporary(path)
    _unfinished.add(part)
    try:
        yield part
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        _inodes[path] = part.stat().st_ino
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
        _unfinished.discard(part)
