"""The same model comes back, in any process; a file whose parts do not fit together is refused."""

import copy
import json
import pickle
import re
import sys
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from configurations import NAMES
from networks import plain
from prepared_process import Process
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
    assert Process(script, *(tmp_path / n for n in ("model", "X", "p.npy"))).wait() == 0
    np.testing.assert_array_equal(np.load(tmp_path / "p.npy"), model.predict_proba(X))


LOADING = """
import sys, time
import ldnn

def memory(name):
    with open("/proc/self/status") as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith(name))

def load(path):
    try:
        ldnn.load(path)
    except ValueError:
        pass

load(sys.argv[1])  # imports
for path in sys.argv[2:]:
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the largest memory is counted anew
    before = memory("VmRSS")
    seconds = []
    for _ in range(3):  # a busy machine makes single measurements longer
        start = time.process_time()
        load(path)
        seconds.append(time.process_time() - start)
    print(memory("VmHWM") - before, min(seconds))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured otherwise there")
def test_memory_and_time_of_loading(tmp_path, random):
    """At most four times the size of the file and 50 MB, and 2 seconds for 100 MB; also for a file of many values."""
    X, y = random.standard_normal((60, 800)).astype(np.float32), np.arange(60) % 3
    small, large, forged = (tmp_path / name for name in ("small", "large", "forged"))
    ldnn.save(plain(2, 2, max_epochs=1, init="random").fit(X[:, :3], y), small)
    ldnn.save(plain(20, 20, max_epochs=1, init="random").fit(X, y), large)
    file = tensors.read_tensors(small, ["LDNNClassifier"])
    tensors.write_tensors(forged, file.tensors, file.kind, {**file.description, "more": [[]] * 2**17})
    printed, errors, code = Process(LOADING, small, large, forged).result()
    assert code == 0, errors
    measured = [tuple(map(float, line.split())) for line in printed.splitlines()]
    for path, (memory, seconds) in zip((large, forged), measured, strict=True):
        size = path.stat().st_size
        assert memory < 4 * size + 50e6, path
        assert seconds < 0.5 + 2e-8 * size, path


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
    assert (about["kind"], about["version"], about["format"]) == ("ModularNetworkClassifier", ldnn.__version__, 4)
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
    file = tensors.read_tensors(path, ["LDNNClassifier"])
    change(file.tensors, file.description)
    tensors.write_tensors(path, file.tensors, file.kind, file.description)


def parts(description):
    return description["fitted"]["_state"]


FORGERIES = {
    "unknown class": (
        lambda a, d: parts(d).update({"$object": "Popen"}),
        "_state is not a FittedState",
    ),
    "method": (lambda a, d: d["fitted"].update(predict=[1]), "predict is unknown"),
    "parameter": (lambda a, d: d["parameters"].update(sneaky=1), "sneaky is unknown"),
    "value": (lambda a, d: d["parameters"].update(momentum=5), "The 'momentum' parameter of LDNNClassifier must be"),
    "tag": (lambda a, d: parts(d).update(classes={"$eval": "1"}), "_state.classes is not an array"),
    "no state": (lambda a, d: d["fitted"].pop("_state"), "_state is missing"),
    "other state": (lambda a, d: d["fitted"].update(_state=parts(d)["encoder"]), "_state is not a FittedState"),
    "sizes": (lambda a, d: a["_state.network.sizes"].__iadd__(5), "no room for 7x7 half-spaces"),
    "numbers": (lambda a, d: parts(d)["network"].update(N=1), "_state.network.N is unknown"),
    "short": (
        lambda a, d: a.update({"_state.network.parameters": a["_state.network.parameters"][:, :3].copy()}),
        "values along the axis 'weights'",
    ),
    "type": (
        lambda a, d: a.update({"_state.network.velocity": a["_state.network.velocity"].astype(float)}),
        "_state.network.velocity has values of type float64, not float32",
    ),
    "NaN": (lambda a, d: a["_state.network.parameters"].fill(np.nan), "_state.network.parameters contains NaN"),
    "center": (
        lambda a, d: a.update({"_state.encoder.normalizer.center": np.zeros(1)}),
        "1 values along the axis 'numbers', but must have 3",
    ),
    "columns": (
        lambda a, d: (
            d["fitted"].update(n_features_in_=2),
            parts(d).update(importances=None),
            a.pop("_state.importances"),
        ),
        "a column that the table does not have",
    ),
    "importances": (lambda a, d: d["fitted"].update(n_features_in_=2), "the axis 'features', but must have 2"),
    "many columns": (lambda a, d: d["fitted"].update(n_features_in_=2**30), "too many columns for a file of"),
    "classes": (
        lambda a, d: parts(d).update(classes={"$array": "_state.encoder.normalizer.center"}),
        "_state.classes has no tensor",
    ),
    "members": (lambda a, d: parts(d)["choice"]["plan"].update(n_estimators=3 * 10**8), "8 networks for 2 classes and"),
    "absent": (lambda a, d: a.pop("_state.network.parameters"), "_state.network.parameters has no tensor"),
    "more": (lambda a, d: a.update(more=np.zeros(3)), "the tensor 'more' belongs to nothing"),
    "generator": (
        lambda a, d: parts(d)["generator"]["$generator"].update(uinteger=-1),
        "_state.generator.uinteger is -1, but must be from 0 to",
    ),
    "history": (
        lambda a, d: parts(d)["history"].pop("training_error"),
        "the history does not consist of",
    ),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_files(path, forgery):
    """A seal is no signature: parts that do not fit together are refused before a kernel sees them."""
    change, message = FORGERIES[forgery]
    rewrite(path, change)
    with pytest.raises(ValueError, match="model is not a valid model: .*" + re.escape(message)) as error:
        ldnn.load(path)
    assert str(error.value).endswith(".") and "\n" not in str(error.value)
    assert error.value.__cause__ is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a, d: a["_state.encoder.knots"].__setitem__(0, np.nan), "the knots of column 0 are not right"),
        (lambda a, d: a["_state.encoder.knots"][::-1].sort(), "the knots of column 0 are not right"),
        (lambda a, d: a["_state.encoder.n_knots"].__iadd__(1), "the number of knots is not the sum"),
        (
            lambda a, d: a["_state.encoder.kinds"].__iadd__(9),
            "kinds contains 9, but must be from 0 to 2",
        ),
        (lambda a, d: a["_state.encoder.columns"][::-1].sort(), "not in the order of the columns"),
    ],
)
def test_forged_bases(fitted, tmp_path, change, message):
    ldnn.save(fitted["classes"][0], tmp_path / "model")
    rewrite(tmp_path / "model", change)
    with pytest.raises(ValueError, match=message):
        ldnn.load(tmp_path / "model")


def test_forged_random_state(fitted, tmp_path):
    """A position beyond the numbers of the generator would read foreign memory."""
    ldnn.save(fitted["auto"][0], tmp_path / "model")
    rewrite(
        tmp_path / "model", lambda a, d: d["parameters"]["random_state"]["$random_state"]["state"].update(pos=10**9)
    )
    with pytest.raises(ValueError, match="random_state.state.pos is 1000000000, but must be from 0 to 624"):
        ldnn.load(tmp_path / "model")


def test_texts_need_little_memory(fitted, tmp_path):
    """One long text among many short ones would make an array of long texts."""
    ldnn.save(fitted["classes"][0], tmp_path / "model")
    texts = ["a" * 100_000, *(str(k) for k in range(10_000))]
    values = {"$values": texts, "dtype": "U", "shape": [10_001]}
    rewrite(tmp_path / "model", lambda a, d: parts(d).update(classes=values))
    with pytest.raises(ValueError, match="_state.classes holds texts of very different lengths"):
        ldnn.load(tmp_path / "model")


def test_what_cannot_be_loaded_is_not_saved(fitted, tmp_path):
    model = copy.copy(fitted["conic"][0]).set_params(momentum=3)
    with pytest.raises(ValueError, match="The model cannot be saved: The 'momentum' parameter of LDNNClassifier must"):
        ldnn.save(model, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_a_file_names_no_folder(fitted, tmp_path):
    """A stranger's file must not decide where a later fit writes."""
    from ldnn._io.limits import LIMITS
    from ldnn.deep import ConvLDNNClassifier

    random = np.random.default_rng(0)
    model = ConvLDNNClassifier(max_epochs=1, random_state=0, folder=tmp_path / "runs")
    model.fit(random.random((8, 8, 8)), np.arange(8) % 2)
    ldnn.save(model, tmp_path / "model")
    assert b"runs" not in (tmp_path / "model").read_bytes()
    assert ldnn.load(tmp_path / "model").folder is None
    assert "ConvLDNNClassifier.folder" not in LIMITS


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
