import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from ldnn._table.missing_values import is_missing


@pytest.mark.parametrize(
    "value",
    [
        None,
        float("nan"),
        np.float32("nan"),
        np.datetime64("NaT"),
        np.timedelta64("NaT"),
        pd.NA,
        pd.NaT,
        Decimal("sNaN"),
    ],
)
def test_missing(value):
    assert is_missing(value) is True


@pytest.mark.parametrize(
    "value", [0, "", "nan", False, 1.5, np.float64(2), Decimal(1), datetime.date(2020, 1, 1), (), np.zeros(2), b""]
)
def test_not_missing(value):
    assert is_missing(value) is False
