"""scikit-learn's callbacks, where its version has them."""

import numpy as np
import pytest
from networks import plain
from sklearn.base import clone

import ldnn
from ldnn import LDNNClassifier

pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks from version 1.9 on")


class Recorder:
    """Notes the tasks; stops training after the epoch `stop_after`."""

    def __init__(self, stop_after=None):
        self.stop_after = stop_after
        self.began, self.ended, self.models = [], [], []
        self.is_torn_down = False

    def setup(self, estimator, context):
        self.is_torn_down = False

    def teardown(self, estimator, context):
        self.is_torn_down = True

    def on_fit_task_begin(self, estimator, context):
        self.began.append(context.task_name)

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None):
        self.ended.append((context.task_name, context.task_id))
        self.metadata = metadata
        if fitted_estimator is not None:
            self.models.append(fitted_estimator)
        return context.task_name == "epoch" and context.task_id + 1 == self.stop_after


def test_tasks_are_the_choice_and_the_epochs(moons):
    X, y = moons
    recorder = Recorder()
    model = plain(2, 2, max_epochs=3).set_callbacks(recorder)
    model.fit(X, y, sample_weight=np.ones(len(y)))
    assert recorder.began == ["fit", "choose", "train", "epoch", "epoch", "epoch"]
    assert recorder.ended == [("choose", 0), ("epoch", 0), ("epoch", 1), ("epoch", 2), ("train", 1), ("fit", 0)]
    assert list(recorder.metadata) == ["sample_weight"]
    assert recorder.is_torn_down


def test_callbacks_get_the_model_of_each_epoch(moons):
    """It can predict, it is not trained further, and the last one is the model itself."""
    X, y = moons
    recorder = Recorder()
    fit = {"max_epochs": 4, "learning_rate_schedule": "constant", "validation_fraction": 0}
    model = plain(2, 2, **fit).set_callbacks(recorder).fit(X, y)
    shorter = plain(2, 2, **{**fit, "max_epochs": 2}).fit(X, y)
    np.testing.assert_array_equal(recorder.models[1].decision_function(X), shorter.decision_function(X))
    assert [each.n_epochs_ for each in recorder.models] == [1, 2, 3, 4, 4]
    np.testing.assert_array_equal(recorder.models[-1].predict_proba(X), model.predict_proba(X))


def test_a_callback_can_stop_training(moons):
    model = plain(2, 2, max_epochs=50).set_callbacks(Recorder(stop_after=5)).fit(*moons)
    assert model.n_iter_ == model.n_epochs_ == 5


def test_the_result_does_not_depend_on_callbacks(moons):
    X, y = moons
    model = LDNNClassifier(effort=0.01, random_state=0, n_jobs=1)
    watched = clone(model).set_callbacks(Recorder()).fit(X, y)
    np.testing.assert_array_equal(watched.decision_function(X), model.fit(X, y).decision_function(X))


def test_callbacks_of_scikit_learn(moons):
    from sklearn.callback import ScoringMonitor

    X, y = moons
    monitor = ScoringMonitor(scoring="accuracy")
    model = plain(3, 3, max_epochs=5).set_callbacks(monitor).fit(X, y)
    log = monitor.get_logs().data
    assert [row["task_name"] for row in log] == ["fit"] + ["epoch"] * 5
    assert log[0]["accuracy"] == model.score(X, y)


def test_callbacks_are_torn_down_if_a_fit_fails(moons):
    recorder = Recorder()
    with pytest.raises(ValueError, match="one class only"):
        plain(2, 2).set_callbacks(recorder).fit(moons[0], np.zeros(600))
    assert recorder.is_torn_down


def test_a_stored_model_has_no_callbacks(moons, tmp_path):
    model = plain(2, 2, max_epochs=2).set_callbacks(Recorder()).fit(*moons)
    ldnn.save(model, tmp_path / "model.ldnn")
    assert not hasattr(ldnn.load(tmp_path / "model.ldnn"), "_skl_callbacks")
