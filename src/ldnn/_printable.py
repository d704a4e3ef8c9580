"""Text and values of tables and files, made fit to be shown."""

from typing import Any

_KEPT = "\n\t\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"


def printable(text: str) -> str:
    """The text with control characters, which a terminal or a browser would obey, shown as escapes."""
    return "".join(char if char.isprintable() or char in _KEPT else repr(char)[1:-1] for char in text)


def plain(value: Any) -> Any:
    """A label or a value as JSON can hold it."""
    return value.item() if hasattr(value, "item") else value  # NumPy is not imported here: the command shall start fast
