"""A lock on a folder of results: two processes that measure would do every run twice.

The operating system releases the lock when the process ends, however it ends.
"""

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

NAME = ".lock"  # the file stays in the folder: what counts is who has locked it


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, which is created first if need be.

    Raises SystemExit with one sentence if another process holds the lock, or if the folder cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / NAME).open("a+b")
    except OSError as error:
        raise SystemExit(f"Results cannot be written to {folder}: {error.strerror}.") from None
    with file:
        try:
            _lock(file)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EAGAIN):
                raise SystemExit(
                    f"Another process is writing results to {folder}: wait until it has ended, or give another folder "
                    "with --results."
                ) from None
            print(f"{folder} cannot be locked ({error.strerror}): start one process only.", file=sys.stderr)
        yield


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[bytes]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # unlike flock, not inherited by forked processes
