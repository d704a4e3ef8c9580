"""Rule lists by brute force, to compare the kernels with."""

import numpy as np

from ldnn._rule_lists.bins import Bins
from ldnn._rule_lists.frontier import RuleSpace


def random_table(generator, n=60, n_numbers=2, n_categories=0, missing=0.1):
    """(X, bins): numbers of few values, then categories; some values are missing."""
    numbers = generator.integers(0, 5, (n, n_numbers)).astype(float)
    categories = generator.integers(0, 3, (n, n_categories)).astype(float)
    X = np.concatenate([numbers, categories], axis=1)
    X[generator.random(X.shape) < missing] = np.nan
    is_category = np.arange(X.shape[1]) >= n_numbers
    return X, Bins.fit(X, is_category, [3 if own else 0 for own in is_category], 16)


def free_space(bins, labels=(1,), default=0, most=4, max_rules=99):
    width = len(bins.n_bins)
    return RuleSpace(labels, default, most, max_rules, np.zeros(width, np.intp), np.ones(width, np.intp))


def all_masks(bins, column):
    """Every condition on a column: ranges or sets of bins, with and without missing values."""
    n_bins, width = int(bins.n_bins[column]), int(bins.n_bins.max()) + 1
    if bins.is_category[column]:
        chosen = [[b for b in range(n_bins) if number >> b & 1] for number in range(2**n_bins)]
    else:
        chosen = [range(low, high + 1) for low in range(n_bins) for high in range(low, n_bins)]
    for inside in chosen:
        for missing in (False, True):
            mask = np.zeros(width, dtype=bool)
            mask[list(inside)] = True
            mask[n_bins] = missing
            yield mask


def worth(gains, labels):
    """What it is worth to give rows these classes (n,)."""
    return gains[np.arange(len(gains)), labels].sum()
