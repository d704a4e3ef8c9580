"""How data sets get into the data folder: whole and right, or not at all."""

import bz2
import hashlib
import lzma
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn.utils import Bunch

from ldnn import datasets
from ldnn.datasets.originals import fingerprint
from ldnn.datasets.pictures import IMAGES
from ldnn.datasets.tables import TABLES

LETTERS = b"B,1,2\nA,3,4\nA,5,6\nB,7,8\n"


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def letters(data_folder, server, monkeypatch):
    """The letter set, shrunk to 3 + 1 rows of 2 columns, at the local server."""
    server.files["letter-recognition.data"] = LETTERS
    checksum = f"md5:{hashlib.md5(LETTERS).hexdigest()}"
    change_letters(
        monkeypatch,
        counts={"train": (2, 1), "test": (0, 1)},
        features=2,
        target_names=("A", "B"),
        raw_labels=("A", "B"),
        feature_names=("left", "right"),
        fingerprint=None,
        source=replace(TABLES["letter"].source, url=server.url, checksums={"letter-recognition.data": checksum}),
    )
    return data_folder


def change_letters(monkeypatch, **changes):
    monkeypatch.setitem(TABLES, "letter", replace(TABLES["letter"], **changes))


def test_fetched_once_and_stored(letters, server):
    first = datasets.load_letter()
    assert files_below(letters) == ["tabular/letter.npz"]
    server.files.clear()
    for bunch in (first, datasets.load_letter()):
        np.testing.assert_array_equal(bunch.data, [[1, 2], [3, 4], [5, 6], [7, 8]])
        np.testing.assert_array_equal(bunch.target, [1, 0, 0, 1])
        np.testing.assert_array_equal(bunch.train, [0, 1, 2])
        np.testing.assert_array_equal(bunch.test, [3])
    with np.load(letters / "tabular" / "letter.npz") as arrays:
        assert arrays["X_train"].dtype == np.uint8
    X, y = datasets.load_letter(subset="test", return_X_y=True)
    assert X.tolist() == [[7, 8]] and y.tolist() == [1]


def test_a_broken_download_is_not_used(letters, server):
    server.cut.add("letter-recognition.data")
    with pytest.raises(FileNotFoundError, match=r"the connection broke off\): put tabular/letter-recognition.data"):
        datasets.load_letter()
    assert files_below(letters) == []
    server.cut.clear()
    assert len(datasets.load_letter().data) == 4


def test_a_wrong_checksum_is_not_used(letters, server):
    server.files["letter-recognition.data"] = LETTERS.replace(b"8", b"9")
    with pytest.raises(FileNotFoundError, match="has the md5 checksum"):
        datasets.load_letter()
    assert files_below(letters) == []
    server.files["letter-recognition.data"] = LETTERS
    assert len(datasets.load_letter().data) == 4


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (LETTERS[:-6], "test has 0 rows"),
        (LETTERS.replace(b"A,3", b"C,3"), "other classes than A, B"),
        (LETTERS.replace(b"A", b"B"), r"train has 3 rows and \(0, 3\) of each class, not \(2, 1\)"),
        (LETTERS.replace(b"4", b"x"), "letter-recognition.data is damaged or not the expected file"),
        (LETTERS.replace(b",", b",0,"), "there should be 2 columns"),
        (LETTERS.replace(b"4", b"5"), "values are not those of the data set"),
        (b"", r"X.shape=\(0, 0\)"),
    ],
)
@pytest.mark.filterwarnings("ignore:loadtxt")
def test_wrong_content_is_not_used(letters, server, monkeypatch, content, complaint):
    """Where no checksum of the file is known, what it holds is checked."""
    X, codes = np.array([[1, 2], [3, 4], [5, 6]]), np.array([1, 0, 0])
    change_letters(
        monkeypatch,
        source=replace(TABLES["letter"].source, checksums={"letter-recognition.data": None}),
        fingerprint=fingerprint({"train": (X[::-1], codes[::-1]), "test": (np.array([[7, 8]]), np.array([1]))}),
    )
    server.files["letter-recognition.data"] = content
    with pytest.raises(FileNotFoundError, match=complaint):
        datasets.load_letter()
    assert files_below(letters) == []
    server.files["letter-recognition.data"] = LETTERS
    assert len(datasets.load_letter().data) == 4


