"""Readers of the file formats of image data sets.

A reader takes the files of one part of a set, and yields batches: a file, its images (n, *shape), their labels (n,).
"""

import gzip
import pickle
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .fetch import reading
from .specs import ImageSpec

Batches = Iterator[tuple[Path, NDArray[np.uint8], NDArray[Any]]]
Reader = Callable[[ImageSpec, str, list[Path]], Batches]


def read_idx(spec: ImageSpec, part: str, paths: list[Path]) -> Batches:
    """MNIST's format: a magic number, the dimensions, then the pixels or labels, compressed with gzip."""
    arrays = []
    for path, n_dimensions in zip(paths, (3, 1), strict=True):
        with reading(path), gzip.open(path) as file:
            magic, *shape = np.frombuffer(file.read(4 + 4 * n_dimensions), ">i4")
            if magic != 0x800 + n_dimensions:  # 8 means bytes
                raise ValueError(f"its magic number is {magic}")
            arrays.append(np.frombuffer(file.read(), np.uint8).reshape(shape))
    yield paths[0], arrays[0], arrays[1]


def read_norb(spec: ImageSpec, part: str, paths: list[Path]) -> Batches:
    """NORB's format: pairs of files, one of images and one of classes."""
    for images, classes in zip(paths[::2], paths[1::2], strict=True):
        yield images, _norb_values(images, 0x1E3D4C55, "u1"), _norb_values(classes, 0x1E3D4C54, "<i4")


def _norb_values(path: Path, expected: int, dtype: str) -> NDArray[Any]:
    """The array in a file: a magic number for its dtype, the number of dimensions, at least 3 sizes, the values."""
    with reading(path), gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        magic, n_dimensions = np.frombuffer(file.read(8), "<i4")
        if magic != expected:
            raise ValueError(f"its magic number is {magic:#x}")
        shape = np.frombuffer(file.read(4 * max(3, n_dimensions)), "<i4")[:n_dimensions]
        return np.frombuffer(file.read(), dtype).reshape(shape)


def read_cifar(spec: ImageSpec, part: str, paths: list[Path]) -> Batches:
    """CIFAR's binary format; see `_cifar_batch`."""
    for path in paths:
        with reading(path):
            batch = _cifar_batch(spec, path.read_bytes())
        yield path, *batch


def read_cifar_archive(spec: ImageSpec, part: str, paths: list[Path]) -> Batches:
    """CIFAR's binary files as members of an archive, which is read once from its beginning."""
    wanted = spec.layouts["binary"][part]
    with reading(paths[0]):
        contents = {}
        with tarfile.open(paths[0], "r|gz") as archive:
            for member in archive:
                file = archive.extractfile(member)
                if file is not None and member.name in wanted:
                    contents[member.name] = file.read()
        batches = [_cifar_batch(spec, contents[name]) for name in wanted]
    for batch in batches:
        yield paths[0], *batch


def _cifar_batch(spec: ImageSpec, content: bytes) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """One row for each image: the label (for CIFAR-100 the coarse and the fine label), then the three colour planes."""
    n_labels = 2 if spec.name == "cifar100" else 1
    rows = np.frombuffer(content, np.uint8).reshape(-1, n_labels + 3 * 32 * 32)
    return _channels_last(rows[:, n_labels:]), rows[:, n_labels - 1]


def _channels_last(planes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return planes.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)


class _ArraysOnly(pickle.Unpickler):
    """Reads pickled lists, dictionaries and NumPy arrays, and raises an error for everything that could run code."""

    def find_class(self, module: str, name: str) -> Any:
        allowed = {"_reconstruct": np.empty(0).__reduce__()[0], "ndarray": np.ndarray, "dtype": np.dtype}
        if module.split(".")[0] != "numpy" or name not in allowed:
            raise pickle.UnpicklingError(f"it contains {module}.{name}")
        return allowed[name]


def read_cifar_pickles(spec: ImageSpec, part: str, paths: list[Path]) -> Batches:
    """CIFAR's Python format: pickled dictionaries of `data` and `labels`."""
    for path in paths:
        with reading(path), path.open("rb") as file:
            batch = _ArraysOnly(file, encoding="bytes").load()
            images, labels = _channels_last(batch[b"data"]), np.array(batch[b"labels"])
        yield path, images, labels


def read_svhn(spec: ImageSpec, part: str, paths: list[Path]) -> Batches:
    """SVHN's format, a Matlab file: X (32, 32, 3, n) and y (n, 1), where the digit 0 has the label 10."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    with reading(paths[0]):
        try:
            content = loadmat(paths[0], variable_names=["X", "y"])
        except MatReadError as error:  # a direct subclass of Exception
            raise ValueError(str(error)) from error
        images, labels = content["X"].transpose(3, 0, 1, 2), content["y"].reshape(-1) % 10
    yield paths[0], images, labels


def read_atlases(spec: ImageSpec, part: str, paths: list[Path]) -> Batches:
    """Atlases: labels.npz with y_train and y_test, then lossless WebP images made of tiles, row by row."""
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError("Reading WebP images needs Pillow: pip install 'ldnn[data]'") from error
    height, width = spec.shape[:2]
    with reading(paths[0]), np.load(paths[0], allow_pickle=False) as arrays:
        labels = arrays[f"y_{part}"]
    start = 0
    for path in paths[1:]:
        with reading(path), Image.open(path) as atlas:
            pixels = np.asarray(atlas.convert("RGB"))
            rows, columns = pixels.shape[0] // height, pixels.shape[1] // width
            tiles = pixels.reshape(rows, height, columns, width, 3).transpose(0, 2, 1, 3, 4)
            images = tiles.reshape(-1, *spec.shape)
        yield path, images, labels[start : start + len(images)]
        start += len(images)


READERS: dict[str, Reader] = {  # by the name of the layout in an ImageSpec
    "idx": read_idx,
    "atlas": read_atlases,
    "binary": read_cifar,
    "python": read_cifar_pickles,
    "archive": read_cifar_archive,
    "matlab": read_svhn,
    "norb": read_norb,
    "norb.gz": read_norb,
}
