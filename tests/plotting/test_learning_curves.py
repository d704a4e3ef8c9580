"""Learning curves are those in `history_`."""

import numpy as np
import pytest
from networks import plain

from ldnn.plotting import LearningCurvesDisplay


def test_learning_curves(moons_model):
    model, *_ = moons_model
    display = LearningCurvesDisplay.from_estimator(model)
    lines = {line.get_label(): line for line in display.ax_.get_lines()}
    np.testing.assert_allclose(lines["validation rows"].get_ydata(), 100 * np.array(model.history_["validation_error"]))
    assert f"best epoch: {model.best_epoch_}" in lines
    assert LearningCurvesDisplay.from_estimator(model, metric="loss").ax_.get_ylabel() == "loss"
    with pytest.raises(ValueError, match="neither 'error' nor 'loss'"):
        LearningCurvesDisplay.from_estimator(model, metric="auc")


@pytest.mark.parametrize(("errors", "from_zero"), [([0.4, 0.1], True), ([0.16, 0.14], False)])
def test_a_narrow_range_fills_the_plot(errors, from_zero):
    bottom, top = LearningCurvesDisplay(errors, [], 2, "error").plot().ax_.get_ylim()
    assert (bottom == 0) == from_zero
    assert bottom < 100 * min(errors) < 100 * max(errors) < top


def test_curves_at_zero_are_above_the_axis():
    """Not below its line, where nothing would be seen."""
    axes = LearningCurvesDisplay([0.0] * 5, [0.0] * 5, 2, "error").plot().ax_
    bottom, top = axes.get_ylim()
    assert -0.1 * top < bottom < -0.01 * top
    assert min(axes.get_yticks()[axes.get_yticks() >= bottom]) == 0


def test_without_validation_rows(moons):
    X, y = moons
    model = plain(2, 2, max_epochs=3, validation_fraction=0).fit(X, y)
    display = LearningCurvesDisplay.from_estimator(model)
    assert display.held_out is None and display.ax_.get_title() == "no rows were held out of training"
    display = LearningCurvesDisplay([0.2, 0.1], [], 2, "error", (0.15, "40 rows held out to compare plans")).plot()
    lines = {line.get_label(): line for line in display.ax_.get_lines()}
    assert lines["40 rows held out to compare plans"].get_ydata()[0] == 15
