import numpy as np
import pytest

from reproduction import predictions


def test_the_ensemble_averages_probabilities(tmp_path):
    votes = np.array([[[0.9, 0.1], [0.6, 0.4]], [[0.2, 0.8], [0.1, 0.9]], [[0.3, 0.7], [0.4, 0.6]]])
    labels = np.array([0, 1])
    expected = {1: 50.0, 2: 0.0, 3: 50.0}
    for number, vote in enumerate(votes):
        predictions.store(tmp_path, number, vote)
        found = predictions.ensemble_error(tmp_path, labels)
        assert found == {"networks": number + 1, "error": expected[number + 1]}


def test_probabilities_are_stored_in_small_steps(tmp_path, random):
    probabilities = random.dirichlet(np.full(100, 0.05), 500)
    predictions.store(tmp_path / "ensemble", 0, probabilities)
    predictions.store(tmp_path / "ensemble", 0, probabilities)  # again, in place of the former file
    (stored,) = predictions.load(tmp_path / "ensemble")
    assert stored == pytest.approx(probabilities, abs=0.5e-4)
    assert (tmp_path / "ensemble" / "network-0.npz").stat().st_size < probabilities.nbytes / 10
