"""Model files: the same model comes back, in any process; whatever is wrong with a file is said in one sentence."""

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
from ldnn import LDNNClassifier, tensors
from ldnn.whole import written_whole


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


def names_in(folder):
    return [path.name for path in folder.iterdir()]


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
    model, X, _ = fitted["straight voters"]
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
    assert (about["kind"], about["version"], about["format"]) == ("ModularNetworkClassifier", ldnn.__version__, 1)
    assert about["parameters"]["n_conjunctions"] == 3
    assert about["fitted"]["feature_names_in_"]["$values"] == list(X.columns)
    assert about["fitted"]["_state"]["beginning"]["columns"]["categories"][1]["$values"] == ["Lima", "Oslo", "Rome"]
    np.testing.assert_array_equal(parameters, model._state.network.parameters)


# --- files that are not what they should be ---------------------------------------------------------------------------


@pytest.fixture
def path(fitted, tmp_path):
    ldnn.save(fitted["conic"][0], tmp_path / "model")
    return tmp_path / "model"


def test_every_cut_and_every_damage_is_noticed(path):
    whole = path.read_bytes()
    for cut in [*range(40, len(whole), 997), len(whole) - 1]:
        path.write_bytes(whole[:cut])
        with pytest.raises(ValueError, match=r"model is damaged or was cut off; copy it again"):
            ldnn.load(path)
    for place in [*range(40, len(whole), 499), len(whole) - 1]:
        broken = bytearray(whole)
        broken[place] ^= 0x10
        path.write_bytes(broken)
        with pytest.raises(ValueError, match="is damaged"):
            ldnn.load(path)
    path.write_bytes(whole + b"x")
    with pytest.raises(ValueError, match="is damaged"):
        ldnn.load(path)


@pytest.mark.parametrize(
    "content", [b"", b"hello", pickle.dumps({"a": 1}), b"PK\3\4" * 100, b"\x10" + 7 * b"\0" + b"{}"]
)
def test_other_files(content, path):
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is not a file of ldnn; give one that ldnn has written"):
        ldnn.load(path)


def rewrite(path, change):
    """A file whose description was changed, under a seal that is right."""
    arrays, description = tensors.read_tensors(path, ["LDNNClassifier"])
    for name in ("format", "version"):
        description.pop(name)
    change(arrays, description)
    kind = description.pop("kind")
    tensors.write_tensors(path, arrays, kind, description)


def test_a_newer_file(path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(tensors, "FORMAT", 2)
        rewrite(path, lambda arrays, description: None)
    with pytest.raises(ValueError, match=f"written by a newer ldnn \\({ldnn.__version__}\\); install that version"):
        ldnn.load(path)


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
    "classes": lambda a, d: parts(d)["beginning"].update(classes={"$array": "_state.encoder.normalizer.center"}),
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
        lambda a, d: a["_state.encoder.lines.0.knots"].__setitem__(0, np.nan),
        lambda a, d: a["_state.encoder.lines.0.knots"].sort() or a["_state.encoder.lines.0.knots"][::-1].sort(),
        lambda a, d: parts(d)["encoder"]["lines"][0].update(first=10**6),
        lambda a, d: parts(d)["encoder"]["lines"][0].update(levels=9),
        lambda a, d: parts(d)["encoder"]["lines"][0].update(kind="curve"),
        lambda a, d: a["_state.network.lines"].__imul__(2),
    ],
)
def test_forged_lines(fitted, tmp_path, change):
    ldnn.save(fitted["classes"][0], tmp_path / "model")
    rewrite(tmp_path / "model", change)
    with pytest.raises(ValueError, match="model is damaged"):
        ldnn.load(tmp_path / "model")


def test_wrong_calls(fitted, path, tmp_path, moons):
    model = fitted["conic"][0]
    with pytest.raises(NotFittedError):
        ldnn.save(LDNNClassifier(), tmp_path / "x")
    with pytest.raises(TypeError, match="A Pipeline cannot be saved: give a fitted LDNNClassifier, "):
        ldnn.save(make_pipeline(StandardScaler(), model), tmp_path / "x")

    class Mine(LDNNClassifier):
        pass

    with pytest.raises(TypeError, match="A Mine cannot be saved"):
        ldnn.save(plain(1, 1, max_epochs=1, Classifier=Mine).fit(*moons), tmp_path / "x")
    odd = plain(1, 1, max_epochs=1).fit(*moons).set_params(n_jobs=1j)
    with pytest.raises(TypeError, match="n_jobs holds a builtins.complex. Use plain numbers"):
        ldnn.save(odd, tmp_path / "x")
    with pytest.raises(FileNotFoundError, match="no folder .*nowhere for the model; make it first"):
        ldnn.save(model, tmp_path / "nowhere" / "x")
    with pytest.raises(IsADirectoryError, match="is a folder; give the name of a file in it"):
        ldnn.save(model, tmp_path)
    with pytest.raises(IsADirectoryError, match="is a folder; give a file"):
        ldnn.load(tmp_path)
    with pytest.raises(FileNotFoundError, match="There is no file .*x; give one that ldnn has written"):
        ldnn.load(tmp_path / "x")
    with pytest.raises(ValueError, match="device='cpu' is for models of images"):
        ldnn.load(path, device="cpu")
    assert names_in(tmp_path) == ["model"]


# --- whole or not at all ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_what_fails_leaves_the_old_file(tmp_path, error):
    path = tmp_path / "file"

    def write(text, trouble=None):
        with written_whole(path) as part:
            part.write_text(text)
            if trouble is not None:
                raise trouble

    write("old")
    with pytest.raises(error):
        write("half of the n", error)
    assert (names_in(tmp_path), path.read_text()) == (["file"], "old")
    write("new")
    assert (names_in(tmp_path), path.read_text()) == (["file"], "new")


@pytest.mark.skipif(sys.platform == "win32", reason="no such links and modes there")
def test_links_stay_and_others_may_read(tmp_path, fitted):
    (tmp_path / "link").symlink_to("target")
    ldnn.save(fitted["conic"][0], tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    (tmp_path / "plain").touch()
    assert (tmp_path / "target").stat().st_mode == (tmp_path / "plain").stat().st_mode
    ldnn.load(tmp_path / "link")


@pytest.mark.skipif(sys.platform == "win32", reason="no such limits there")
def test_save_on_a_full_disk(path):
    """The limit is that of a process on the size of its files."""
    script = (
        "import resource, signal, sys, ldnn;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "model = ldnn.load(sys.argv[1]);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000));"
        "ldnn.save(model, sys.argv[1])"
    )
    before = path.read_bytes()
    result = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=False)
    assert "OSError" in result.stderr
    assert path.read_bytes() == before
    assert names_in(path.parent) == ["model"]
