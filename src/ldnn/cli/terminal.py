"""Output of the commands: results on standard output, everything else on standard error; exit codes."""

import json
import os
import re
import shutil
import signal
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any, NoReturn, ParamSpec, TextIO

from click.exceptions import Exit

from .._printable import printable
from .interrupts import INTERRUPTED, stopped
from .messages import UserError

BROKEN_PIPE = 141  # as if stopped by SIGPIPE, like other tools
_WIDEST = 10_000  # characters of a file or a pipe
_NARROWEST = 10  # characters of a column of texts, where a terminal is narrow
_BETWEEN = 3  # characters between columns
_TERMINATED = 128 + signal.SIGTERM
_BEFORE_TEXT = re.compile(r" *(?:\d+\. |\S.*? {2,})?")  # of a line: spaces; the number or the name that it begins with

P = ParamSpec("P")


def report_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Let a command end with one sentence and an exit code: 1 for errors that the user can fix, 130 for Ctrl-C."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        signal.signal(
            signal.SIGTERM, lambda *_: sys.exit(_TERMINATED)
        )  # an exception, so that unfinished files are removed
        try:
            with warnings.catch_warnings():
                warnings.showwarning = lambda message, *_: note(str(message))
                command(*args, **kwargs)
                sys.stdout.flush()
        except KeyboardInterrupt:
            fail(stopped(), INTERRUPTED)
        except BrokenPipeError:  # the reader of the pipe has ended
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise Exit(BROKEN_PIPE) from None
        except (UserError, ImportError, ValueError, TypeError) as error:
            fail(str(error))
        except MemoryError:
            fail("there is not enough memory; use fewer rows.")
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            fail(f"{place}{error.strerror}." if error.strerror else str(error))

    return run


def fail(sentence: str, code: int = 1) -> NoReturn:
    _print(f"ldnn: {sentence}", sys.stderr)
    raise Exit(code)


def note(sentence: str) -> None:
    _print(f"note: {sentence}", sys.stderr)


def say(sentence: str) -> None:
    _print(sentence, sys.stdout)


def _print(text: str, stream: TextIO) -> None:
    """Print text; in a terminal, lines end between words, and go on below where their text began."""
    lines = printable(text).split("\n")
    if stream.isatty():
        width = shutil.get_terminal_size().columns
        lines = [line if len(line) <= width else _wrapped(line, width) for line in lines]
    print("\n".join(lines), file=stream)


def _wrapped(line: str, width: int) -> str:
    first = _BEFORE_TEXT.match(line)
    assert first is not None
    begin = first.end() if first.end() < width // 2 else len(line) - len(line.lstrip())
    return textwrap.fill(line, width, subsequent_indent=" " * begin, break_long_words=False, break_on_hyphens=False)


def say_json(result: Mapping[str, Any]) -> None:
    print(json.dumps(result, indent=2, default=_json_value))


def _json_value(value: Any) -> Any:
    """Scalars and arrays of NumPy as Python's own numbers and lists."""
    return value.item() if hasattr(value, "item") and value.ndim == 0 else value.tolist()


def show_table(table: Any) -> None:
    """Print a table of `ldnn.page`. In a narrow terminal, only the first numbers are followed by their ranges, and
    texts and titles take several lines; in a very narrow one, each row is a list of its cells. Nothing is cut off.
    """
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else _WIDEST)
    for ranges, is_narrow in ((len(table.columns), False), (2, False), (2, True)):
        drawn, needed = _rich_table(table, ranges, is_narrow)
        if needed <= console.width:
            console.print(drawn)
            return
    _say_rows(table)


def _say_rows(table: Any) -> None:
    """Print the cells of a table below each other, each with the title of its column."""
    if table.caption:
        say(table.caption)
    for number, row in enumerate(table.rows):
        for place, (column, cell) in enumerate(zip(table.columns, row, strict=True)):
            title, text = f"{column.title}: " if column.title else "", column.text(cell)
            star, range_ = "★ " if table.is_best(number, place) else "", column.range(cell)
            if text:
                say(f"{'  ' if place else ''}{title}{star}{text}{f' ({range_})' if range_ else ''}")


def _rich_table(table: Any, ranges: int, is_narrow: bool) -> tuple[Any, int]:
    """The table for rich, with the ranges of the first `ranges` columns, and the characters that it needs. is_narrow:
    whether texts and titles may take several lines; numbers never do.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    # As a Text, a title is not searched for marks of colours.
    caption = Text(printable(table.caption)) if table.caption else None
    drawn = Table(title=caption, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    rows: list[list[Text]] = [[] for _ in table.rows]
    needed = _BETWEEN * len(table.columns) - 1
    for place, column in enumerate(table.columns):
        is_text = column.digits is None
        for number, row in enumerate(table.rows):
            best = table.is_best(number, place)
            text = Text(("★ " if best else "") + printable(column.text(row[place])), style="bold cyan" if best else "")
            if place < ranges and (range_ := column.range(row[place])):
                text.append(f"  {range_}", style="dim not bold")
            rows[number].append(text)
        title, width = printable(column.title), max((len(row[place]) for row in rows), default=0)
        if is_narrow:
            width = min(width, _NARROWEST) if is_text else width
            title = textwrap.fill(title, max(width, *map(len, title.split()), 1), break_long_words=False)
        width = max(width, *map(len, title.split("\n")))
        needed += width
        drawn.add_column(
            Text(title),
            justify="left" if is_text else "right",
            no_wrap=not (is_narrow and is_text),
            overflow="fold",
            min_width=width,
        )
    for cells in rows:
        drawn.add_row(*cells)
    return drawn, needed


@contextmanager
def show_progress(is_wanted: bool) -> Iterator[Callable[..., None]]:
    """A function that shows a line about the progress of the work; with the share that is done, also the time left."""
    from .._training.progress import Progress

    progress = Progress(is_wanted)
    try:
        yield progress.show
    finally:
        progress.close()
