import warnings

import numpy as np
import pytest

from ldnn._rule_lists.smoothed_labels import IN_ALL, SmoothedLabels


def noisy(n=300):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n, 2))
    clean = (X[:, 0] > 0).astype(np.int32)
    y = np.where(generator.random(n) < 0.2, 1 - clean, clean).astype(np.int32)
    X[generator.random(X.shape) < 0.05] = np.nan
    return X, y, clean, np.arange(n) % 5


def test_smoothed_labels_are_nearer_to_the_truth():
    X, y, clean, folds = noisy()
    found = SmoothedLabels(X, y, np.ones(len(y)), 2, folds, 0, 1, print)
    for probabilities in (found.of_all(), found.without_fold(2)):
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)
        assert np.mean(probabilities.argmax(axis=1) == clean) > np.mean(y == clean) + 0.05


def test_a_fold_does_not_count():
    X, y, _, folds = noisy()
    changed = np.where(folds == 2, 1 - y, y)
    before, after = (SmoothedLabels(X, labels, np.ones(len(y)), 2, folds, 0, 1, print) for labels in (y, changed))
    np.testing.assert_array_equal(before.without_fold(2)[folds != 2], after.without_fold(2)[folds != 2])
    assert (before.without_fold(1) != after.without_fold(1)).any()


def test_rows_of_many_copies_keep_their_labels():
    X, y, _, folds = noisy()
    folds[:10] = IN_ALL
    found = SmoothedLabels(X, y, np.ones(len(y)), 2, folds, 0, 1, print).of_all()
    np.testing.assert_allclose(found[:10], np.eye(2)[y[:10]])


@pytest.mark.parametrize("scale", [1e300, 1e-300])
def test_the_unit_of_a_column_does_not_matter(scale):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(200, 2))
    X[::20, 1] = np.nan
    y = (X[:, 0] > 0).astype(np.int32)
    folds = np.arange(200) % 5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = SmoothedLabels(X * scale, y, np.ones(200), 2, folds, 0, 1, print).of_all()
    assert np.mean(found.argmax(axis=1) == y) > 0.95


@pytest.mark.parametrize("weight", [1 / 300, 190_000.0, 1e9])
def test_the_unit_of_weights_does_not_matter(weight):
    """Shares of 1, and people for each row of a survey: trees draw neither a single row nor billions."""
    X, y, clean, folds = noisy()
    found = SmoothedLabels(X, y, np.full(len(y), weight), 2, folds, 0, 1, print).of_all()
    assert np.mean(found.argmax(axis=1) == clean) > np.mean(y == clean) + 0.05


def test_the_same_bits_on_several_threads():
    X, y, _, folds = noisy()
    one, *several = (SmoothedLabels(X, y, np.ones(len(y)), 2, folds % 2, 0, n, print).of_all() for n in (1, 4, 4, 4))
    for found in several:
        np.testing.assert_array_equal(found, one)
