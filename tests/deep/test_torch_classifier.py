"""TorchLDNNClassifier: an ordinary classifier, whoever trained it."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import train_test_split

import ldnn
from ldnn import LDNNClassifier
from ldnn.deep import TorchLDNNClassifier

SMALL = {"effort": 0.02, "n_jobs": 1, "random_state": 0}


@pytest.fixture(scope="module", params=["breast cancer", "digits"])
def both(request):
    """Errors of the compiled and of this classifier on the same held-out rows; this classifier, and those rows."""
    X, y = (load_breast_cancer if request.param == "breast cancer" else load_digits)(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
    models = [
        LDNNClassifier(**SMALL).fit(train, y_train),
        TorchLDNNClassifier(device="cpu", **SMALL).fit(train, y_train),
    ]
    return [np.mean(model.predict(test) != y_test) for model in models], models, test


def test_errors_are_near_those_of_the_compiled_path(both):
    (compiled, own), _, test = both
    assert own <= compiled + 2 * np.sqrt(compiled * (1 - compiled) / len(test))


def test_the_automatic_choice_is_the_same(both):
    _, (compiled, own), _ = both
    assert own.search_history_ == compiled.search_history_
    np.testing.assert_array_equal(own.initial_weights_, compiled.initial_weights_)
    assert own.plan_ == compiled.plan_


def test_files_and_onnx(both, tmp_path):
    _, (_, own), test = both
    ldnn.save(own, tmp_path / "model.ldnn")
    loaded = ldnn.load(tmp_path / "model.ldnn")
    assert type(loaded) is LDNNClassifier
    np.testing.assert_array_equal(loaded.predict_proba(test), own.predict_proba(test))
    runtime = pytest.importorskip("onnxruntime")
    ldnn.to_onnx(own, tmp_path / "model.onnx")
    _, proba = runtime.InferenceSession(tmp_path / "model.onnx").run(None, {"X": test.astype(np.float64)})
    np.testing.assert_allclose(proba, own.predict_proba(test), atol=1e-5)


def test_rules():
    X, y = load_breast_cancer(return_X_y=True)
    own = TorchLDNNClassifier(2, 2, max_epochs=5, device="cpu", **SMALL).fit(X, y)
    found = ldnn.rules.rules(own, X, y)
    assert len(found.rules) > 0
    assert str(found) == str(ldnn.rules.rules(own.to_local(), X, y))


def test_fits_continue():
    X, y = load_breast_cancer(return_X_y=True)
    model = TorchLDNNClassifier(2, 2, max_epochs=2, device="cpu", warm_start=True, **SMALL).fit(X, y)
    assert model.fit(X, y).n_epochs_ == 4
    assert model.partial_fit(X[:100], y[:100]).n_epochs_ == 5
    local = model.to_local()
    assert local.partial_fit(X[:100], y[:100]).n_epochs_ == 6
    assert model.n_epochs_ == 5


def test_same_random_state_same_weights():
    X, y = load_breast_cancer(return_X_y=True)
    models = [TorchLDNNClassifier(2, 2, max_epochs=2, device="cpu", **SMALL).fit(X, y) for _ in range(2)]
    np.testing.assert_array_equal(models[0].weights_, models[1].weights_)


def test_parameters_are_those_of_the_other_classifier_as_far_as_they_apply():
    own, other = (inspect.signature(cls).parameters for cls in (TorchLDNNClassifier, LDNNClassifier))
    assert other.keys() - own.keys() == {"momentum", "monotonic_cst", "revisit_every"}
    assert own.keys() - other.keys() == {"batch_size", "device"}
    assert all(own[name] == other[name] for name in own.keys() & other.keys())
    model = TorchLDNNClassifier(3, device="cpu", learning_rate=0.01)
    assert clone(model).get_params() == model.get_params()


def test_the_papers_network():
    model = TorchLDNNClassifier.from_paper(3, 4, learning_rate=0.1)
    local = LDNNClassifier.from_paper(3, 4, learning_rate=0.1).get_params()
    assert model.get_params().items() - local.items() == {("batch_size", "auto"), ("device", "auto")}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"device": "mps"}, "device='mps' is not available here; use 'auto', or one of: 'cpu'"),
        ({"device": "tpu"}, "The 'device' parameter of TorchLDNNClassifier must be a str among"),
        ({"batch_size": 0}, "The 'batch_size' parameter of TorchLDNNClassifier must be an int in the range"),
    ],
)
def test_wrong_calls(parameters, message, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    monkeypatch.setattr("torch.backends.mps.is_available", lambda: False)
    with pytest.raises(ValueError, match=message):
        TorchLDNNClassifier(**parameters).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])


def test_a_model_must_be_fitted(tmp_path):
    with pytest.raises(NotFittedError):
        ldnn.save(TorchLDNNClassifier(), tmp_path / "model")
