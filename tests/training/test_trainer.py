"""Epochs, validation, divergence."""

import warnings

import numpy as np
import pytest
from networks import plain
from sklearn.exceptions import ConvergenceWarning

from ldnn import LDNNClassifier, ModularNetworkClassifier
from ldnn._table.distinct import split_off_validation

BOTH = pytest.mark.parametrize("Classifier", [LDNNClassifier, ModularNetworkClassifier])
CURVES = {"loss": "validation_loss", "accuracy": "validation_error"}  # by `scoring`


def small(Classifier=LDNNClassifier, **parameters):
    return plain(3, 3, Classifier=Classifier, **{"max_epochs": 10, **parameters})


def same(model, other, X):
    np.testing.assert_array_equal(model.decision_function(X), other.decision_function(X))


@BOTH
def test_without_validation_the_last_epoch_counts(moons, Classifier):
    model = small(Classifier, validation_fraction=0, max_epochs=7).fit(*moons)
    assert model.n_epochs_ == model.best_epoch_ == 7
    assert {name: len(curve) for name, curve in model.history_.items()} == {
        "training_loss": 7, "training_error": 7, "validation_loss": 0, "validation_error": 0,
    }  # fmt: skip


@BOTH
@pytest.mark.parametrize("scoring", CURVES)
def test_best_weights_come_back(moons, blobs, Classifier, scoring):
    for X, y in (moons, blobs):
        X_val, y_val = X[::3], y[::3]
        model = small(Classifier, max_epochs=30, learning_rate=3.0, scoring=scoring)
        model.fit(X, y, X_val=X_val, y_val=y_val)
        curve = model.history_[CURVES[scoring]]
        assert len(curve) == 30
        assert model.best_epoch_ == 1 + int(np.argmin(curve))
        errors = model.history_["validation_error"]
        assert np.mean(model.predict(X_val) != y_val) == pytest.approx(errors[model.best_epoch_ - 1])


def test_training_goes_on_after_the_best_epoch(moons):
    model = small(max_epochs=100, scoring="accuracy").fit(*moons)
    assert model.best_epoch_ < model.n_epochs_ == 100


@BOTH
def test_validation_rows_are_not_trained_on(moons, Classifier):
    """They change neither the normalisation nor the weights of an epoch: only which epoch is kept."""
    X, y = moons
    constant = {"learning_rate_schedule": "constant"}
    model = small(Classifier, **constant, scoring="accuracy").fit(X, y, X_val=X[:50] + 1, y_val=y[:50])
    assert model.best_epoch_ < 10
    without = small(Classifier, **constant, max_epochs=model.best_epoch_, validation_fraction=0).fit(X, y)
    same(without, model, X)


@BOTH
def test_held_out_rows_are_not_trained_on(moons, Classifier):
    """A fit to the other rows alone gives the same model."""
    X, y = moons
    constant = {"learning_rate_schedule": "constant"}
    model = small(Classifier, **constant, validation_fraction=0.25).fit(X, y)
    _, _, table = model._read_training(X, y, None, None, None)
    kept, held_out = split_off_validation(table.y, 0.25, np.random.default_rng(model._state.split_seed))
    assert len(held_out) == 150
    rows = table.rows[kept]
    alone = small(Classifier, **constant, max_epochs=model.best_epoch_, validation_fraction=0).fit(X[rows], y[rows])
    same(alone, model, X)


def test_curves_fall(moons):
    X, y = moons
    model = small(max_epochs=40, validation_fraction=0.25, label_smoothing=0).fit(X, y)
    for name in ("training_loss", "training_error", "validation_loss", "validation_error"):
        curve = model.history_[name]
        assert len(curve) == model.n_epochs_ == 40
        assert min(curve) < 0.6 * curve[0]


class TestDivergence:
    def test_overflow_is_an_error_and_the_old_model_stays(self, moons):
        X, y = moons
        model = small().fit(X, y)
        before = model.decision_function(X)
        with pytest.raises(ValueError, match=r"learning_rate=1e\+10 is too large.*smaller learning_rate"):
            model.set_params(learning_rate=1e10, momentum=0.9).fit(X, y)
        np.testing.assert_array_equal(model.decision_function(X), before)

    @pytest.mark.parametrize("labels", [2, 4])
    def test_a_huge_learning_rate_is_one_error_and_no_warnings(self, moons, labels):
        X, y = moons
        y = y + 2 * (X[:, 0] > 0) if labels == 4 else y
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(ValueError, match=r"learning_rate=1e\+300 is too large"):
                LDNNClassifier(2, 2, learning_rate=1e300, effort=0.1, random_state=0).fit(X, y)

    def test_divergence_after_some_epochs_keeps_the_last_good_weights(self, moons, monkeypatch):
        X, y = moons
        given = {"validation_fraction": 0, "learning_rate_schedule": "constant"}
        expected = small(max_epochs=3, **given).fit(X, y)
        monkeypatch.setattr(
            "ldnn._plan.TrainingPlan.learning_rate_of", lambda self, epoch: 1e10 if epoch == 3 else 0.25
        )
        with pytest.warns(ConvergenceWarning, match="diverged in epoch 4.*The weights from before are kept"):
            model = small(**given).fit(X, y)
        assert model.n_epochs_ == 3
        same(model, expected, X)

    @pytest.mark.parametrize("learning_rate", [1e3, 1e10, 1e20, 1e30, 1e300])
    def test_no_nan_ever_comes_back(self, moons, learning_rate):
        X, y = moons
        model = small(learning_rate=learning_rate)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model.fit(X, y)
            except ValueError as error:
                assert "smaller learning_rate" in str(error)
                return
        assert np.isfinite(model.weights_).all()
        assert np.isfinite(model.predict_proba(X)).all()

    def test_a_dead_network_is_reported(self, moons):
        X, y = moons
        far = np.full((1, 2), 500.0)
        with pytest.warns(ConvergenceWarning, match="network of class 1 is dead.*loss='log'"):
            small(init=(far, far - 1), normalize=None, validation_fraction=0).fit(X, y)
