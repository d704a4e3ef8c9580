"""Atomic writes: a file is there in full, or as it was before."""

import os
import platform
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
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
    if str(path) == "-":
        raise ValueError(f"{what[0].upper()}{what[1:]} cannot be written to standard output; name a file.")
    target = Path(os.path.realpath(path))  # a link stays a link
    for folder in (path.parent, target.parent):
        if not folder.is_dir():
            raise FileNotFoundError(f"There is no folder {folder} for {what}; create it first.")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; pass the name of a file in it.")
    if not path.exists() or path.is_file():
        part = _temporary(target)
        _unfinished.add(part)
        try:
            part.write_bytes(bytes(_PROBE))
        except OSError as error:
            raise type(error)(f"{path.parent} cannot hold {what}: {error.strerror}.") from None
        finally:
            _remove(part)
            _unfinished.discard(part)
    return path


def is_writing() -> bool:
    """Whether there is an unfinished file, which has to be removed if the process ends now."""
    return bool(_unfinished)


def written_files() -> list[Path]:
    """The files that this process has written, or replaced, with `atomic_write`."""
    return [path for path, inode in _inodes.items() if path.exists() and path.stat().st_ino == inode]


def _temporary(path: Path) -> Path:
    """A name for the file while it is written, which tells the process that writes it."""
    short = path.name[:40]  # since a name has at most 255 bytes
    return path.with_name(f".{short}.{_host()}-{os.getpid()}-{uuid4().hex}.part")


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """A temporary file to write to, in the folder of `path`.

    It replaces `path` when the block ends well, with all of it on the disk, and is removed when it does not; a file
    that was there before stays until then. What is not a regular file (a pipe, a device) is written to directly. What
    killed processes have left of the same file is removed, too.
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
        _remove_abandoned(path)
    finally:
        _remove(part)
        _unfinished.discard(part)


def _remove(part: Path) -> None:
    """Remove a temporary file, if it is there. A read-only folder forbids even that, and another error says so."""
    with suppress(OSError):
        part.unlink(missing_ok=True)


def _host() -> str:
    """A name of this machine: processes of other machines may write to the same folder."""
    return sha256(platform.node().encode()).hexdigest()[:8]


def _remove_abandoned(path: Path) -> None:
    """Remove the temporary files of processes of this machine that have ended without removing them."""
    name = re.compile(rf"\.{re.escape(path.name[:40])}\.{_host()}-(\d{{1,9}})-[0-9a-f]{{32}}\.part")
    for other in path.parent.iterdir():
        found = name.fullmatch(other.name)
        if found and not _is_running(int(found[1])):
            other.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    if sys.platform == "win32":
        return True  # there, os.kill would end it
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # of another user
        return True
    return True
