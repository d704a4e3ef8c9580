"""What a case may end in: a right answer, or one clear sentence of our own. Anything else is a find."""

import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

RIGHT, REFUSED = "right", "refused"
_OURS = ("/src/ldnn/", "/sklearn/")  # where a refusal may come from: scikit-learn checks parameters and shapes for us
_LONGEST = 1000  # characters of a sentence


class WrongAnswerError(Exception):
    """An answer that cannot be right."""


class RefusedError(Exception):
    """A command refused its input, with one sentence."""


@dataclass
class Verdict:
    """How a case ended. kind: "right", "refused", or the name of what was found; where: the line of code."""

    kind: str
    message: str = ""
    where: str = ""
    details: dict[str, Any] = field(default_factory=dict)
    calls: int = 1  # of the public interface that the case has made

    @property
    def is_find(self) -> bool:
        return self.kind not in (RIGHT, REFUSED)

    @property
    def signature(self) -> str:
        """Equal for finds of the same cause."""
        return f"{self.kind}-{self.where}"

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def judge(case: Callable[[], None], refusals: tuple[type[BaseException], ...]) -> Verdict:
    """Run a case. refusals: the kinds of errors in which a clear sentence may come."""
    try:
        case()
    except RefusedError as error:
        return Verdict(REFUSED, str(error))
    except MemoryError as error:
        return _find("MemoryError", error)
    except refusals as error:
        fault = _fault_of(error)
        return Verdict(REFUSED, str(error)) if fault is None else _find(fault, error)
    except Exception as error:
        return _find(type(error).__name__, error)
    return Verdict(RIGHT)


def _fault_of(error: BaseException) -> str | None:
    """What keeps an error from being one clear sentence of our own."""
    text = str(error)
    source = _source_of(error)
    if not any(part in source for part in _OURS):
        return f"foreign {type(error).__name__}"
    if not text or len(text) > _LONGEST or any(not char.isprintable() and char != "\n" for char in text):
        return "unclear sentence"
    if error.__cause__ is not None and "/ldnn/_io/" in source and "damaged" not in text:
        return f"unexpected {type(error.__cause__).__name__}"
    return None


def _source_of(error: BaseException) -> str:
    """The file that raised an error; traceback.extract_tb would look up all lines, for most of the time of a case."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return frame.f_code.co_filename


def _find(kind: str, error: BaseException) -> Verdict:
    is_outer = kind.startswith("unexpected") or isinstance(error, WrongAnswerError)
    cause = error.__cause__ if is_outer and error.__cause__ is not None else error
    frames = traceback.extract_tb(cause.__traceback__)
    own = [frame for frame in frames if "/src/ldnn/" in frame.filename] or list(frames)
    where = f"{Path(own[-1].filename).name}:{own[-1].name}" if own else ""
    lines = traceback.format_exception(cause)
    return Verdict(kind, str(error)[:_LONGEST], where, {"traceback": "".join(lines)[-3000:]})


def check_probabilities(probabilities: np.ndarray, rows: int, classes: int) -> None:
    """Raise WrongAnswerError unless these are probabilities for this number of rows and classes."""
    if probabilities.shape != (rows, classes):
        raise WrongAnswerError(f"shape {probabilities.shape} for {rows} rows and {classes} classes")
    if not np.isfinite(probabilities).all() or (probabilities < 0).any():
        raise WrongAnswerError("probabilities that are not finite, or negative")
    if np.abs(probabilities.sum(axis=1) - 1).max(initial=0) > 1e-6:
        raise WrongAnswerError("probabilities that do not sum to 1")
