"""Univariate gain: which columns of a wide table tell about the classes."""

import numpy as np

from ldnn._table.screening import univariate_gains


def gains(X, y, is_category=None, weights=None):
    n, features = X.shape
    is_category = np.zeros(features, dtype=bool) if is_category is None else np.array(is_category)
    weights = np.ones(n) if weights is None else weights
    return univariate_gains(X, y.astype(np.int32), np.arange(n), weights, is_category)


def test_columns_that_tell_and_columns_of_chance(random):
    """A shift, a class in the middle, categories and missing values tell something; chance tells about nothing."""
    y = np.arange(900) % 3
    X = random.standard_normal((900, 30))
    X[:, 0] += y
    X[:, 1] = np.where(y == 1, X[:, 1] / 4, 2 * X[:, 1])
    X[:, 2] = np.where(random.random(900) < 0.6, y, random.integers(8, size=900))
    X[:, 3] = random.integers(200, size=900)
    X[(y == 2) & (random.random(900) < 0.5), 4] = np.nan
    is_category = np.isin(np.arange(30), [2, 3])
    found = gains(X, y, is_category)
    assert set(np.argsort(-found)[:4]) == {0, 1, 2, 4}
    assert abs(found[3]) < 20  # of 600; without what chance gives, 200 categories would tell most of all
    assert found[5:].max() < found[[0, 1, 2, 4]].min() / 3


def test_constant_and_empty_columns_tell_nothing(random):
    y = np.arange(60) % 2
    X = np.column_stack([np.full(60, 3.0), np.full(60, np.nan), y.astype(float)])
    found = gains(X, y)
    assert found[0] <= 0 >= found[1]
    assert found[2] > 20


def test_rows_count_by_their_weights(random):
    """One column tells about the first rows, one about the last: the heavy rows decide, in whatever unit."""
    y, is_first = np.arange(80) % 2, np.arange(80) < 40
    X = random.standard_normal((80, 5))
    X[is_first, 0] = y[is_first]
    X[~is_first, 1] = y[~is_first]
    weights = np.where(is_first, 1.0, 0.01)
    found = gains(X, y, weights=weights)
    assert found.argmax() == 0
    assert gains(X, y, weights=weights[::-1]).argmax() == 1
    np.testing.assert_allclose(gains(X, y, weights=1000 * weights), found)


def test_a_perfect_column_takes_away_all_impurity():
    """W - sum_c W_c**2 / W is 30 for 60 rows of two equal classes; one leaf more takes away 30 / 60 by chance."""
    y = np.arange(60) % 2
    assert gains(y[:, None].astype(float), y)[0] == 30 - 30 / 60
    assert gains(y[:, None].astype(float), y, [True])[0] == 30 - 30 / 60
