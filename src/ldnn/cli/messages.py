"""Messages to the user, and the error that carries one."""

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from .._printable import listed


class UserError(Exception):
    """An error that the user can fix; the message says how."""


def check_not_input(output: str, *inputs: str | None) -> None:
    """Refuse to write the output over one of the files that are read."""
    for name in inputs:
        if name is None or "-" in (name, output) or not Path(name).exists() or not Path(output).exists():
            continue
        if Path(output).samefile(name):
            raise UserError(f"{output} is one of the files that are read: name another file with -o.")


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a sentence that proposes the known name closest to this one, or lists a few of them."""
    names = list(known)
    lowered = {other.lower(): other for other in reversed(names)}
    close = get_close_matches(name.lower(), lowered, n=1, cutoff=0.6)
    if close:
        return f"did you mean {lowered[close[0]]!r}?"
    return f"there are {listed([*map(repr, names)], 8)}."


def counted(count: int, thing: str) -> str:
    """1 row, 2 rows, 1,000 rows; 2 classes."""
    plural = "es" if thing.endswith("s") else "s"
    return f"{count:,} {thing}" + ("" if count == 1 else plural)
