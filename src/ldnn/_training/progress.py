"""The progress of a long fit on standard error."""

import math
import os
import shutil
import sys
import time

_BAR, _SHORTEST_BAR = 20, 5  # characters; a bar is shorter where the line needs the space
_SOON = 1.0  # seconds; before, the time left is not known well enough to be shown


class Progress:
    """A bar that is rewritten in a terminal; elsewhere a line every few seconds."""

    def __init__(self, is_wanted: bool, after: float = 0.0):
        """after: seconds; work that takes less shows nothing."""
        self._is_wanted = is_wanted
        self._after = after
        self._is_terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._interval = 0.1 if self._is_terminal else 5.0
        self._started = time.monotonic()
        self._shown = -math.inf
        self._line = ""

    def show(self, line: str, done: float | None = None, at_once: bool = False) -> None:
        """Show a line. done: the share of the work that is done; from it follows the time left. at_once: a terminal
        shows the line however soon it follows the last one, because what it announces may take long.
        """
        if not self._is_wanted:
            return
        self._line = line if done is None else self._with_share(line, done)
        now = time.monotonic()
        is_due = now - self._shown >= self._interval or (at_once and self._is_terminal)
        if is_due and now - self._started >= self._after:
            self._write()

    def _with_share(self, line: str, done: float) -> str:
        elapsed = time.monotonic() - self._started
        parts = [f"{done:4.0%}", line]
        if elapsed >= _SOON and 0 < done < 1:
            parts.insert(-1, f"{duration(elapsed / done - elapsed)} left")
        length = min(_BAR, _width() - len("  ".join(["", *parts])))
        if self._is_terminal and length >= _SHORTEST_BAR:
            filled = round(length * done)
            parts.insert(0, "━" * filled + "─" * (length - filled))
        return "  ".join(parts)

    def _write(self) -> None:
        self._shown = time.monotonic()
        if self._is_terminal:
            sys.stderr.write(f"\r{self._line[: _width()]}\x1b[K")
        else:
            sys.stderr.write(f"{self._line}\n")
        sys.stderr.flush()
        self._line = ""

    def close(self) -> None:
        if time.monotonic() - self._started < self._after:
            return
        if self._line:
            self._write()
        if self._is_wanted and self._is_terminal:
            sys.stderr.write("\n")


def _width() -> int:
    """Characters of a line that can be rewritten."""
    return shutil.get_terminal_size().columns - 1


def duration(seconds: float) -> str:
    """Seconds as people say them: 8 s, 3 min 20 s, 2 h 5 min."""
    minutes, rest = divmod(math.ceil(seconds), 60)
    if minutes == 0:
        return f"{rest} s"
    hours, minutes_left = divmod(minutes, 60)
    return f"{hours} h {minutes_left} min" if hours else f"{minutes} min {rest} s"
