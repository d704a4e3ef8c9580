"""What the command takes from a model is what the model itself computes."""

import numpy as np
import pytest
from networks import plain

from ldnn import LDNNClassifier
from ldnn.cli.model_internals import held_out_error, predict_with_probabilities


@pytest.mark.parametrize("data", ["moons", "blobs"])
def test_predictions_and_probabilities(data, request):
    X, y = request.getfixturevalue(data)
    model = plain(2, 2, max_epochs=3).fit(X, y)
    labels, probabilities, unseen = predict_with_probabilities(model, X)
    assert unseen == {}
    np.testing.assert_array_equal(labels, model.predict(X))
    np.testing.assert_array_equal(probabilities, model.predict_proba(X))


def test_held_out_error(moons):
    X, y = moons
    model = plain(2, 2, max_epochs=3, validation_fraction=0.1).fit(X, y)
    assert held_out_error(model) == model.history_["validation_error"][model.best_epoch_ - 1]
    assert held_out_error(plain(2, 2, max_epochs=3, validation_fraction=0).fit(X, y)) is None
    searched = LDNNClassifier(effort=0.3, random_state=0).fit(X[:200], y[:200])
    last = [trial for trial in searched.search_history_ if trial["round"] == searched.search_history_[-1]["round"]]
    errors = [trial["validation_error"] for trial in last]
    assert min(errors) <= held_out_error(searched) <= max(errors)
