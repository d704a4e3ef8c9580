"""Epochs in mini-batches: what a user sees of them is what the compiled epochs would show."""

import numpy as np
import pytest
from networks import with_linear_members
from sklearn.datasets import load_breast_cancer, load_iris

from ldnn import LDNNClassifier
from ldnn.deep import TorchLDNNClassifier

SMALL = {"device": "cpu", "effort": 0.01, "n_jobs": 1, "random_state": 0}


@pytest.mark.parametrize("loss", ["squared", "log"])
def test_curves_fall(loss):
    X, y = load_iris(return_X_y=True)
    model = TorchLDNNClassifier(2, 2, loss=loss, n_estimators=2, label_smoothing=0, max_epochs=20, **SMALL)
    curves = model.set_params(learning_rate=0.1).fit(X, y).history_
    assert len(curves["training_loss"]) == 20
    assert curves["training_loss"][-1] < 0.5 * curves["training_loss"][0]
    assert curves["training_error"][-1] < 0.05


def test_the_training_error_is_that_of_the_outputs():
    """At a tiny learning rate the weights stay where they are, so the curves are those of the model."""
    X, y = load_iris(return_X_y=True)
    model = TorchLDNNClassifier(2, 2, max_epochs=1, learning_rate=1e-9, n_estimators=2, **SMALL).fit(X, y)
    assert model.history_["training_error"] == [pytest.approx(np.mean(model.predict(X) != y))]


def test_weights_count_as_copies():
    X, y = load_iris(return_X_y=True)
    weights = 1 + np.arange(len(y)) % 3
    copies = np.repeat(np.arange(len(y)), weights)
    models = [
        TorchLDNNClassifier(2, 2, max_epochs=5, **SMALL).fit(*arguments)
        for arguments in ((X, y, weights), (X[copies], y[copies]))
    ]
    assert models[0].history_ == models[1].history_


def test_linear_members_stay_linear():
    X, y = load_breast_cancer(return_X_y=True)
    model = TorchLDNNClassifier(2, 2, discriminant="piecewise", n_estimators=2, max_epochs=3, **SMALL)
    model = with_linear_members(model, 1).fit(X, y)
    knots = model.normalized_weights_[..., X.shape[1] :]
    assert np.all(knots[1] == 0)
    assert np.any(knots[0] != 0)


def test_batches_of_one_row_are_the_steps_of_the_kernels():
    """Without well-fitted rows, which the kernels skip in later epochs."""
    X, y = load_breast_cancer(return_X_y=True)
    parameters = {"loss": "log", "max_epochs": 1, "discriminant": "piecewise", "n_jobs": 1, "random_state": 0}
    compiled = LDNNClassifier(2, 3, n_estimators=2, learning_rate=0.05, **parameters)
    own = TorchLDNNClassifier(2, 3, n_estimators=2, learning_rate=0.05, batch_size=1, device="cpu", **parameters)
    models = [with_linear_members(model, 1).fit(X, y) for model in (compiled, own)]
    np.testing.assert_allclose(models[1].normalized_weights_, models[0].normalized_weights_, atol=1e-3)
    np.testing.assert_allclose(*(model.history_["training_loss"] for model in models), rtol=1e-4)


def test_divergence_is_reported():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="learning_rate=1e\\+07 is too large for this data"):
        TorchLDNNClassifier(2, 2, learning_rate=1e7, max_epochs=3, **SMALL).fit(X, y)
