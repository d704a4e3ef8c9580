"""The boundary, the output and the polytopes are those of the model."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from networks import plain

from ldnn import LDNNClassifier
from ldnn.plotting import BoundaryDisplay, LearningCurvesDisplay, StartDisplay


def test_boundary_of_two_classes(moons_model, points_of):
    model, X, y = moons_model
    display = BoundaryDisplay.from_estimator(model, X, y, resolution=40)
    points = points_of(display.plane)
    expected = model.predict_proba(points)[:, 1].reshape(40, 40)
    np.testing.assert_allclose(display.probabilities[1], expected, atol=1e-6)
    z = np.einsum("rk,ijk->rij", points.to_numpy(), model.weights_[0]) + model.biases_[0]
    np.testing.assert_allclose(display.depths[0], z.min(axis=2).T.reshape(3, 40, 40), atol=1e-3)
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("left", "up")
    labels = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert labels == ["0", "1", "decision boundary", "polytopes"]
    drawn = {line.get_edgecolor()[0].tobytes() for line in display.ax_.collections if line.get_zorder() == 3}
    explained = {np.array(to_rgba(color)).tobytes() for color in display.edge_colors()}
    assert drawn == explained and len(drawn) == 3


def test_boundary_of_a_piecewise_ensemble(moons, points_of):
    X, y = moons
    model = LDNNClassifier(2, 2, discriminant="piecewise-quantile", n_estimators=2, max_epochs=5, random_state=0).fit(
        X, y
    )
    display = BoundaryDisplay.evaluate(model, X, resolution=20)
    expected = model.predict_proba(points_of(display.plane).to_numpy())[:, 1].reshape(20, 20)
    np.testing.assert_allclose(display.probabilities[1], expected, atol=1e-6)


def test_boundary_of_several_classes_and_columns(blobs, points_of):
    X, y = blobs
    table = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(kind=np.where(X[:, 3] > -7, "high", "low"))
    table.loc[::9, "c"] = np.nan
    model = plain(2, 2, max_epochs=5).fit(table, y)
    display = BoundaryDisplay.from_estimator(model, table, y, columns=("c", 1), resolution=15)
    expected = np.zeros((225, 3))
    for a, d, kind in zip(*display.plane.others[:, [0, 3, 4]].T, strict=True):
        points = points_of(display.plane).assign(a=a, d=d, kind=["high", "low"][int(kind)])[list(table.columns)]
        expected += model.predict_proba(points) / 30
    np.testing.assert_allclose(display.probabilities.reshape(3, -1).T, expected, atol=1e-6)
    assert len(display.depths) == 3 and all(abs(depth).max() <= 0.5 for depth in display.depths)
    assert "(mean over 30 rows\nfor the other columns)" in display.ax_.get_xlabel()
    share, count = display.agreement
    assert f"on {100 * share:.1f} % of {count} rows" in display.ax_.get_title()
    labels = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert labels[:4] == [*map(str, display.classes), "decision boundary"]


def test_start_and_trained(moons_model, points_of):
    model, X, y = moons_model
    display = StartDisplay.from_estimator(model, X, y, resolution=25)
    points = points_of(display.start.plane).to_numpy()
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


def test_plots_in_given_axes(moons_model):
    model, X, y = moons_model
    figure = Figure()
    left, right = figure.subplots(1, 2)
    display = BoundaryDisplay.from_estimator(model, X, y, ax=left, resolution=20)
    assert display.ax_ is left and display.figure_ is figure
    assert display.plot(right, output=False).ax_ is right
    assert LearningCurvesDisplay.from_estimator(model, ax=right).ax_ is right


def test_rows_are_drawn_in_the_colours_of_their_classes(moons_model):
    model, X, y = moons_model
    display = BoundaryDisplay.from_estimator(model, X, y, polytopes=False, resolution=20)
    drawn = {line.get_label(): line.get_xydata() for line in display.ax_.get_lines()}
    for label in (0, 1):
        expected = X.to_numpy()[y == label]
        assert sorted(map(tuple, drawn[str(label)])) == sorted(map(tuple, expected))
    unlabelled = BoundaryDisplay.from_estimator(model, X, polytopes=False, resolution=20)
    assert [len(line.get_xydata()) for line in unlabelled.ax_.get_lines()] == [len(X)]
    assert [text.get_text() for text in unlabelled.figure_.legends[0].get_texts()] == ["decision boundary"]
