"""What the command takes from a model is what the model itself computes."""

import numpy as np
import pytest
from networks import plain

from ldnn.cli.model_internals import predict_with_probabilities, scores_of_predictions


@pytest.mark.parametrize("data", ["moons", "blobs"])
def test_predictions_and_probabilities(data, request):
    X, y = request.getfixturevalue(data)
    model = plain(2, 2, max_epochs=3).fit(X, y)
    labels, probabilities, unseen = predict_with_probabilities(model, X)
    assert unseen == {}
    np.testing.assert_array_equal(labels, model.predict(X))
    np.testing.assert_array_equal(probabilities, model.predict_proba(X))


def test_scores_of_predictions():
    classes = np.array(["a", "b"])
    labels, probabilities = np.array(["a", "a", "b", "b"]), np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.4, 0.6]])
    scores = scores_of_predictions("some rows", np.array([0, 1, 1, -1]), labels, probabilities, classes, "a")
    assert (scores["rows"], scores["n_rows"], scores["n_splits"]) == ("some rows", 4, 1)
    assert scores["error"] == 0.5  # a class that the model does not know is never right
    assert (scores["baseline_label"], scores["baseline_error"]) == ("a", 0.75)
    assert scores["recall"] == {"a": 1.0, "b": 0.5} and scores["precision"] == {"a": 0.5, "b": 0.5}
    assert scores["balanced_accuracy"] == 0.75 and scores["roc_auc"] == 1.0
