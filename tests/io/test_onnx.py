"""The whole model as ONNX, run by onnxruntime, beside `predict_proba`."""

import sys

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from configurations import NAMES
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import plain
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

import ldnn
from ldnn import LDNNClassifier, ModularNetworkClassifier


class Exported:
    """A model as another program would use it."""

    def __init__(self, model, path):
        ldnn.to_onnx(model, path)
        self.session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        self.types = {given.name: given.type for given in self.session.get_inputs()}

    def __call__(self, X):
        """Labels and probabilities."""
        inputs = {}
        for k, (name, kind) in enumerate(self.types.items()):
            if name == "X":
                inputs[name] = np.asarray(X, np.float64)
            else:
                column = X[name] if isinstance(X, pd.DataFrame) else pd.Series(X[:, k])
                texts = np.array([["" if value is None or value != value else str(value)] for value in column], object)
                inputs[name] = texts if kind == "tensor(string)" else column.to_numpy(np.float64)[:, None]
        return self.session.run(["label", "probabilities"], inputs)


def assert_agree(exported, model, X):
    label, probabilities = exported(X)
    np.testing.assert_allclose(probabilities, model.predict_proba(X), atol=1e-5)
    clear = np.abs(np.diff(np.sort(probabilities, axis=1)[:, -2:], axis=1)[:, 0]) > 1e-5
    np.testing.assert_array_equal(np.asarray(label)[clear], model.predict(X)[clear])
    assert probabilities.dtype == np.float64


@pytest.mark.parametrize("name", NAMES)
def test_every_configuration(fitted, name, tmp_path):
    model, X, _ = fitted[name]
    exported = Exported(model, tmp_path / "model.onnx")
    assert_agree(exported, model, X)
    assert_agree(exported, model, X[:1])


def test_text_missing_and_unknown_values(fitted, tmp_path):
    model, *_ = fitted["linear members"]
    exported = Exported(model, tmp_path / "model.onnx")
    assert {name: kind[7:-1] for name, kind in exported.types.items()} == {
        "age": "double", "city": "string", "member": "double", "rare": "double", "mixed": "string",
    }  # fmt: skip
    strange = pd.DataFrame(
        {
            "age": [np.nan, 1e300, -1e300, 40, 40],
            "city": [None, "Atlantis", "Rome", "Lima", "Oslo"],
            "member": [True, False, True, False, True],
            "rare": [7.0, 0.0, 3.5, np.nan, 7.0],
            "mixed": np.array(["a", True, 2, None, "Atlantis"], dtype=object),
        }
    )
    assert_agree(exported, model, strange)


@pytest.fixture(scope="module")
def extreme(tmp_path_factory):
    """Models of numbers that are asked about any number, each with its export."""
    random = np.random.default_rng(1)
    X = random.standard_normal((300, 3)) * [1, 1e-3, 1e4]
    X[::9, 1] = np.nan
    y = (np.nan_to_num(X[:, 1]) * 1e3 + X[:, 0] > 0).astype(int) + (X[:, 2] > 5000)
    found = []
    for number, model in enumerate(
        [
            LDNNClassifier(3, 3, discriminant="piecewise", n_estimators=2, max_epochs=10, random_state=0).fit(X, y),
            LDNNClassifier(3, 3, discriminant="piecewise-tree", max_epochs=10, random_state=0).fit(X, y > 0),
            plain(3, 3, max_epochs=10, loss="log", learning_rate=2.0).fit(X, y),
            plain(2, 4, max_epochs=10, discriminant="conic").fit(X, y > 0),
            plain(3, 3, max_epochs=10, Classifier=ModularNetworkClassifier).fit(X, y),
        ]
    ):
        path = tmp_path_factory.mktemp("extreme") / f"{number}.onnx"
        found.append((model, Exported(model, path)))
    return found


numbers = st.one_of(st.floats(-1e4, 1e4), st.just(np.nan), st.sampled_from([0.0, 1e-30, 1e6, -1e6, 1e300]))


