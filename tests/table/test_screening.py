"""Importance: which columns of a wide table tell about the classes."""

import numpy as np

from ldnn._table.screening import importances


def found(X, y, weights=None):
    weights = np.ones(len(y)) if weights is None else weights
    return importances(X, y.astype(np.int32), np.arange(len(y)), weights)


def test_columns_that_tell_and_columns_of_chance(random):
    """A shift, a class in the middle, long tails, categories and missing values tell something."""
    y = np.arange(900) % 3
    X = random.standard_normal((900, 30))
    X[:, 0] += y
    X[:, 1] = np.where(y == 1, X[:, 1] / 4, 2 * X[:, 1])
    X[:, 2] = np.where(random.random(900) < 0.6, y, random.integers(8, size=900))
    X[:, 3] = np.exp(100 * (X[:, 3] + y))  # beyond float32
    X[(y == 2) & (random.random(900) < 0.5), 4] = np.nan
    shares = found(X, y)
    assert set(np.argsort(-shares)[:5]) == {0, 1, 2, 3, 4}
    assert shares[5:].max() < shares[:5].min() / 2
    np.testing.assert_array_equal(shares, found(X, y))


def test_columns_that_tell_only_together(random):
    """Neither of two factors tells anything about the sign of their product by itself."""
    X = random.standard_normal((1500, 20))
    shares = found(X, X[:, 3] * X[:, 7] > 0)
    assert set(np.argsort(-shares)[:2]) == {3, 7}


def test_constant_and_empty_columns_tell_nothing():
    y = np.arange(60) % 2
    X = np.column_stack([np.full(60, 3.0), np.full(60, np.nan), y.astype(float)])
    assert found(X, y).tolist() == [0, 0, 1]


def test_rows_count_by_their_weights(random):
    """One column tells about the first rows, one about the last: the heavy rows decide, in whatever unit."""
    y, is_first = np.arange(800) % 2, np.arange(800) < 400
    X = random.standard_normal((800, 5))
    X[is_first, 0] = y[is_first]
    X[~is_first, 1] = y[~is_first]
    weights = np.where(is_first, 1.0, 0.01)
    shares = found(X, y, weights)
    assert shares.argmax() == 0
    assert found(X, y, weights[::-1]).argmax() == 1
    np.testing.assert_allclose(found(X, y, 1024 * weights), shares)
