import numpy as np
import pytest

from ldnn._encoding.normalizer import LIMIT, Normalizer


def fit(X, method, weights=None):
    return Normalizer.fit(X, np.arange(len(X)), np.ones(len(X)) if weights is None else weights, method)


def test_standard_is_mean_zero_variance_one(random):
    X = random.standard_normal((10_000, 3)) * [1, 1e4, 1e-4] + [0, 1e6, 5]
    normalized = fit(X, "standard").transform(X)
    assert normalized.dtype == np.float32
    np.testing.assert_allclose(normalized.mean(axis=0), 0, atol=1e-4)
    np.testing.assert_allclose(normalized.std(axis=0), 1, rtol=1e-4)


def test_weights_count_as_copies(random):
    X, weights = random.standard_normal((50, 3)), random.integers(1, 4, 50)
    for method in ("standard", "common", "whiten"):
        weighted = fit(X, method, weights.astype(float)).transform(X)
        repeated = fit(np.repeat(X, weights, axis=0), method).transform(X)
        np.testing.assert_allclose(weighted, repeated, rtol=1e-4, atol=1e-5)


def test_stretched_columns(random):
    X, factors = random.standard_normal((50, 3)), np.array([0.5, 1.0, 2.0])
    usual = fit(X, "standard")
    np.testing.assert_allclose(usual.stretched(factors).transform(X), usual.transform(X) * factors, rtol=1e-5)
    assert np.isfinite(Normalizer(np.zeros(1), np.array([1e308])).stretched(np.array([10.0])).scale).all()


def test_a_common_scale_keeps_the_proportions_of_the_columns(random):
    X = random.standard_normal((10_000, 4)) * [1, 30, 0.01, 0] + [0, 100, 5, 3]
    normalized = fit(X, "common").transform(X).astype(float)
    np.testing.assert_allclose(normalized.mean(axis=0), 0, atol=1e-4)
    deviations = normalized.std(axis=0)
    np.testing.assert_allclose(deviations[:3] / deviations[0], X.std(axis=0)[:3] / X.std(axis=0)[0], rtol=1e-3)
    np.testing.assert_allclose(np.mean(deviations[:3] ** 2), 1, rtol=1e-3)  # of the columns that vary
    assert deviations[3] == 0


def test_whiten_removes_correlations_and_stays_near_the_columns(random):
    X = random.standard_normal((5000, 4)) @ random.standard_normal((4, 4)) * [1, 1e3, 1e-3, 1] + 7
    normalized = fit(X, "whiten").transform(X).astype(float)
    np.testing.assert_allclose(np.cov(normalized.T), np.eye(4), atol=2e-3)
    for k in range(4):
        assert np.corrcoef(normalized[:, k], X[:, k])[0, 1] > 0.5


@pytest.mark.parametrize("method", ["standard", "common", "whiten", None])
def test_constant_and_dependent_columns_are_harmless(random, method):
    X = random.standard_normal((100, 2))
    X = np.column_stack([X, X[:, 0] + X[:, 1], np.full(100, 0.1), np.zeros(100)])
    normalizer = fit(X, method)
    assert np.isfinite(normalizer.transform(X)).all()
    if method is not None:
        other = X.copy()
        other[:, 3:] = 5  # a column that never varied says nothing
        np.testing.assert_array_equal(normalizer.transform(X), normalizer.transform(other))


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e30, 1e300])
@pytest.mark.parametrize("method", ["standard", "common", "whiten"])
def test_extreme_units(random, scale, method):
    X = random.standard_normal((100, 2))
    np.testing.assert_allclose(
        fit(X * scale, method).transform(X * scale), fit(X, method).transform(X), rtol=1e-4, atol=1e-5
    )


def test_values_far_beyond_the_training_rows_are_clipped(random):
    X = random.standard_normal((100, 2))
    assert np.abs(fit(X, "standard").transform(X * 1e40)).max() == np.float32(LIMIT)


@pytest.mark.parametrize("method", ["standard", "common", "whiten", None])
def test_half_spaces_in_user_units_are_the_same_half_spaces(random, method):
    X = random.standard_normal((200, 3)) @ random.standard_normal((3, 3)) * [1, 50, 0.02] + [3, -400, 1]
    normalizer = fit(X, method)
    w, b = random.standard_normal((2, 4, 5, 3)), random.standard_normal((2, 4, 5))
    w_user, b_user = normalizer.to_user_units(w, b)
    np.testing.assert_allclose(
        X @ w_user[1, 2, 3] + b_user[1, 2, 3], normalizer.transform(X) @ w[1, 2, 3] + b[1, 2, 3], rtol=1e-3, atol=1e-3
    )


def test_rows_are_selected_and_memory_order_does_not_matter(random):
    X = random.standard_normal((9000, 3))
    rows = random.permutation(9000)[:5000]
    normalizer = fit(X, "standard")
    np.testing.assert_array_equal(normalizer.transform(X, rows), normalizer.transform(X[rows]))
    np.testing.assert_array_equal(normalizer.transform(np.asfortranarray(X)), normalizer.transform(X))


@pytest.mark.parametrize("method", ["standard", "common", "whiten"])
def test_missing_values_count_as_the_mean_and_are_left_out(random, method):
    X = random.standard_normal((200, 3)) * [1, 50, 0.02] + [3, -400, 1]
    with_missing = np.concatenate([X, [[np.nan, X[:, 1].mean(), X[:, 2].mean()]]])
    normalizer = fit(with_missing, method)
    np.testing.assert_allclose(normalizer.center, X.mean(axis=0))
    np.testing.assert_allclose(normalizer.transform(with_missing)[-1], 0, atol=1e-4)
    if method == "standard":
        np.testing.assert_allclose(1 / normalizer.scale[0], X[:, 0].std())
