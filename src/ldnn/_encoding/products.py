"""Products of normalised numbers: the features of conic discriminants."""

import numpy as np
from numpy.typing import NDArray

ALL_PRODUCTS = 20  # columns of numbers with all their products; more of them have squares only


def product_pairs(n_numbers: int) -> list[tuple[int, int]]:
    """Which numbers are multiplied: each with itself, and with all others where there are few."""
    if n_numbers > ALL_PRODUCTS:
        return [(k, k) for k in range(n_numbers)]
    return [(k, m) for k in range(n_numbers) for m in range(k, n_numbers)]


def with_products(numbers: NDArray[np.float32]) -> NDArray[np.float32]:
    """Normalised numbers (n, F), then their products; squares have mean 0 and variance 1 for normal numbers."""
    pairs = product_pairs(numbers.shape[1])
    both = np.empty((len(numbers), numbers.shape[1] + len(pairs)), dtype=np.float32)
    both[:, : numbers.shape[1]] = numbers
    for column, (k, m) in enumerate(pairs, numbers.shape[1]):
        np.multiply(numbers[:, k], numbers[:, m], out=both[:, column])
        if k == m:
            both[:, column] -= 1
            both[:, column] *= np.float32(0.5**0.5)
    return both
