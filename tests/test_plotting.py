"""Pictures show what the model says."""

import subprocess
import sys

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from networks import plain
from scipy.special import expit

from ldnn import LDNNClassifier
from ldnn.plotting import (
    COLORS,
    BoundaryDisplay,
    ConjunctionsDisplay,
    LearningCurvesDisplay,
    RuleCoverageDisplay,
    SearchHistoryDisplay,
    StartDisplay,
)

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def moons_model(moons):
    X, y = moons
    table = pd.DataFrame(X, columns=["left", "up"])
    return plain(3, 2).fit(table, y), table, y


def grid(plane):
    across, along = np.meshgrid(plane.x, plane.y)
    return pd.DataFrame({plane.names[0]: across.ravel(), plane.names[1]: along.ravel()})


def test_boundary_of_two_classes(moons_model):
    model, X, y = moons_model
    display = BoundaryDisplay.from_estimator(model, X, y, resolution=40)
    points = grid(display.plane)
    expected = model.predict_proba(points)[:, 1].reshape(40, 40)
    np.testing.assert_allclose(display.probabilities[1], expected, atol=1e-6)
    z = np.einsum("rk,ijk->rij", points.to_numpy(), model.weights_[0]) + model.biases_[0]
    np.testing.assert_allclose(display.depths[0], z.min(axis=2).T.reshape(3, 40, 40), atol=1e-3)
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("left", "up")
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["0", "1"]


def test_boundary_where_half_spaces_bend_and_networks_vote(moons):
    X, y = moons
    model = LDNNClassifier(2, 2, bends="quantile", n_networks=2, max_epochs=5, random_state=0).fit(X, y)
    display = BoundaryDisplay.of(model, X, resolution=20)
    expected = model.predict_proba(grid(display.plane).to_numpy())[:, 1].reshape(20, 20)
    np.testing.assert_allclose(display.probabilities[1], expected, atol=1e-6)


def test_boundary_of_several_classes_and_columns(blobs):
    X, y = blobs
    table = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(kind=np.where(X[:, 3] > -7, "high", "low"))
    table.loc[::9, "c"] = np.nan
    model = plain(2, 2, max_epochs=5).fit(table, y)
    display = BoundaryDisplay.from_estimator(model, table, y, columns=("c", 1), resolution=15)
    points = grid(display.plane).assign(
        a=table["a"].median(), d=table["d"].median(), kind=table["kind"].mode()[0]
    )[list(table.columns)]  # fmt: skip
    np.testing.assert_allclose(display.probabilities.reshape(3, -1).T, model.predict_proba(points), atol=1e-6)
    assert len(display.depths) == 3
    assert "other columns at their medians" in display.ax_.get_xlabel()
    with pytest.raises(ValueError, match="no column 'e'; its columns are a, b, c, d, kind"):
        BoundaryDisplay.from_estimator(model, table, columns=("a", "e"))
    with pytest.raises(ValueError, match="no column 7"):
        BoundaryDisplay.from_estimator(model, table, columns=(0, 7))


def test_start_and_trained(moons_model):
    model, X, y = moons_model
    display = StartDisplay.from_estimator(model, X, y, resolution=25)
    points = grid(display.start.plane).to_numpy()
    for shown, weights, biases in (
        (display.start, model.initial_weights_, model.initial_biases_),
        (display.trained, model.weights_, model.biases_),
    ):
        z = np.einsum("rk,ijk->rij", points, weights[0]) + biases[0]
        np.testing.assert_allclose(shown.depths[0], z.min(axis=2).T.reshape(3, 25, 25), atol=1e-3)
    assert not np.allclose(display.start.probabilities, display.trained.probabilities, atol=0.05)
    assert [ax.get_title() for ax in display.axes_] == ["Start", "Trained"]
    with pytest.raises(ValueError, match="2 axes are needed, 1 were given"):
        display.plot([Figure().subplots()])


def test_conjunctions_make_up_the_output(moons_model):
    model, X, _ = moons_model
    display = ConjunctionsDisplay.from_estimator(model, X, resolution=20)
    f = expit(model.decision_function(grid(display.plane))).reshape(20, 20)
    np.testing.assert_allclose(display.outputs[-1], f, atol=1e-5)
    np.testing.assert_allclose(1 - (1 - display.outputs[:-1]).prod(axis=0), f, atol=1e-5)
    assert len(display.axes_) == 4
    with pytest.raises(ValueError, match="no network 1: the model has 1"):
        ConjunctionsDisplay.from_estimator(model, X, network=1)


def test_learning_curves(moons_model):
    model, *_ = moons_model
    display = LearningCurvesDisplay.from_estimator(model)
    lines = {line.get_label(): line for line in display.ax_.get_lines()}
    np.testing.assert_allclose(lines["validation rows"].get_ydata(), 100 * np.array(model.history_["validation_error"]))
    assert f"best epoch: {model.best_epoch_}" in lines
    assert LearningCurvesDisplay.from_estimator(model, metric="loss").ax_.get_ylabel() == "loss"
    with pytest.raises(ValueError, match="neither 'error' nor 'loss'"):
        LearningCurvesDisplay.from_estimator(model, metric="auc")


def test_search_history(moons):
    X, y = moons
    model = LDNNClassifier(effort=0.3, random_state=0).fit(X[:200], y[:200])
    display = SearchHistoryDisplay.from_estimator(model)
    chosen = display.labels[display.chosen]
    plan = model.plan_
    assert chosen.startswith(f"{plan['n_conjunctions']}x{plan['n_discriminants']}, ")
    assert f"{plan['loss']} loss" in chosen
    assert sum(map(len, display.errors)) == len(model.search_history_)
    with pytest.raises(ValueError, match="Nothing was compared"):
        SearchHistoryDisplay.from_estimator(plain(2, 2, max_epochs=2).fit(X, y))


def test_rule_coverage(moons_model):
    model, X, y = moons_model
    display = RuleCoverageDisplay.from_estimator(model, X, y)
    assert len(display.ax_.patches) == 2 * len(display.rules)
    total = sum(bar.get_width() for bar in display.ax_.patches[:2])
    assert total == pytest.approx(100 * display.rules[0].coverage)


def test_axes_of_ones_own(moons_model):
    model, X, y = moons_model
    figure = Figure()
    left, right = figure.subplots(1, 2)
    display = BoundaryDisplay.from_estimator(model, X, y, ax=left, resolution=20)
    assert display.ax_ is left and display.figure_ is figure
    assert display.plot(right, output=False).ax_ is right
    assert LearningCurvesDisplay.from_estimator(model, ax=right).ax_ is right


def test_colours_differ_for_colour_blind_eyes():
    """Brettel and Viénot's matrices for the two common kinds, as distances in sRGB."""
    rgb = np.array([[int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)] for color in COLORS[:6]])
    for matrix in (
        [[0.56, 0.44, 0], [0.56, 0.44, 0], [0, 0.24, 0.76]],
        [[0.62, 0.38, 0], [0.7, 0.3, 0], [0, 0.3, 0.7]],
    ):
        seen = rgb @ np.array(matrix).T
        distances = np.linalg.norm(seen[:, None] - seen[None], axis=2)
        assert distances[~np.eye(len(seen), dtype=bool)].min() > 0.08


def test_what_is_missing_is_named():
    script = "import sys; sys.modules['matplotlib'] = None; import ldnn; ldnn.plotting"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert result.stderr.strip().splitlines()[-1].endswith('pip install "ldnn[plot]"')
