"""Data sets with their training, validation and test rows: official test rows if there are any, else a random third."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit, train_test_split

from ldnn import datasets
from ldnn.datasets.registry import DatasetInfo

FEW_ROWS = 2000  # up to here, a setting is evaluated on five folds; above, on one
TEST_SHARE = 1 / 3
FOLDS = 5

RowNumbers = NDArray[np.intp]


@dataclass(frozen=True)
class Problem:
    """A table X (n, features), classes y (n,), and the official training and test rows, if any."""

    X: Any
    y: NDArray[np.intp]
    train: RowNumbers | None = None
    test: RowNumbers | None = None

    def split(self, repeat: int) -> tuple[RowNumbers, RowNumbers]:
        """Training and test rows of a repeat: the official ones, or a new random third of the rows for testing."""
        if self.train is not None and self.test is not None:
            return self.train, self.test
        train, test = train_test_split(
            np.arange(len(self.y)), test_size=TEST_SHARE, stratify=self.y, random_state=repeat
        )
        return np.sort(train), np.sort(test)

    def shuffled_splits(self, count: int) -> list[tuple[RowNumbers, RowNumbers]]:
        """The official split `count` times, or `count` random splits, drawn one after the other from the same seed."""
        if self.train is not None and self.test is not None:
            return [(self.train, self.test)] * count
        return list(StratifiedShuffleSplit(count, test_size=TEST_SHARE, random_state=0).split(self.X, self.y))


def info(name: str) -> DatasetInfo:
    """What is known about a data set without loading it."""
    return next(entry for entry in datasets.list_datasets() if entry.name == name)


def is_official(name: str) -> bool:
    """Whether the set comes with test rows, so that repeats differ by the classifier's seed only."""
    return info(name).n_train is not None


@lru_cache(maxsize=2)
def load(name: str, raw: bool = False) -> Problem:
    """A data set as a matrix; raw: as a data frame whose categories are categories."""
    bunch = getattr(datasets, f"load_{name}")(as_frame=raw)
    y = np.asarray(bunch.target)
    X = bunch.data / np.float32(255) if name == "mnist" else bunch.data  # pixels from 0 to 1
    return Problem(X, y, bunch.get("train"), bunch.get("test"))


def take(X: Any, rows: RowNumbers) -> Any:
    """Rows of an array or a data frame."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def sample(rows: RowNumbers, most: int | None, seed: int) -> RowNumbers:
    """At most `most` of the rows, drawn at random and sorted; all of them if `most` is None."""
    if most is None or len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))


def validation_splits(
    train: RowNumbers, y: NDArray[np.intp], seed: int, most: int | None
) -> list[tuple[RowNumbers, RowNumbers]]:
    """Rows to fit on and rows to evaluate on, all of them training rows: the same for every classifier."""
    rows = sample(train, most, seed)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(rows, y[rows])
    splits = [(rows[fit], rows[held_out]) for fit, held_out in folds]
    return splits if len(rows) <= FEW_ROWS else splits[:1]
