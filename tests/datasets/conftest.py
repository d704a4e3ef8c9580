import hashlib
from dataclasses import replace

import pytest
from tiny_sets import LETTERS, change_letters

from ldnn.datasets.image_specs import IMAGES
from ldnn.datasets.table_specs import TABLES


@pytest.fixture
def letters(data_folder, server, monkeypatch):
    """The letter set, shrunk to 3 + 1 rows of 2 columns, on the local server."""
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


@pytest.fixture
def shrink(data_folder, monkeypatch):
    """A function that reduces a set to the given counts and returns its new, empty folder."""

    def change(name, **counts):
        monkeypatch.setitem(IMAGES, name, replace(IMAGES[name], counts=counts, url=None))
        folder = data_folder / IMAGES[name].folder
        folder.mkdir(parents=True)
        return folder

    return change
