"""Ctrl-C: one sentence, which agrees with the files that are there, and an exit code."""

import os
import signal
from typing import Any

INTERRUPTED = 128 + signal.SIGINT


def handle_ctrl_c() -> None:
    """From now on, Ctrl-C ends the process at once, even while modules are imported or kernels compiled."""
    signal.signal(signal.SIGINT, _stop)


def stopped() -> str:
    """The sentence: which files were written before."""
    from .._io.atomic import written_files

    written = written_files()
    return (
        f"stopped; {' and '.join(map(str, written))} {'was' if len(written) == 1 else 'were'} written."
        if written
        else "stopped; no file was written."
    )


def _stop(number: int, frame: Any) -> None:
    """Compiled code might swallow an exception: it is raised only where there is an unfinished file to remove."""
    from .._io.atomic import is_writing

    if is_writing():
        raise KeyboardInterrupt
    start = "\n" if os.isatty(2) else ""  # after the ^C of the terminal, or a line about progress
    os.write(2, f"{start}ldnn: {stopped()}\n".encode(errors="backslashreplace"))
    os._exit(INTERRUPTED)
