import numpy as np
import pytest
from networks import plain
from scipy.special import expit, logit

from ldnn._training.losses import losses_of, losses_of_log_odds


@pytest.mark.parametrize("loss", ["squared", "log"])
def test_curves_agree_with_the_definition(moons, loss):
    """With a learning rate of almost nothing, the curve is the loss of the model that comes back."""
    X, y = moons
    model = plain(3, 3, loss=loss, label_smoothing=0.2, learning_rate=1e-9, max_epochs=1).fit(X, y, X_val=X, y_val=y)
    f, target = expit(model.decision_function(X)), np.where(y == 1, 0.9, 0.1)
    expected = (target - f) ** 2 if loss == "squared" else -(target * np.log(f) + (1 - target) * np.log(1 - f))
    assert model.history_["validation_loss"][0] == pytest.approx(expected.mean(), rel=1e-5)
    assert model.history_["training_loss"][0] == pytest.approx(expected.mean(), rel=1e-5)
    assert model.history_["training_error"][0] == pytest.approx(np.mean((f > 0.5) != (y == 1)))


@pytest.mark.parametrize("loss", ["squared", "log"])
def test_outputs_and_log_odds_give_the_same_losses(loss):
    f, target = np.array([0.01, 0.3, 0.5, 0.8, 0.999]), np.array([0.1, 0.9, 0.0, 1.0, 0.9])
    np.testing.assert_allclose(losses_of_log_odds(logit(f), target, loss), losses_of(f, target, loss), rtol=1e-6)


def test_log_odds_of_tiny_outputs_lose_nothing():
    assert losses_of_log_odds(np.array([-1000.0]), np.array([1.0]), "log")[0] == 1000
    assert np.isfinite(losses_of(np.array([0.0, 1.0], np.float32), np.array([1.0, 0.0]), "log")).all()
