"""What the commands say: results on standard output, all else on standard error, one sentence for each trouble."""

import json
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any, NoReturn, ParamSpec

import typer

from .messages import UserError

INTERRUPTED = 128 + signal.SIGINT
CUT_OFF = 141  # as if by a broken pipe's signal, which is what other tools die of
_ENDED = 128 + signal.SIGTERM


P = ParamSpec("P")


def polite(command: Callable[P, None]) -> Callable[P, None]:
    """Let a command end in a sentence and an exit code: 1 for what the user can mend, 130 for Ctrl-C."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(_ENDED))  # so that what was begun is cleared away
        try:
            with warnings.catch_warnings():
                warnings.showwarning = lambda message, *_: note(str(message))
                command(*args, **kwargs)
                sys.stdout.flush()
        except KeyboardInterrupt:
            fail("stopped; nothing was written.", INTERRUPTED)
        except BrokenPipeError:  # the reader has had enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(CUT_OFF) from None
        except (UserError, ImportError, ValueError, TypeError) as error:
            fail(str(error))
        except MemoryError:
            fail("the memory is full; take fewer rows.")
        except OSError as error:
            fail(f"{error.filename}: {error.strerror}." if error.filename and error.strerror else str(error))

    return run


def fail(sentence: str, code: int = 1) -> NoReturn:
    print(f"ldnn: {sentence}", file=sys.stderr)
    raise typer.Exit(code)


def note(sentence: str) -> None:
    print(f"note: {sentence}", file=sys.stderr)


def say(sentence: str) -> None:
    print(sentence)


def say_json(result: Mapping[str, Any]) -> None:
    print(json.dumps(result, indent=2, default=_plain))


def _plain(value: Any) -> Any:
    """Numbers of NumPy as those of Python."""
    return value.item() if hasattr(value, "item") and value.ndim == 0 else value.tolist()


def show_table(table: Any) -> None:
    """A table of `ldnn.page` in the terminal; where that is narrow, ranges stand beside the first numbers only."""
    from rich.console import Console

    # A file or a pipe is never too narrow.
    console = Console(width=None if sys.stdout.isatty() else 200)
    drawn = _drawn(table, len(table.columns))
    if console.measure(drawn).minimum > console.width:
        drawn = _drawn(table, 2)
    console.print(drawn)


def _drawn(table: Any, ranges: int) -> Any:
    """As a table of rich, with the ranges of so many columns."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    drawn = Table(title=table.caption or None, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in table.columns:
        drawn.add_column(column.title, justify="left" if column.digits is None else "right", no_wrap=True)
    for number, row in enumerate(table.rows):
        cells = []
        for place, (column, cell) in enumerate(zip(table.columns, row, strict=True)):
            best = table.is_best(number, place)
            text = Text(("★ " if best else "") + column.text(cell), style="bold cyan" if best else "")
            if place < ranges and (range_ := column.range(cell)):
                text.append(f"  {range_}", style="dim not bold")
            cells.append(text)
        drawn.add_row(*cells)
    return drawn


@contextmanager
def shown_progress(is_wanted: bool) -> Iterator[Callable[[str], None]]:
    """A function that shows a line about how far the work is."""
    from ..progress import Progress

    progress = Progress(is_wanted)
    try:
        yield progress.show
    finally:
        progress.close()
