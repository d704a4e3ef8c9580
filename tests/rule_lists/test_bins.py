import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ldnn._rule_lists.bins import Bins


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-1e9, 1e9) | st.just(np.nan), min_size=1, max_size=80), st.integers(2, 20))
def test_bins_keep_the_order_and_are_few(values, most):
    X = np.array(values)[:, None]
    bins = Bins.fit(X, np.array([False]), [0], most)
    codes = bins.codes(X)[:, 0]
    is_missing = np.isnan(X[:, 0])
    assert (codes[is_missing] == bins.n_bins[0]).all()
    order = np.argsort(X[~is_missing, 0], kind="stable")
    assert (np.diff(codes[~is_missing][order].astype(int)) >= 0).all()
    assert bins.n_bins[0] <= most
    assert (codes[~is_missing] < bins.n_bins[0]).all()


def test_few_values_have_a_bin_each():
    X = np.array([[3.0], [1.0], [2.0], [1.0]])
    assert Bins.fit(X, np.array([False]), [0], 16).codes(X)[:, 0].tolist() == [2, 0, 1, 0]


def test_bins_have_about_equal_numbers_of_rows():
    X = np.random.default_rng(0).lognormal(size=(1000, 1))
    counts = np.bincount(Bins.fit(X, np.array([False]), [0], 10).codes(X)[:, 0])
    assert len(counts) == 10 and counts.min() > 80 and counts.max() < 120


def test_unknown_categories_are_like_missing_ones():
    X = np.array([[0.0], [1.0], [-1.0], [np.nan]])
    assert Bins.fit(X, np.array([True]), [2], 16).codes(X)[:, 0].tolist() == [0, 1, 2, 2]
