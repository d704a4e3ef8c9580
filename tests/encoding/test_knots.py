"""Where piecewise-linear functions have their knots."""

import numpy as np
import pytest
from networks import f32, plain
from sklearn.tree import DecisionTreeClassifier

from ldnn._encoding import knots as module
from ldnn._encoding.knots import column_knots, has_varied_column, knots_matter
from ldnn._plan import KnotPlan
from ldnn._table.training_table import TrainingTable


def knots_of(values, y, placement, n_pieces, weights=None):
    X = np.asarray(values, float)[:, None]
    weights = np.ones(len(X)) if weights is None else weights
    y = np.asarray(y, np.int32)
    table = TrainingTable(X, np.arange(len(X)), y, weights, np.array([False]), int(y.max()) + 1)
    found, _ = column_knots(table, np.array([0]), KnotPlan(placement, n_pieces), np.random.default_rng(0))
    return found.get(0, np.empty(0))


def test_quantiles_divide_the_rows_into_equal_parts(random):
    values = random.exponential(size=4000)
    knots = knots_of(values, np.zeros(4000), "quantile", 8)
    assert len(knots) == 9
    assert knots[[0, -1]].tolist() == [values.min(), values.max()]
    np.testing.assert_allclose(np.histogram(values, knots)[0], 500, atol=2)


def test_a_tree_finds_where_the_classes_change(random):
    values = np.where(random.random(3000) < 0.9, 0, random.uniform(1, 100, 3000))
    y = (values > 60) | ((values > 20) & (values < 30))
    knots = knots_of(values, y, "tree", 8)
    for change in (20, 30, 60):
        assert np.abs(knots - change).min() < 1
    assert len(knots_of(values, y, "quantile", 8)) == 0  # most values are 0: no quantile lies between


@pytest.mark.parametrize(("rows", "classes", "leaves"), [(100, 2, 4), (3000, 7, 8), (4000, 26, 16)])
def test_the_tree_cuts_where_that_of_scikit_learn_does(random, rows, classes, leaves):
    values = random.standard_normal(rows).astype(f32).astype(float)  # scikit-learn's trees know no other numbers
    y = np.where(random.random(rows) < 0.5, 3 * values, random.integers(0, classes, rows)).astype(int) % classes
    weights = random.uniform(0.5, 2, rows)
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves, min_weight_fraction_leaf=max(1e-3, 5 / rows))
    tree = tree.fit(values[:, None], y, sample_weight=weights).tree_
    cuts = np.sort(tree.threshold[tree.feature >= 0])
    np.testing.assert_allclose(knots_of(values, y, "tree", leaves, weights)[1:-1], cuts, atol=1e-6)


def test_mixed_knots_are_half_of_each_kind(random):
    values = random.exponential(size=3000)
    y = (values > 2) ^ (values < 0.1)
    mixed, tree, quantile = (
        knots_of(values, y, placement, n) for placement, n in [("mixed", 8), ("tree", 4), ("quantile", 4)]
    )
    np.testing.assert_array_equal(mixed, np.union1d(tree, quantile))


def test_weights_count_as_copies(random):
    values, y = random.standard_normal(300), random.integers(0, 3, 300)
    weights = random.integers(1, 4, 300)
    np.testing.assert_array_equal(
        knots_of(values, y, "quantile", 6, weights.astype(float)),
        knots_of(np.repeat(values, weights), np.repeat(y, weights), "quantile", 6),
    )


def test_columns_that_cannot_have_knots(random):
    y = random.integers(0, 2, 100)
    for values in (np.full(100, 3.0), np.full(100, np.nan), np.arange(100) % 2):
        assert len(knots_of(values, y, "mixed", 8)) == 0
    rare = np.zeros(100)
    rare[:4] = 7
    assert knots_of(rare, y, "mixed", 8).tolist() == [7]
    assert len(knots_of(np.array([0, 1, 2] * 30), y[:90], "quantile", 8)) == 3


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e30, 1e300])
def test_extreme_values(random, scale):
    values, y = random.uniform(1, 2, 500) * scale, random.integers(0, 2, 500)
    for placement in ("quantile", "tree", "mixed"):
        knots = knots_of(values, y, placement, 8)
        assert len(knots) > 2
        assert np.isfinite(knots).all()
        assert (np.diff(knots) > 0).all()


def test_threads_find_the_same_knots(random, monkeypatch):
    X, y = random.standard_normal((500, 4)), random.integers(0, 2, 500).astype(np.int32)
    table = TrainingTable(X, np.arange(500), y, np.ones(500), np.zeros(4, dtype=bool), 2)
    found = []
    for many in (501, 500):
        monkeypatch.setattr(module, "_MANY", many)
        found.append(column_knots(table, np.array([3, 1]), KnotPlan("mixed", 8), random)[0])
    assert list(found[0]) == list(found[1]) == [3, 1]
    for column in (1, 3):
        np.testing.assert_array_equal(found[0][column], found[1][column])
        np.testing.assert_array_equal(found[0][column], knots_of(X[:, column], y, "mixed", 8))


def test_knots_are_found_on_training_rows_only(random):
    X = random.standard_normal((500, 2))
    y = (X[:, 0] > 0).astype(int)
    X_val = X[:50] + 100
    model = plain(2, 2, discriminant="piecewise", max_epochs=2).fit(X, y, X_val=X_val, y_val=y[:50])
    assert max(basis.knots.max() for basis in model._state.encoder.bases) < 10


@pytest.mark.filterwarnings("error")
def test_values_whose_distance_is_beyond_all_numbers():
    values = np.concatenate([[-1.7e308], np.linspace(-1, 1, 50), [1.7e308]])
    assert len(knots_of(values, np.arange(52) % 2, "mixed", 8)) == 0


@pytest.mark.parametrize(
    ("column", "is_varied", "matter"),
    [
        ([0, 1] * 20, False, False),
        ([0, 1, np.nan, 1] * 10, False, False),
        ([2] * 40, False, False),
        ([np.nan] * 40, False, False),
        ([5] + [1] * 39, False, True),  # a rare value is encoded by an indicator
        ([-5] + [1] * 39, False, True),
        ([0, 1, 2, 1] * 10, True, True),
    ],
)
def test_knots_matter_unless_all_columns_have_two_values(column, is_varied, matter):
    X = np.column_stack([[0, 1, 1, 0] * 10, column, np.arange(40)]).astype(float)
    is_category = np.array([False, False, True])
    table = TrainingTable(X, np.arange(40), np.arange(40, dtype=np.int32) % 2, np.ones(40), is_category, 2)
    assert (has_varied_column(table), knots_matter(table)) == (is_varied, matter)


def test_weights_decide_which_value_is_rare():
    X, y = np.arange(40.0)[:, None] % 2, np.zeros(40, np.int32)
    weights = np.where(X[:, 0] == 1, 0.05, 1.0)
    table = TrainingTable(X, np.arange(40), y, weights, np.array([False]), 1)
    assert knots_matter(table) and not knots_matter(table.subset(np.flatnonzero(X[:, 0] == 1)))
