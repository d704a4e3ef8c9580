"""From a plan and the training rows to an encoder."""

from dataclasses import replace

import numpy as np
import pytest

from ldnn._encoding.bases import Missing, OneHot, PiecewiseLinear
from ldnn._encoding.fit_encoder import component_variances, fit_encoder
from ldnn._plan import EncodingPlan, KnotPlan
from ldnn._table.training_table import TrainingTable

LINEAR = EncodingPlan("standard")
PIECEWISE = EncodingPlan("standard", KnotPlan("quantile", 4))


@pytest.fixture
def table(random):
    """Numbers; numbers with missing values; category codes with unknown ones; a rare value; two values."""
    n = 400
    X = np.column_stack(
        [random.standard_normal(n), random.standard_normal(n), random.integers(-1, 3, n),
         np.where(np.arange(n) % 50 == 0, 7.0, 0.0), np.arange(n) % 2]
    )  # fmt: skip
    X[::5, 1] = np.nan
    X[0, 1] = 1000.0  # in a row that is not used
    is_category = np.array([False, False, True, False, False])
    rows = np.arange(1, n)
    y = (X[:, 0] > 0)[rows].astype(np.int32)
    return TrainingTable(X, rows, y, np.ones(n - 1), is_category, 2)


def kinds(encoder):
    return [(type(basis), basis.column) for basis in encoder.bases]


def test_linear_networks_see_numbers_categories_and_what_is_missing(table):
    encoder = fit_encoder(table, LINEAR, np.random.default_rng(0))
    assert encoder.numbers.tolist() == [0, 1, 3, 4]
    assert kinds(encoder) == [(Missing, 1), (OneHot, 2)]
    assert encoder.bases[1].knots.tolist() == [0, 1, 2]
    assert encoder.n_dense == 4
    np.testing.assert_allclose(encoder.normalizer.center[0], table.X[1:, 0].mean())


def test_knots_and_rare_values(table):
    encoder = fit_encoder(table, PIECEWISE, np.random.default_rng(0))
    assert encoder.numbers.tolist() == [0, 1, 4]  # the rare value needs no number
    assert kinds(encoder) == [(PiecewiseLinear, 0), (PiecewiseLinear, 1), (Missing, 1), (OneHot, 2), (OneHot, 3)]
    assert encoder.bases[4].knots.tolist() == [7]
    assert [len(basis.knots) for basis in encoder.bases[:2]] == [5, 5]
    assert encoder.bases[1].knots.max() < 10


def test_conic_and_normalisation_follow_the_plan(table):
    encoder = fit_encoder(table, replace(LINEAR, is_conic=True, normalize=None), np.random.default_rng(0))
    assert encoder.is_conic
    assert encoder.normalizer.scale.tolist() == [1] * 4
    assert encoder.n_dense == 4 + 10


def test_selected_columns(table):
    encoder = fit_encoder(table, replace(PIECEWISE, n_selected=1), np.random.default_rng(0))
    assert encoder.numbers.tolist() == [0]
    assert kinds(encoder) == [(PiecewiseLinear, 0)]


def test_components(table):
    encoder = fit_encoder(table, replace(LINEAR, n_components=2), np.random.default_rng(0))
    assert encoder.components.shape == (4, 2)
    assert encoder.components.flags.c_contiguous
    variances = component_variances(table, LINEAR)
    share = float(variances[:3].sum() / variances.sum()) - 1e-6
    by_share = fit_encoder(table, replace(LINEAR, n_components=share), np.random.default_rng(0))
    assert by_share.n_numbers == 3
    np.testing.assert_array_equal(by_share.components[:, :2], encoder.components)
    numbers, _ = encoder.transform_for_training(table.X, table.rows)
    np.testing.assert_allclose(numbers.var(axis=0), variances[:2], rtol=1e-4)


def test_a_table_without_numbers_has_no_components(random):
    X = random.integers(0, 3, (60, 2)).astype(float)
    table = TrainingTable(X, np.arange(60), (np.arange(60) % 2).astype(np.int32), np.ones(60), np.ones(2, bool), 2)
    encoder = fit_encoder(table, replace(LINEAR, n_components=2), random)
    assert encoder.components is None
    assert encoder.n_numbers == 0


def test_columns_scaled_by_their_importance(random):
    """One column tells nearly all. The others count less and have no knots, but rare values are encoded as before."""
    n = 1000
    X = random.standard_normal((n, 6))
    y = (X[:, 0] > 0).astype(np.int32)
    X[:, 0] = X[:, 0] ** 5  # long tails
    X[:, 1] = np.arange(n) % 50 == 0
    table = TrainingTable(X, np.arange(n), y, np.ones(n), np.zeros(6, bool), 2)
    usual = fit_encoder(table, PIECEWISE, random)
    encoder = fit_encoder(table, replace(PIECEWISE, importance_power=0.5), random)
    assert kinds(encoder) == [(PiecewiseLinear, 0), (OneHot, 1)]
    stretch = encoder.normalizer.scale / usual.normalizer.scale
    shares = np.maximum(table.importances, 0.02 * table.importances[encoder.numbers].mean())[encoder.numbers]
    np.testing.assert_allclose(stretch, np.sqrt(shares / shares.mean()))
    np.testing.assert_allclose(np.mean(stretch**2), 1)
    assert stretch[0] > 5 * stretch[1:].max()
    assert encoder.long_tails[0].scale == pytest.approx(usual.long_tails[0].scale * stretch[0])


def test_columns_of_chance_are_not_scaled(random):
    """Where a forest finds nothing to split by, no column has any importance."""
    X = random.standard_normal((60, 3))
    table = TrainingTable(X, np.arange(60), np.zeros(60, np.int32), np.ones(60), np.zeros(3, bool), 2)
    plain, scaled = (fit_encoder(table, replace(PIECEWISE, importance_power=power), random) for power in (0.0, 0.5))
    np.testing.assert_array_equal(scaled.normalizer.scale, plain.normalizer.scale)
    assert kinds(scaled) == kinds(plain)
