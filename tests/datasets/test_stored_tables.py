"""Stored files of tabular data sets: made once from original files, and checked."""

from dataclasses import replace

import numpy as np
import pytest
from tiny_sets import LETTERS, change_letters, files_below

from ldnn import datasets
from ldnn.datasets.stored_tables import fingerprint
from ldnn.datasets.table_specs import TABLES


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
    """If no checksum of the file is known, its content is checked."""
    X, y = np.array([[1, 2], [3, 4], [5, 6]]), np.array([1, 0, 0])
    change_letters(
        monkeypatch,
        source=replace(TABLES["letter"].source, checksums={"letter-recognition.data": None}),
        fingerprint=fingerprint({"train": (X[::-1], y[::-1]), "test": (np.array([[7, 8]]), np.array([1]))}),
    )
    server.files["letter-recognition.data"] = content
    with pytest.raises(FileNotFoundError, match=complaint):
        datasets.load_letter()
    assert files_below(letters) == []
    server.files["letter-recognition.data"] = LETTERS
    assert len(datasets.load_letter().data) == 4


def test_original_files_in_the_data_folder_are_used(letters, server):
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


def test_a_folder_that_cannot_be_written(letters, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("LDNN_DATA", str(tmp_path / "file" / "below"))
    with pytest.raises(FileNotFoundError, match="letter is not in .*Not a directory"):
        datasets.load_letter()
