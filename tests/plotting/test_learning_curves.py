"""Learning curves are those in `history_`."""

import numpy as np
import pytest

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
