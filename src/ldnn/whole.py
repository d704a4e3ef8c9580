"""Files that are there in full or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


def place_for(what: str, path: str | os.PathLike) -> Path:
    """The path, if a file can be there; else an error that says why `what` ("the model") cannot. Before long work."""
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent} for {what}; make it first.")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the name of a file in it.")
    return path


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A file name to write to, in the folder of `path`. It becomes `path` when the block ends well, with all of it on
    the disk, and disappears when it does not; a file that was there before stays until then. What is no usual file (a
    pipe, a device) is given as it is.
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
