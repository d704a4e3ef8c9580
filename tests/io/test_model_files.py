"""The same model comes back, in any process; a file whose parts do not fit together is refused."""

import json
import pickle
import subprocess
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import pytest
from configurations import NAMES
from networks import plain
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ldnn
from ldnn import LDNNClassifier, ModularNetworkClassifier
from ldnn._io import tensors


def assert_same(one, other, where="model"):
    """Whether two objects hold the same, down to types, dtypes and bits."""
    assert type(one) is type(other), where
    if isinstance(one, np.ndarray):
        assert (one.dtype, one.shape, one.flags.writeable) == (other.dtype, other.shape, True), where
        np.testing.assert_array_equal(one, other, err_msg=where)
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), where
        for k, (a, b) in enumerate(zip(one, other, strict=True)):
            assert_same(a, b, f"{where}[{k}]")
    elif isinstance(one, dict):
        assert_same(list(one), list(other), f"{where}'s keys")
        assert_same(list(one.values()), list(other.values()), f"{where}'s values")
    elif isinstance(one, np.random.Generator):
        assert_same(one.bit_generator.state, other.bit_generator.state, where)
    elif isinstance(one, np.random.RandomState):
        assert_same(one.get_state(legacy=False), other.get_state(legacy=False), where)
    elif is_dataclass(one):
        for field in fields(one):
            assert_same(getattr(one, field.name), getattr(other, field.name), f"{where}.{field.name}")
    else:
        assert one == other or one != one, where


@pytest.mark.parametrize("name", NAMES)
def test_everything_comes_back(fitted, name, tmp_path):
    model, X, _ = fitted[name]
    ldnn.save(model, tmp_path / "model")
    loaded = ldnn.load(tmp_path / "model")
    assert_same(vars(model), vars(loaded))
    assert_same(model.get_params(), loaded.get_params())
    assert repr(loaded).split(" at 0x")[0] == repr(model).split(" at 0x")[0]
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.terms_ == model.terms_


@pytest.mark.parametrize("name", NAMES)
def test_learning_goes_on_as_it_would_have(fitted, name, tmp_path):
    model, X, y = fitted[name]
    model = pickle.loads(pickle.dumps(model))  # a copy, to leave the others' model alone
    ldnn.save(model, tmp_path / "model")
    loaded = ldnn.load(tmp_path / "model")
    for one in (model, loaded):
        one.partial_fit(X, y).set_params(warm_start=True, max_epochs=2).fit(X, y)
    assert_same(vars(model), vars(loaded))


def test_in_another_process(fitted, tmp_path):
    model, X, _ = fitted["linear members"]
    ldnn.save(model, tmp_path / "model")
    X.to_pickle(tmp_path / "X")
    script = (
        "import sys, numpy, pandas, ldnn;"
        "model = ldnn.load(sys.argv[1]);"
        "numpy.save(sys.argv[3], model.predict_proba(pandas.read_pickle(sys.argv[2])))"
    )
    subprocess.run([sys.executable, "-c", script, *(tmp_path / n for n in ("model", "X", "p.npy"))], check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "p.npy"), model.predict_proba(X))