@settings(max_examples=80)
@given(row=st.tuples(numbers, numbers, numbers), which=st.integers(0, 4))
def test_any_numbers(extreme, row, which):
    """One large value at a time: the sum of two of opposite sign is a matter of rounding."""
    model, exported = extreme[which]
    X = np.array([row]) * [1, 1e-3, 1]
    large = np.abs(np.nan_to_num(X[0])) > 1e5 * np.array([1, 1e-3, 1e4])
    X[0, np.flatnonzero(large)[1:]] = 0
    assert_agree(exported, model, X)


def test_numbers_that_float32_cannot_tell_apart(tmp_path):
    """Nanoseconds of one day, and values beyond 3.4e38."""
    random = np.random.default_rng(0)
    X = np.column_stack([1.7e18 + random.integers(86_400, size=300) * 1e9, 10.0 ** random.uniform(-50, 300, 300)])
    y = (X[:, 0] - 1.7e18 > 4e13).astype(int) + (X[:, 1] > 1e200)
    model = LDNNClassifier(3, 3, discriminant="piecewise", n_estimators=1, max_epochs=10, random_state=0).fit(X, y)
    exported = Exported(model, tmp_path / "model.onnx")
    assert_agree(exported, model, X)
    label, _ = exported(X)
    np.testing.assert_array_equal(label, model.predict(X))
    assert len(np.unique(label)) > 1


def test_rare_numbers_are_recognised_exactly(tmp_path):
    X = np.column_stack([np.where(np.arange(200) % 25, 0.3, 0.1), np.arange(200) / 7])
    model = LDNNClassifier(2, 2, discriminant="piecewise", n_estimators=1, max_epochs=5, random_state=0)
    model.fit(X, (X[:, 0] == 0.1) | (X[:, 1] > 20))
    assert_agree(Exported(model, tmp_path / "model.onnx"), model, X)


@pytest.mark.parametrize("labels", [[3, 5], [True, False], ["no", "yes"], [0.5, 1.5], [-1, 0, 1]])
def test_labels_of_any_kind(random, labels, tmp_path):
    X = random.standard_normal((200, 2)).astype(np.float32)
    y = np.array(labels)[(X[:, 0] > 0).astype(int) + (len(labels) > 2) * (X[:, 1] > 0.5)]
    if y.dtype.kind == "f":
        y = np.where(y == 0.5, 1.0, 2.0)
    model = plain(2, 2, max_epochs=5).fit(X, y)
    label, _ = Exported(model, tmp_path / "model.onnx")(X)
    np.testing.assert_array_equal(label, model.predict(X))


def test_wrong_calls(tmp_path, moons, random):
    path = tmp_path / "model.onnx"
    with pytest.raises(TypeError, match="A LogisticRegression cannot be exported: pass a fitted LDNNClassifier, "):
        ldnn.to_onnx(LogisticRegression(), path)
    with pytest.raises(NotFittedError):
        ldnn.to_onnx(LDNNClassifier(), path)
    with pytest.raises(FileNotFoundError, match="There is no folder .*nowhere for the model"):
        ldnn.to_onnx(plain(1, 1, max_epochs=1).fit(*moons), tmp_path / "nowhere" / "x")
    values = np.array(["2", 2, "a"], dtype=object)[random.integers(3, size=60)][:, None]
    with pytest.raises(ValueError, match="Column 'x0' has different categories with the same text: rename them"):
        ldnn.to_onnx(plain(1, 1, max_epochs=1).fit(values, np.arange(60) % 2), path)
    table = pd.DataFrame({"label": ["a", "b"] * 30})
    with pytest.raises(ValueError, match="A column is called 'label', which is the name of an output"):
        ldnn.to_onnx(plain(1, 1, max_epochs=1).fit(table, np.arange(60) % 2), path)
    assert not list(tmp_path.iterdir())


def test_it_says_what_it_needs(fitted, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r'needs onnx: pip install "ldnn\[onnx\]"'):
        ldnn.to_onnx(fitted["conic"][0], tmp_path / "model.onnx")
