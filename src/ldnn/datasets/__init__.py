"""Data sets of the paper."""

from .generators import make_two_moons, make_two_spirals

__all__ = ["make_two_moons", "make_two_spirals"]