def test_the_same_model_is_the_same_file(fitted, tmp_path):
    model, *_ = fitted["auto"]
    for name in ("a", "b"):
        ldnn.save(model, tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_file_says_what_it_holds(fitted, tmp_path):
    """Anybody can read it, with nothing but safetensors and JSON."""
    from safetensors import safe_open

    model, X, _ = fitted["modular"]
    ldnn.save(model, tmp_path / "model")
    with safe_open(tmp_path / "model", framework="numpy") as file:
        about = json.loads(file.metadata()["ldnn"])
        parameters = file.get_tensor("_state.network.parameters")
    assert (about["kind"], about["version"], about["format"]) == ("ModularNetworkClassifier", ldnn.__version__, 2)
    assert about["parameters"]["n_conjunctions"] == 3
    assert about["fitted"]["feature_names_in_"]["$values"] == list(X.columns)
    assert about["fitted"]["_state"]["columns"]["categories"][1]["$values"] == ["Lima", "Oslo", "Rome"]
    np.testing.assert_array_equal(parameters, model._state.network.parameters)


@pytest.mark.parametrize("Classifier", [LDNNClassifier, ModularNetworkClassifier])
@pytest.mark.parametrize("goes_on", ["partial_fit", "warm_start"])
def test_a_loaded_model_goes_on_as_if_there_had_been_no_file(blobs, tmp_path, Classifier, goes_on):
    X, y = blobs
    given = {"Classifier": Classifier, "momentum": 0.5, "validation_fraction": 0, "max_epochs": 2}
    given |= {"learning_rate_schedule": "constant", "warm_start": True}
    model = plain(2, 3, **given)
    through_files = plain(2, 3, **given)
    for number in range(3):
        for each in (model, through_files):
            if number and goes_on == "partial_fit":
                each.partial_fit(X, y)
            else:
                each.fit(X, y)
        ldnn.save(through_files, tmp_path / "model")
        through_files = ldnn.load(tmp_path / "model")
    assert_same(vars(model), vars(through_files))
    assert model.n_epochs_ == (4 if goes_on == "partial_fit" else 6)
    np.testing.assert_array_equal(model.predict_proba(X), through_files.predict_proba(X))


def rewrite(path, change):
    """A file whose description was changed, under a seal that is right."""
    arrays, description = tensors.read_tensors(path, ["LDNNClassifier"])
    for name in ("format", "version"):
        description.pop(name)
    change(arrays, description)
    kind = description.pop("kind")
    tensors.write_tensors(path, arrays, kind, description)


def parts(description):
    return description["fitted"]["_state"]


FORGERIES = {
    "unknown class": lambda a, d: parts(d).update({"$object": "Popen", "args": ["touch", "hacked"]}),
    "method": lambda a, d: d["fitted"].update(predict=[1]),
    "parameter": lambda a, d: d["parameters"].update(sneaky=1),
    "tag": lambda a, d: d["fitted"].update(classes_={"$eval": "1"}),
    "no state": lambda a, d: d["fitted"].pop("_state"),
    "other state": lambda a, d: d["fitted"].update(_state=parts(d)["encoder"]),
    "size": lambda a, d: parts(d)["network"].update(N=50),
    "sizes": lambda a, d: a["_state.network.sizes"].__iadd__(5),
    "numbers": lambda a, d: parts(d)["network"].update(numbers=1),
    "short": lambda a, d: a.update({"_state.network.parameters": a["_state.network.parameters"][:, :3].copy()}),
    "type": lambda a, d: a.update({"_state.network.velocity": a["_state.network.velocity"].astype(float)}),
    "center": lambda a, d: a.update({"_state.encoder.normalizer.center": np.zeros(1)}),
    "columns": lambda a, d: d["fitted"].update(n_features_in_=2),
    "classes": lambda a, d: parts(d).update(classes={"$array": "_state.encoder.normalizer.center"}),
    "absent": lambda a, d: a.pop("_state.network.parameters"),
}  # fmt: skip


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_files(path, forgery, tmp_path, monkeypatch):
    """A seal is no signature: parts that do not fit together are refused before a kernel sees them."""
    monkeypatch.chdir(tmp_path)
    rewrite(path, FORGERIES[forgery])
    with pytest.raises(ValueError, match="model is damaged"):
        ldnn.load(path)
    assert not Path("hacked").exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda a, d: a["_state.encoder.bases.0.knots"].__setitem__(0, np.nan),
        lambda a, d: a["_state.encoder.bases.0.knots"].sort() or a["_state.encoder.bases.0.knots"][::-1].sort(),
        lambda a, d: parts(d)["encoder"]["bases"][0].update(first=10**6),
        lambda a, d: parts(d)["encoder"]["bases"][0].update(levels=9),
        lambda a, d: parts(d)["encoder"]["bases"][0].update(kind="curve"),
        lambda a, d: a["_state.network.bases"].__imul__(2),
    ],
)
def test_forged_bases(fitted, tmp_path, change):
    ldnn.save(fitted["classes"][0], tmp_path / "model")
    rewrite(tmp_path / "model", change)
    with pytest.raises(ValueError, match="model is damaged"):
        ldnn.load(tmp_path / "model")


def test_wrong_calls(fitted, path, tmp_path, moons):
    model = fitted["conic"][0]
    with pytest.raises(NotFittedError):
        ldnn.save(LDNNClassifier(), tmp_path / "x")
    with pytest.raises(TypeError, match="A Pipeline cannot be saved: pass a fitted LDNNClassifier, "):
        ldnn.save(make_pipeline(StandardScaler(), model), tmp_path / "x")

    class Mine(LDNNClassifier):
        pass

    with pytest.raises(TypeError, match="A Mine cannot be saved"):
        ldnn.save(plain(1, 1, max_epochs=1, Classifier=Mine).fit(*moons), tmp_path / "x")
    odd = plain(1, 1, max_epochs=1).fit(*moons).set_params(n_jobs=1j)
    with pytest.raises(TypeError, match="n_jobs holds a builtins.complex. Use plain numbers"):
        ldnn.save(odd, tmp_path / "x")
    with pytest.raises(FileNotFoundError, match="no folder .*nowhere for the model; create it first"):
        ldnn.save(model, tmp_path / "nowhere" / "x")
    with pytest.raises(IsADirectoryError, match="is a folder; pass the name of a file in it"):
        ldnn.save(model, tmp_path)
    with pytest.raises(IsADirectoryError, match="is a folder; pass a file"):
        ldnn.load(tmp_path)
    with pytest.raises(FileNotFoundError, match="There is no file .*x; pass one that ldnn has written"):
        ldnn.load(tmp_path / "x")
    with pytest.raises(ValueError, match="device='cpu' is for models of images"):
        ldnn.load(path, device="cpu")
    assert [file.name for file in tmp_path.iterdir()] == ["model"]
