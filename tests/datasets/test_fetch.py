"""Downloads into the data folder: complete and right, or not at all."""

import gzip
import hashlib
import signal
import struct
import sys
from dataclasses import replace

import pytest
from prepared_process import Process
from tiny_sets import LETTERS, change_letters, files_below

from ldnn import datasets
from ldnn.datasets.image_specs import IMAGES
from ldnn.datasets.table_specs import TABLES

# A download in a separate process, with a limit of the file size in bytes (0: no limit).
FETCH = """
import resource, sys
from ldnn.datasets.fetch import data_folder, download
limit = int(sys.argv[2])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
download(sys.argv[1], data_folder() / "tabular" / "file", None)
"""


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


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals and limits")
def test_an_interrupted_download_leaves_nothing(data_folder, server):
    server.files["file"] = bytes(100_000)
    server.stall.add("file")
    process = Process(FETCH, server.url + "file", 0)
    assert server.stalled.wait(60)
    while not files_below(data_folder):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in process.result()[1]
    assert files_below(data_folder) == []
    server.stall.clear()
    assert Process(FETCH, server.url + "file", 0).wait() == 0
    assert files_below(data_folder) == ["tabular/file"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")
def test_a_full_disk_leaves_nothing(data_folder, server):
    server.files["file"] = bytes(100_000)
    assert "File too large" in Process(FETCH, server.url + "file", 50000).result()[1]
    assert files_below(data_folder) == []


def test_images_are_fetched_file_by_file(data_folder, server, monkeypatch):
    spec = IMAGES["mnist"]
    names = spec.layouts["idx"]["test"]
    images = struct.pack(">4i", 0x803, 2, 28, 28) + bytes(range(196)) * 8
    labels = struct.pack(">2i", 0x801, 2) + bytes([3, 7])
    server.files = {name: gzip.compress(content) for name, content in zip(names, (images, labels), strict=True)}
    checksums = {name: f"sha256:{hashlib.sha256(content).hexdigest()}" for name, content in server.files.items()}
    counts = {"train": 0, "test": 2}
    monkeypatch.setitem(IMAGES, "mnist", replace(spec, url=server.url, checksums=checksums, counts=counts))
    server.cut = {names[1]}
    with pytest.raises(FileNotFoundError, match=f"broke off.*put images/mnist/{names[0]} and images/mnist/{names[1]}"):
        datasets.load_mnist_images(subset="test")
    assert files_below(data_folder) == [f"images/mnist/{names[0]}"]
    server.cut.clear()
    del server.files[names[0]]  # it is complete, and not fetched again
    bunch = datasets.load_mnist_images(subset="test")
    assert bunch.images.tobytes() == images[16:] and bunch.target.tolist() == [3, 7]


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
