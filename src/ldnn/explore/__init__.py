"""Pages to play with, each one HTML file that loads nothing."""

from .one_file import OneFilePage
from .playground_page import playground

__all__ = ["OneFilePage", "playground"]
