"""Interactive pages, each one HTML file that loads nothing."""

from typing import TYPE_CHECKING, Any

from .one_file import OneFilePage
from .playground_page import playground

if TYPE_CHECKING:
    from .model_page import explore

__all__ = ["OneFilePage", "explore", "playground"]


def __getattr__(name: str) -> Any:
    if name == "explore":  # imported when it is used: the playground needs no model
        from .model_page import explore

        return explore
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
