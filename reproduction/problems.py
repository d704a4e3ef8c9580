"""The data of a task, and how it is split: official test rows where there are any, else a random third."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, train_test_split

from ldnn import datasets
from ldnn.datasets.registry import DatasetInfo

FEW_ROWS = 2000  # up to here, five folds judge a setting; above, one
TEST_SHARE = 1 / 3
FOLDS = 5

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Problem:
    """A table X (n, features), classes y (n,), and the official test rows, if any."""

    X: Any
    y: NDArray[np.intp]
    train: Rows | None = None
    test: Rows | None = None

    def split(self, repeat: int) -> tuple[Rows, Rows]:
        """Training and test rows of a repeat: the official ones, or two thirds and one third, different each time."""
        if self.train is not None and self.test is not None:
            return self.train, self.test
        train, test = train_test_split(
            np.arange(len(self.y)), test_size=TEST_SHARE, stratify=self.y, random_state=repeat
        )
        return np.sort(train), np.sort(test)


def info(name: str) -> DatasetInfo:
    """What is known about a data set without loading it."""
    return next(entry for entry in datasets.list_datasets() if entry.name == name)


def is_official(name: str) -> bool:
    """Whether the set comes with test rows, so that repeats differ by the classifier's seed only."""
    return info(name).n_train is not None


@lru_cache(maxsize=2)
def load(name: str, raw: bool = False) -> Problem:
    """A data set; raw: as a data frame, with categories as such."""
    bunch = getattr(datasets, f"load_{name}")(as_frame=raw)
    y = np.asarray(bunch.target)
    X = bunch.data / np.float32(255) if name == "mnist" else bunch.data  # pixels from 0 to 1
    return Problem(X, y, bunch.get("train"), bunch.get("test"))


def take(X: Any, rows: Rows) -> Any:
    """Rows of an array or a data frame."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def some(rows: Rows, most: int | None, seed: int) -> Rows:
    """At most so many of the rows, picked at random."""
    if most is None or len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))


def validation_splits(train: Rows, y: NDArray[np.intp], seed: int, most: int | None) -> list[tuple[Rows, Rows]]:
    """Rows to learn from and rows to judge by, all of them training rows: the same for every classifier."""
    rows = some(train, most, seed)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(rows, y[rows])
    splits = [(rows[fit], rows[held_out]) for fit, held_out in folds]
    return splits if len(rows) <= FEW_ROWS else splits[:1]
