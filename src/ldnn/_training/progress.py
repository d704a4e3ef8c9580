"""The progress of a long fit on standard error."""

import math
import os
import sys
import time


class Progress:
    """A line that is rewritten in a terminal; elsewhere a line every few seconds."""

    def __init__(self, is_wanted: bool):
        self._is_wanted = is_wanted
        self._is_terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._interval = 0.1 if self._is_terminal else 5.0
        self._shown = -math.inf
        self._line = ""

    def show(self, line: str) -> None:
        if not self._is_wanted:
            return
        self._line = line
        if time.monotonic() - self._shown >= self._interval:
            self._write()

    def _write(self) -> None:
        self._shown = time.monotonic()
        sys.stderr.write(f"\r{self._line}\x1b[K" if self._is_terminal else f"{self._line}\n")
        sys.stderr.flush()
        self._line = ""

    def close(self) -> None:
        if self._line:
            self._write()
        if self._is_wanted and self._is_terminal:
            sys.stderr.write("\n")
