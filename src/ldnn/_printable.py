"""Text and values of tables and files, made fit to be shown."""

from collections.abc import Sequence
from typing import Any

_KEPT = "\n\t\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
_LONGEST = 160  # characters of one part of a list, or of one line


def printable(text: str) -> str:
    """The text with control characters, which a terminal or a browser would obey, shown as escapes."""
    return "".join(char if char.isprintable() or char in _KEPT else repr(char)[1:-1] for char in text)


def shortened(text: str) -> str:
    """The beginning of a long text."""
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


def listed(parts: Sequence[str], most: int = 5) -> str:
    """Names or parts of a sentence with commas between them, fit to be shown: the first few, long ones cut."""
    more = len(parts) - most
    return printable(", ".join(map(shortened, parts[:most]))) + (f" and {more} more" if more > 0 else "")


def plain(value: Any) -> Any:
    """A label or a value as JSON can hold it."""
    return value.item() if hasattr(value, "item") else value  # NumPy is not imported here: the command shall start fast
