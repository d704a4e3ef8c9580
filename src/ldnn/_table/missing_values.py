"""What counts as a missing value in columns of Python objects."""

from decimal import Decimal
from typing import Any

import numpy as np


def is_missing(value: Any) -> bool:
    """None, pandas's NA and NaT, and whatever is not a number: of Python, NumPy or a decimal."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, Decimal):
        return value.is_nan()  # a signalling one cannot be compared
    return isinstance(value, float | np.floating | np.datetime64 | np.timedelta64) and bool(value != value)
