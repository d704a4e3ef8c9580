"""A random state fixes every bit: in another process, on any number of threads."""

import hashlib
import json

import numpy as np
import pytest
from prepared_process import Process

import ldnn
from ldnn.datasets import make_two_moons

GIVEN = {"n_conjunctions": 3, "n_discriminants": 4, "max_epochs": 4, "random_state": 7}
AUTO = {"n_conjunctions": "auto", "n_discriminants": "auto", "max_epochs": "auto", "effort": 0.05}
CASES = [
    ("LDNNClassifier", AUTO),
    ("LDNNClassifier", {"normalize": "whiten", "momentum": 0.9, "loss": "log", "learning_rate": 0.1, "effort": 0.05}),
    ("LDNNClassifier", {"init": "random", "discriminant": "piecewise", "n_estimators": 3, "effort": 0.05}),
    ("LDNNClassifier", {"validation_fraction": 0.2, "revisit_every": 1, "effort": 0.05}),
    ("ModularNetworkClassifier", {"init": "farthest"}),
]

SCRIPT = """
import hashlib, json, sys
import ldnn
from ldnn.datasets import make_two_moons
X, y = make_two_moons(300, random_state=0)
y = y + 2 * (X[:, 0] > 0)
for name, parameters in json.loads(sys.argv[1]):
    model = getattr(ldnn, name)(**parameters, n_jobs=3).fit(X, y)
    print(hashlib.sha256(model.weights_.tobytes() + model.biases_.tobytes()).hexdigest())
"""


@pytest.fixture(scope="module")
def elsewhere():
    """What another process makes of the cases, with three threads."""
    cases = json.dumps([(name, {**GIVEN, **parameters}) for name, parameters in CASES])
    printed, errors, code = Process(SCRIPT, cases).result()
    assert code == 0, errors
    return printed.split()


@pytest.mark.parametrize("case", range(len(CASES)), ids=[f"{name}-{parameters}" for name, parameters in CASES])
def test_other_processes_and_threads(elsewhere, case):
    X, y = make_two_moons(300, random_state=0)
    y = y + 2 * (X[:, 0] > 0)
    name, parameters = CASES[case]
    model = getattr(ldnn, name)(**{**GIVEN, **parameters}, n_jobs=1).fit(X, y)
    here = hashlib.sha256(model.weights_.tobytes() + model.biases_.tobytes()).hexdigest()
    assert elsewhere[case] == here


def test_seeds_differ_and_random_state_instances_work(moons):
    X, y = moons

    def weights(state):
        return ldnn.LDNNClassifier(2, 2, max_epochs=2, effort=0.05, random_state=state).fit(X, y).weights_

    assert not np.array_equal(weights(0), weights(1))
    np.testing.assert_array_equal(weights(np.random.RandomState(3)), weights(np.random.RandomState(3)))
