"""Original files and sources of the tabular data sets."""

import bz2
import hashlib
import lzma
from dataclasses import replace

import numpy as np
import pytest
from sklearn.utils import Bunch
from tiny_sets import files_below

from ldnn import datasets
from ldnn.datasets.table_specs import TABLES

ORIGINALS = ["letter", "pendigits", "optdigits", "landsat", "australian", "german", "adult"]


def write_originals(name, bunch):
    """The original files, reconstructed from a loaded set; their fingerprint must be the same."""
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


def test_webspam_in_its_original_format(data_folder, server, monkeypatch):
    content = b"1 2:0.25 254:0.5 \n-1 1:0.125 2:0.25 \n1 2:0.25 254:0.75 \n-1 2:0.25 \n"
    name = "webspam_wc_normalized_unigram.svm.xz"
    spec = TABLES["webspam"]
    source = replace(spec.source, url=server.url)
    monkeypatch.setitem(TABLES, "webspam", replace(spec, counts={"all": (2, 2)}, source=source))
    server.files[name] = lzma.compress(content)[:-20]
    with pytest.raises(FileNotFoundError, match="webspam_wc_normalized_unigram.svm.xz is damaged"):
        datasets.load_webspam()
    server.files[name] = lzma.compress(content)
    bunch = datasets.load_webspam()
    # The second column is constant, and so are the columns that the file does not mention.
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
