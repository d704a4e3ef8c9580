"""Networks that are monotone along columns: the projection, and the models that are trained with it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from configurations import models
from hypothesis import given
from hypothesis import strategies as st
from networks import with_linear_members

import ldnn
from ldnn import LDNNClassifier
from ldnn._encoding.bases import OneHot, PiecewiseLinear
from ldnn._encoding.fit_encoder import fit_encoder
from ldnn._encoding.monotone_cone import MonotoneCone
from ldnn._model.network import basis_features
from ldnn._plan import EncodingPlan, KnotPlan
from ldnn._table.training_table import TrainingTable

PLANS = {
    "linear": EncodingPlan("common"),
    "piecewise": EncodingPlan("standard", KnotPlan("mixed", 12)),
    "few knots": EncodingPlan("standard", KnotPlan("quantile", 2)),
    "conic": EncodingPlan("standard", is_conic=True),
}
MIXING = ("whiten", "components", "components beside categories")


def table_of(random, n=300):
    """Numbers, one of them with long tails, with missing values, or with a rare value; and categories."""
    X = random.standard_normal((n, 5))
    X[:, 1] = np.exp(3 * X[:, 1])
    X[::7, 2] = np.nan
    X[:, 3] = random.integers(3, size=n)
    X[:, 4] = np.where(np.arange(n) % 50 == 0, 7.0, 0.0)
    y = (X[:, 0] > np.log(X[:, 1])).astype(np.int32)
    return TrainingTable(X, np.arange(n), y, np.ones(n), np.array([0, 0, 0, 1, 0], bool), 2)


def log_odds(model, X):
    """In double precision, of each network: (networks, n)."""
    state = model._state
    rows = state.encoder.transform(model._matrix(X))
    return np.stack([state.network.exact_log_odds(rows, c) for c in range(len(state.network.parameters))])


def assert_monotone(model, X, directions, random):
    """Along a grid that goes far beyond the rows, from random rows on."""
    steps, count = 60, 25
    is_frame = isinstance(X, pd.DataFrame)
    for column, direction in directions.items():
        own = X[column].to_numpy() if is_frame else X[:, column]
        low, high = np.nanmin(own), np.nanmax(own)
        grid = np.sort(np.concatenate([np.linspace(2 * low - high, 2 * high - low, steps - 2), [-1e30, 1e30]]))
        chosen = np.repeat(random.integers(len(X), size=count), steps)
        rows = X.iloc[chosen].copy() if is_frame else X[chosen].copy()
        if is_frame:
            rows[column] = np.tile(grid, count)
        else:
            rows[:, column] = np.tile(grid, count)
        for values, tolerance in ((log_odds(model, rows), 1e-9), (model.predict_proba(rows)[:, 1], 1e-6)):
            changes = direction * np.diff(values.reshape(-1, count, steps), axis=2)
            assert changes.min() >= -tolerance


@given(
    st.sampled_from(sorted(PLANS)), st.lists(st.sampled_from([-1, 0, 1]), min_size=3, max_size=3), st.integers(0, 99)
)
def test_projected_networks_are_monotone(name, wanted, seed):
    random = np.random.default_rng(seed)
    directions = np.array([*wanted, 0, 1])
    table = replace(table_of(random), directions=directions)
    encoder = fit_encoder(table, PLANS[name], np.random.default_rng(0))
    cone = MonotoneCone.of(encoder)
    parameters = random.standard_normal((encoder.n_features + 1, 8)).astype(np.float32)
    once = parameters.copy()
    cone.project(once)
    twice = once.copy()
    cone.project(twice)
    np.testing.assert_array_equal(twice, once)
    encoder.fold_long_tails(once[None])
    for k in np.flatnonzero(directions):
        X = np.repeat(table.X[:1], 400, axis=0)
        X[:, k] = np.sort(np.concatenate([table.X[~np.isnan(table.X[:, k]), k][:200], random.uniform(-60, 60, 200)]))
        numbers, positions = encoder.transform(X)
        z = (numbers.astype(float) @ once[: encoder.n_dense]) + once[encoder.n_dense]
        z += basis_features(positions, encoder.basis_table) @ once[encoder.n_dense + 1 :]
        assert (directions[k] * np.diff(z, axis=0)).min() > -1e-9
        own = encoder.owners == k
        assert not any(isinstance(basis, OneHot) and basis.column == k for basis in encoder.bases)
        assert own.any()


def test_only_what_is_not_monotone_is_changed(random):
    """The projection is on the nearest parameters: those of free columns, biases and missing values stay."""
    table = replace(table_of(random), directions=np.array([1, 0, -1, 0, 0]))
    encoder = fit_encoder(table, PLANS["piecewise"], random)
    parameters = random.standard_normal((encoder.n_features + 1, 8)).astype(np.float32)
    projected = parameters.copy()
    MonotoneCone.of(encoder).project(projected)
    changed = np.delete((projected != parameters).any(axis=1), encoder.n_dense)
    may_change = [k for k in encoder.numbers if k in (0, 2)]
    np.testing.assert_array_equal(encoder.numbers[changed[: len(encoder.numbers)]], may_change)
    free = np.concatenate(
        [
            np.full(basis.n_weights, not (isinstance(basis, PiecewiseLinear) and basis.column in (0, 2)))
            for basis in encoder.bases
        ]
    )
    assert not changed[len(encoder.numbers) :][free].any()
    assert MonotoneCone.of(fit_encoder(table_of(random), PLANS["linear"], random)) is None


def test_every_configuration_that_allows_it(random):
    for name, model, X, y in models(random):
        if type(model) is not LDNNClassifier or len(np.unique(y)) > 2 or name in MIXING:
            continue
        columns = ["age", "rare"] if isinstance(X, pd.DataFrame) else [0, 2]
        directions = dict(zip(columns, (1, -1), strict=True))
        given = directions if isinstance(X, pd.DataFrame) else [1, 0, -1]
        model.set_params(monotonic_cst=given).fit(X, y)
        assert_monotone(model, X, directions, random)


def rows_of(random, n=600):
    """The truth increases along the first column and decreases along the second."""
    X = random.standard_normal((n, 3))
    X[:, 1] = np.exp(2 * X[:, 1])
    return X, (2 * np.tanh(X[:, 0]) - np.log(X[:, 1]) + X[:, 2] ** 2 + random.standard_normal(n) > 1).astype(int)


def test_a_true_constraint_costs_nothing(random):
    """On rows that were not trained on, beside the same model without it."""
    X, y = rows_of(random, 3000)
    model = LDNNClassifier(3, 3, discriminant="piecewise", n_estimators=2, max_epochs=10, random_state=0)
    free = model.fit(X[:300], y[:300]).score(X[300:], y[300:])
    constrained = model.set_params(monotonic_cst=[1, -1, 0]).fit(X[:300], y[:300]).score(X[300:], y[300:])
    assert constrained >= free - 0.01
    assert constrained > 0.8


@pytest.mark.parametrize("momentum", [0.0, 0.5])
def test_further_training_stays_monotone(random, tmp_path, momentum):
    X, y = rows_of(random)
    model = LDNNClassifier(
        2, 3, discriminant="piecewise", n_estimators=2, monotonic_cst=[1, -1, 0], max_epochs=3, momentum=momentum,
        random_state=0,
    )  # fmt: skip
    directions = {0: 1, 1: -1}
    model = with_linear_members(model, 1).fit(X[:300], y[:300], eval_set=(X[300:], y[300:]))
    assert_monotone(model, X, directions, random)
    ldnn.save(model, tmp_path / "model.ldnn")
    loaded = ldnn.load(tmp_path / "model.ldnn")
    loaded.partial_fit(X, 1 - y)  # labels that ask for the opposite
    assert_monotone(loaded, X, directions, random)
    model.set_params(warm_start=True).fit(X, 1 - y)
    assert_monotone(model, X, directions, random)
    parts = LDNNClassifier(monotonic_cst=[1, -1, 0], momentum=momentum, random_state=0)
    for part in (slice(0, 300), slice(300, 600)):
        parts.partial_fit(X[part], y[part], classes=[0, 1])
    assert_monotone(parts, X, directions, random)


def test_dates(random):
    X = pd.DataFrame({"signed": pd.date_range("2020-01-01", periods=400, freq="5D"), "size": random.normal(size=400)})
    y = (X["signed"].dt.month > 6) & (X["size"] > -1)
    model = LDNNClassifier(2, 2, max_epochs=3, monotonic_cst={"signed": 1}, random_state=0).fit(X, y)
    rows = X.iloc[:1].sample(300, replace=True).assign(signed=pd.date_range("2019-01-01", periods=300, freq="11D"))
    assert np.diff(model.predict_proba(rows)[:, 1]).min() > -1e-6


def test_mixed_columns_cannot_be_monotone(random):
    X, y = rows_of(random, 50)
    with pytest.raises(ValueError, match="monotonic_cst cannot be combined with normalize='whiten'"):
        LDNNClassifier(monotonic_cst=[1, 0, 0], normalize="whiten").fit(X, y)
    LDNNClassifier(2, 2, monotonic_cst=[0, 0, 0], max_epochs=1, normalize="whiten").fit(X, y)