def test_no_network(letters, server, monkeypatch):
    change_letters(monkeypatch, source=replace(TABLES["letter"].source, url="http://127.0.0.1:9/"))
    with pytest.raises(FileNotFoundError, match="letter is not in .* no connection.* put .* or set .* LDNN_DATA"):
        datasets.load_letter()
    server.files.clear()
    change_letters(monkeypatch, source=replace(TABLES["letter"].source, url=server.url))
    with pytest.raises(FileNotFoundError, match="404"):
        datasets.load_letter()
    with pytest.raises(FileNotFoundError, match="download_if_missing is False"):
        datasets.load_letter(download_if_missing=False)


def test_files_put_there_by_hand(letters, server):
    server.files.clear()
    (letters / "tabular").mkdir(parents=True)
    (letters / "tabular" / "letter-recognition.data").write_bytes(LETTERS)
    assert {info.name: info.present for info in datasets.list_datasets()}["letter"]
    assert len(datasets.load_letter(download_if_missing=False).data) == 4
    assert files_below(letters) == ["tabular/letter-recognition.data", "tabular/letter.npz"]


def test_damaged_stored_file(letters):
    datasets.load_letter()
    path = letters / "tabular" / "letter.npz"
    whole = path.read_bytes()
    for content in (whole[: len(whole) // 2], b"", b"hello", whole[:60] + b"\0\0\0\0" + whole[64:]):
        path.write_bytes(content)
        with pytest.raises(
            ValueError, match=r"letter.npz is damaged or not the expected file \(.*\): replace or remove"
        ):
            datasets.load_letter()
    np.savez(path, X=[[1, 2]], y=[0])
    with pytest.raises(ValueError, match="X_train"):
        datasets.load_letter()
    path.unlink()
    assert len(datasets.load_letter().data) == 4


# Like the fixture `letters`, in a process of its own; 100 kB to fetch.
FETCH = """
import resource, sys
from ldnn.datasets.fetch import data_folder, download
limit = int(sys.argv[2])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
download(sys.argv[1], data_folder() / "tabular" / "file", None)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals and limits are of another kind there")
def test_an_interrupted_download_leaves_nothing(data_folder, server):
    server.files["file"] = bytes(100_000)
    server.stall.add("file")
    process = subprocess.Popen([sys.executable, "-c", FETCH, server.url + "file", "0"], stderr=subprocess.PIPE)
    assert server.stalled.wait(60)
    while not files_below(data_folder):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert b"KeyboardInterrupt" in process.communicate(timeout=60)[1]
    assert files_below(data_folder) == []
    server.stall.clear()
    subprocess.run([sys.executable, "-c", FETCH, server.url + "file", "0"], check=True, capture_output=True)
    assert files_below(data_folder) == ["tabular/file"]


@pytest.mark.skipif(sys.platform == "win32", reason="no such limits there")
def test_a_full_disk_leaves_nothing(data_folder, server):
    server.files["file"] = bytes(100_000)
    command = [sys.executable, "-c", FETCH, server.url + "file", "50000"]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "File too large" in process.stderr
    assert files_below(data_folder) == []


def test_a_folder_that_cannot_be_written(letters, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("LDNN_DATA", str(tmp_path / "file" / "below"))
    with pytest.raises(FileNotFoundError, match="letter is not in .*Not a directory"):
        datasets.load_letter()


def test_images_are_fetched(data_folder, server, monkeypatch):
    spec = IMAGES["mnist"]
    names = spec.layouts["idx"]["test"]
    checksums = dict.fromkeys(names, f"sha256:{hashlib.sha256(b'no digits').hexdigest()}")
    monkeypatch.setitem(IMAGES, "mnist", replace(spec, url=server.url, checksums=checksums))
    server.files = dict.fromkeys(names, b"no digits")
    server.cut = {names[1]}
    with pytest.raises(FileNotFoundError, match=f"broke off.*put images/mnist/{names[0]} and images/mnist/{names[1]}"):
        datasets.load_mnist_images(subset="test")
    assert files_below(data_folder) == [f"images/mnist/{names[0]}"]  # whole, and not fetched again
    server.cut.clear()
    del server.files[names[0]]
    with pytest.raises(ValueError, match=f"{names[0]} is damaged"):
        datasets.load_mnist_images(subset="test")


def test_webspam_in_its_original_format(data_folder, server, monkeypatch):
    content = b"1 2:0.25 254:0.5 \n-1 1:0.125 2:0.25 \n1 254:0.75 2:0.25 \n-1 2:0.25 \n".replace(
        b"254:0.75 2:0.25", b"2:0.25 254:0.75"
    )
    name = "webspam_wc_normalized_unigram.svm.xz"
    spec = TABLES["webspam"]
    source = replace(spec.source, url=server.url)
    monkeypatch.setitem(TABLES, "webspam", replace(spec, counts={"all": (2, 2)}, source=source))
    server.files[name] = lzma.compress(content)[:-20]
    with pytest.raises(FileNotFoundError, match="webspam_wc_normalized_unigram.svm.xz is damaged"):
        datasets.load_webspam()
    server.files[name] = lzma.compress(content)
    bunch = datasets.load_webspam()
    # The second column says nothing, and those that are absent even less.
    assert bunch.feature_names == ["x1", "x254"]
    np.testing.assert_array_equal(bunch.data, [[0, 0.5], [0.125, 0], [0, 0.75], [0, 0]])
    assert bunch.target.tolist() == [1, 0, 1, 0]


def test_ijcnn1_in_its_original_format(data_folder, server, monkeypatch):
    spec = TABLES["ijcnn1"]
    counts = {"train": (1, 1), "val": (1, 0), "test": (0, 1)}
    source = replace(spec.source, url=server.url)
    monkeypatch.setitem(
        TABLES, "ijcnn1", replace(spec, counts=counts, source=source, fingerprint=None, features=1, stored_columns=22)
    )
    server.files = {
        "ijcnn1.tr.bz2": bz2.compress(b"-1 22:0.5\n1 22:-0.5\n"),
        "ijcnn1.val.bz2": bz2.compress(b"-1 22:0.25\n"),
        "ijcnn1.t.bz2": bz2.compress(b"+1 22:1\n"),
    }
    X, y = datasets.load_ijcnn1(subset="train", return_X_y=True)
    assert X.tolist() == [[0.5], [-0.5], [0.25]] and y.tolist() == [0, 1, 0]
    assert datasets.load_ijcnn1().test.tolist() == [3]


ORIGINALS = ["letter", "pendigits", "optdigits", "landsat", "australian", "german", "adult"]


def write_originals(name, bunch):
    """The files of the source, written anew from what a loader gave: the fingerprint must know them again."""
    spec = TABLES[name]
    pieces = [bunch.train, bunch.test] if "train" in bunch and name != "letter" else [np.arange(len(bunch.data))]
    raw = np.array(spec.raw_labels or spec.labels or range(len(spec.target_names))).astype(str)[bunch.target]
    cells = np.zeros((len(raw), spec.columns)).astype(object)
    cells[:, [spec.feature_names.index(f) if spec.feature_names else int(f[1:]) - 1 for f in bunch.feature_names]] = (
        bunch.data.astype(str)
    )
    separator = spec.source.delimiter or " "
    for rows in pieces:
        lines = [
            separator.join([label, *row] if spec.source.label_first else [*row, label])
            for row, label in zip(cells[rows].astype(str).tolist(), raw[rows], strict=True)
        ]
        yield "\n".join(lines).encode()


def write_adult(bunch):
    columns = [
        ["?" if code != code else bunch.categories[name][int(code)] for code in column]
        if name in bunch.categories
        else [f"{value:.0f}" for value in column]
        for name, column in zip(bunch.feature_names, bunch.data.T, strict=True)
    ]
    lines = [", ".join([*cells, bunch.target_names[code]]) for *cells, code in zip(*columns, bunch.target, strict=True)]
    n_train = len(bunch.train)
    yield "\n".join([*lines[:n_train], "", ""]).encode()
    yield "\n".join(["|1x3 Cross validator", *(line + "." for line in lines[n_train:]), "", ""]).encode()


@pytest.mark.parametrize("name", ORIGINALS)
def test_original_files_become_the_stored_set(need, name, server, tmp_path, monkeypatch):
    need(name)
    load = getattr(datasets, f"load_{name}")
    options = {"incomplete": True} if name == "adult" else {}
    expected = load(**options)
    contents = write_adult(expected) if name == "adult" else write_originals(name, expected)
    spec = TABLES[name]
    server.files = dict(zip(spec.source.checksums, contents, strict=True))
    if name == "adult":  # byte for byte the official files
        for file, checksum in spec.source.checksums.items():
            assert f"md5:{hashlib.md5(server.files[file]).hexdigest()}" == checksum
    monkeypatch.setitem(TABLES, name, replace(spec, source=replace(spec.source, url=server.url)))
    monkeypatch.setenv("LDNN_DATA", str(tmp_path))
    fetched = load(**options)
    np.testing.assert_array_equal(fetched.data, expected.data)
    np.testing.assert_array_equal(fetched.target, expected.target)
    assert fetched.feature_names == expected.feature_names


@pytest.mark.parametrize("name", ["pima", "ionosphere", "isolet"])
def test_sets_of_openml(need, name, tmp_path, monkeypatch):
    need(name)
    load = getattr(datasets, f"load_{name}")
    expected = load()
    spec = TABLES[name]
    X = np.zeros((len(expected.data), spec.columns))
    X[:, np.isin(spec.feature_names or expected.feature_names, expected.feature_names)] = expected.data
    raw = np.array(spec.raw_labels or spec.labels).astype(str).astype(object)[expected.target]

    def fetch_openml(data_id, **options):
        assert data_id == spec.source.data_id
        return Bunch(data=X, target=raw)

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    monkeypatch.setenv("LDNN_DATA", str(tmp_path))
    np.testing.assert_array_equal(load().data, expected.data)
    np.testing.assert_array_equal(load(download_if_missing=False).target, expected.target)


def test_cover_types(data_folder, monkeypatch):
    spec = TABLES["covtype"]
    monkeypatch.setitem(TABLES, "covtype", replace(spec, counts={"all": (2, 1)}, fingerprint=None))
    X = np.arange(3.0 * 54).reshape(3, 54) - 5
    monkeypatch.setattr("sklearn.datasets.fetch_covtype", lambda **options: (X, np.array([1, 2, 7], dtype=np.int32)))
    bunch = datasets.load_covtype()
    np.testing.assert_array_equal(bunch.data, X)
    assert bunch.target.tolist() == [0, 1, 0]
    with np.load(data_folder / spec.file) as arrays:
        assert arrays["X"].dtype == np.int16


def test_openml_without_a_network(data_folder, monkeypatch):
    def fetch_openml(**options):
        raise OSError("<urlopen error [Errno -2] Name or service not known>")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    with pytest.raises(FileNotFoundError, match="pima is not in .*Name or service.*put tabular/pima.npz, made where"):
        datasets.load_pima()
    assert files_below(data_folder) == []


def test_pooch_is_named_if_absent(letters, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(FileNotFoundError, match=r"fetching needs pooch: pip install 'ldnn\[data\]'"):
        datasets.load_letter()


@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        ("linux", {}, "home/.cache/ldnn"),
        ("linux", {"XDG_CACHE_HOME": "/cache"}, "/cache/ldnn"),
        ("darwin", {}, "home/Library/Caches/ldnn"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/ldnn/Cache"),
        ("linux", {"LDNN_DATA": "~/sets"}, "home/sets"),
    ],
)
def test_the_data_folder(tmp_path, monkeypatch, platform, environment, folder):
    for name in ("LDNN_DATA", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": str(tmp_path / "home"), **environment}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert datasets.fetch.data_folder() == tmp_path / folder
    assert not list(tmp_path.iterdir())
