"""An invented table with every kind of column, and a name that would break a careless page."""

import numpy as np
import pandas as pd

HOSTILE = "city </script><img src=x onerror=alert(1)> \"'&\u2028"


def customers(n, random):
    """Rows with numbers, whole numbers, truth values, categories, dates and missing values, of three classes."""
    frame = pd.DataFrame(
        {
            "age": random.integers(18, 90, n),
            "income": np.exp(random.normal(10, 1, n)).round(2),
            HOSTILE: random.choice(["Oslo", "Rome", "Lima </script>", "Zürich"], n),
            "member": random.random(n) < 0.4,
            "signed": pd.Timestamp("2019-01-01") + pd.to_timedelta(random.integers(0, 1500 * 24 * 60, n), unit="min"),
            "noise": random.normal(size=n),
        }
    )
    frame.loc[random.random(n) < 0.1, "income"] = np.nan
    frame.loc[random.random(n) < 0.1, HOSTILE] = None
    frame.loc[random.random(n) < 0.05, "signed"] = pd.NaT
    total = (frame["age"] > 50) + 1.5 * (frame["income"].fillna(2e4) > 25_000) + 1.2 * (frame[HOSTILE] == "Rome")
    total += (frame["signed"].dt.month.fillna(6) > 8) + 0.3 * random.normal(size=n)
    return frame, np.array(["low", "mid </script>", "top"])[np.digitize(total, [1.3, 2.8])]
