"""A random state fixes every bit: in another process, on any number of threads."""

import hashlib
import subprocess
import sys

import numpy as np
import pytest

import ldnn
from ldnn.datasets import make_two_moons

SCRIPT = """
import hashlib, sys
import ldnn
from ldnn.datasets import make_two_moons
X, y = make_two_moons(3000, random_state=0)
y = y + 2 * (X[:, 0] > 0)
name, parameters, n_jobs = sys.argv[1], eval(sys.argv[2]), int(sys.argv[3])
given = {"n_conjunctions": 3, "n_discriminants": 4, "max_epochs": 4, "random_state": 7, "n_jobs": n_jobs}
model = getattr(ldnn, name)(**{**given, **parameters}).fit(X, y)
print(hashlib.sha256(model.weights_.tobytes() + model.biases_.tobytes()).hexdigest())
"""

CASES = [
    ("LDNNClassifier", {"n_conjunctions": "auto", "n_discriminants": "auto", "max_epochs": "auto"}),
    ("LDNNClassifier", {"normalize": "whiten", "batch_size": 16, "momentum": 0.9, "loss": "log", "step_size": 0.1}),
    ("LDNNClassifier", {"init": "random", "validation_fraction": 0, "bends": "mixed", "n_networks": 3}),
    ("ModularNetworkClassifier", {"init": "farthest"}),
]


@pytest.mark.parametrize(("name", "parameters"), CASES, ids=str)
def test_other_processes_and_threads(name, parameters):
    X, y = make_two_moons(3000, random_state=0)
    y = y + 2 * (X[:, 0] > 0)
    given = {"n_conjunctions": 3, "n_discriminants": 4, "max_epochs": 4, "random_state": 7, **parameters}
    model = getattr(ldnn, name)(**given).fit(X, y)
    here = hashlib.sha256(model.weights_.tobytes() + model.biases_.tobytes()).hexdigest()
    for n_jobs in (1, 2, 3):
        command = [sys.executable, "-c", SCRIPT, name, repr(parameters), str(n_jobs)]
        assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == here


def test_seeds_differ_and_random_state_instances_work(moons):
    X, y = moons

    def weights(state):
        return ldnn.LDNNClassifier(2, 2, max_epochs=2, random_state=state).fit(X, y).weights_

    assert not np.array_equal(weights(0), weights(1))
    np.testing.assert_array_equal(weights(np.random.RandomState(3)), weights(np.random.RandomState(3)))
