"""The image data sets of the paper, from their original files or from atlases.

An atlas is a lossless WebP picture of 100 tiles per row, read row by row, with the labels beside it in labels.npz.
"""

import gzip
import pickle
import tarfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .fetch import data_folder, download, missing, reading, reason
from .pictures import IMAGES
from .registry import find_layout
from .specs import ImageSpec, Subset, describe, parts_of

if TYPE_CHECKING:
    from sklearn.utils import Bunch

# The file, its images (n, *shape) and their labels (n,).
Batches = Iterator[tuple[Path, NDArray[np.uint8], NDArray[Any]]]
Reader = Callable[[ImageSpec, str, list[Path]], Batches]


def load_mnist_images(*, subset: Subset = "all", download_if_missing: bool = True) -> "Bunch":
    """MNIST: 60,000 + 10,000 handwritten digits, uint8 of shape (n, 28, 28). See `ldnn.datasets`."""
    return _load("mnist", subset, download_if_missing, {"idx": _read_idx})


def load_cifar10(*, subset: Subset = "all", download_if_missing: bool = True) -> "Bunch":
    """CIFAR-10: 50,000 + 10,000 colour pictures of 10 classes, uint8 of shape (n, 32, 32, 3). See `ldnn.datasets`.

    Looked for, in this order, as atlases, as the original binary or Python batches, unpacked, and as the original
    binary archive, which is also what is fetched.
    """
    readers = {"atlas": _read_atlases, "binary": _read_cifar, "python": _read_pickles, "archive": _read_archive}
    return _load("cifar10", subset, download_if_missing, readers)


def load_cifar100(*, subset: Subset = "all", download_if_missing: bool = True) -> "Bunch":
    """CIFAR-100: 50,000 + 10,000 colour pictures of 100 classes, uint8 of shape (n, 32, 32, 3). See `ldnn.datasets`.

    From the original binary files, unpacked or in their archive. The classes are the hundred fine ones.
    """
    return _load("cifar100", subset, download_if_missing, {"binary": _read_cifar, "archive": _read_archive})


def load_svhn(*, subset: Subset = "all", extra: bool = False, download_if_missing: bool = True) -> "Bunch":
    """SVHN: 73,257 + 26,032 colour pictures of digits, uint8 of shape (n, 32, 32, 3). See `ldnn.datasets`.

    With `extra` the 531,131 additional, easier digits follow the training images, as in the paper; that is 1.6 GB more.
    """
    return _load("svhn", subset, download_if_missing, {"mat": _read_svhn}, left_out=() if extra else ("extra",))


def load_svhn_subset(*, subset: Subset = "all") -> "Bunch":
    """A random sample of SVHN, cropped anew: 3,000 + 800 pictures, uint8 of shape (n, 32, 32, 3). See `ldnn.datasets`.

    Read from atlases only. The crops are not those of the original files, so errors on them do not compare.
    """
    return _load("svhn_subset", subset, False, {"atlas": _read_atlases})


def load_norb(*, subset: Subset = "all", download_if_missing: bool = True) -> "Bunch":
    """Small NORB: 24,300 + 24,300 stereo pairs of toys, 5 classes, uint8 of shape (n, 2, 96, 96). See `ldnn.datasets`.

    From the original files, unpacked or not.
    """
    return _load("norb", subset, download_if_missing, {"mat": _read_norb, "mat.gz": _read_norb})


def load_norb_cluttered(*, subset: Subset = "all", download_if_missing: bool = True) -> "Bunch":
    """NORB with clutter, as in the paper: 58,320 + 58,320 stereo pairs, 6 classes, uint8 of shape (n, 2, 108, 108). See
    `ldnn.datasets`.

    From the original files, unpacked or not: the first two training folds and both test folds, 2.7 GB of memory.
    """
    return _load("norb_cluttered", subset, download_if_missing, {"mat": _read_norb, "mat.gz": _read_norb})


def _load(
    name: str,
    subset: Subset,
    download_if_missing: bool,
    readers: Mapping[str, Reader],
    left_out: tuple[str, ...] = (),
) -> "Bunch":
    """Read the wanted parts batch by batch into one array."""
    from sklearn.utils import Bunch

    spec = IMAGES[name]
    parts = [part for part in parts_of(spec.counts, subset) if part not in left_out]
    found = {part: _find(spec, part, download_if_missing) for part in parts}

    n_images = sum(spec.counts[part] for part in parts)
    images = np.empty((n_images, *spec.shape), dtype=np.uint8)
    target = np.empty(n_images, dtype=np.intp)
    start = 0
    for part, (layout, paths) in found.items():
        stop = start + spec.counts[part]
        for path, batch, labels in readers[layout](spec, part, paths):
            end = start + len(batch)
            with reading(path):
                if batch.shape[1:] != spec.shape or labels.shape != batch.shape[:1] or end > stop:
                    raise ValueError(f"{batch.shape} images and {labels.shape} labels do not fit")
                if not ((labels >= 0) & (labels < len(spec.target_names))).all():
                    raise ValueError(f"there are other classes than 0 to {len(spec.target_names) - 1}")
            images[start:end], target[start:end] = batch, labels
            start = end
        with reading(paths[0].parent if len(paths) > 1 else paths[0]):
            if start < stop:
                raise ValueError(f"{stop - start} of {spec.counts[part]} {part} images are not there")
    n_test = spec.counts["test"]
    split = {"train": np.arange(n_images - n_test), "test": np.arange(n_images - n_test, n_images)}
    return Bunch(
        images=images,
        target=target,
        target_names=np.array(spec.target_names),
        DESCR=describe(spec.title, spec.notes, ", ".join(filter(None, (spec.source, spec.url))), spec.licence),
        **(split if subset == "all" else {}),
    )


def _find(spec: ImageSpec, part: str, download_if_missing: bool) -> tuple[str, list[Path]]:
    """A layout and its files for this part; if there is none, the original files are fetched."""
    if found := find_layout(spec, part):
        return found
    layout, files = list(spec.layouts.items())[-1]
    try:
        if spec.url is None:
            raise OSError("it is not on the network")
        if not download_if_missing:
            raise OSError("download_if_missing is False")
        folder = data_folder() / spec.folder
        for name in files[part]:
            if not (folder / name).exists():
                download(spec.url + name, folder / name, spec.checksums[name])
    except OSError as error:
        raise missing(spec.name, reason(error), tuple(f"{spec.folder}/{name}" for name in files[part])) from error
    return layout, [folder / name for name in files[part]]


def _read_idx(spec: ImageSpec, part: str, paths: list[Path]) -> Batches:
    """MNIST's files: a magic number, the dimensions and then the bytes, packed with gzip."""
    arrays = []
    for path, n_dimensions in zip(paths, (3, 1), strict=True):
        with reading(path), gzip.open(path) as file:
            magic, *shape = np.frombuffer(file.read(4 + 4 * n_dimensions), ">i4")
            if magic != 0x800 + n_dimensions:  # 8 means bytes
                raise ValueError(f"its magic number is {magic}")
            arrays.append(np.frombuffer(file.read(), np.uint8).reshape(shape))
    yield paths[0], arrays[0], arrays[1]


def _read_norb(spec: ImageSpec, part: str, paths: list[Path]) -> Batches:
    """NORB's files, in pairs of images and classes."""
    for images, classes in zip(paths[::2], paths[1::2], strict=True):
        yield images, _norb_values(images, 0x1E3D4C55, "u1"), _norb_values(classes, 0x1E3D4C54, "<i4")


def _norb_values(path: Path, expected: int, dtype: str) -> NDArray[Any]:
    """A magic number for bytes or integers, the number of dimensions, at least 3 of them, the values."""
    with reading(path), gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        magic, n_dimensions = np.frombuffer(file.read(8), "<i4")
        if magic != expected:
            raise ValueError(f"its magic number is {magic:#x}")
        shape = np.frombuffer(file.read(4 * max(3, n_dimensions)), "<i4")[:n_dimensions]
        return np.frombuffer(file.read(), dtype).reshape(shape)


def _read_cifar(spec: ImageSpec, part: str, paths: list[Path]) -> Batches:
    for path in paths:
        with reading(path):
            batch = _cifar_batch(spec, path.read_bytes())
        yield path, *batch


def _read_archive(spec: ImageSpec, part: str, paths: list[Path]) -> Batches:
    """The same files as members of the archive, which is read once from its beginning."""
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
    """One row per image: the label (for CIFAR-100 the coarse and the fine one), then the planes of the colours."""
    n_labels = 2 if spec.name == "cifar100" else 1
    rows = np.frombuffer(content, np.uint8).reshape(-1, n_labels + 3 * 32 * 32)
    return _channels_last(rows[:, n_labels:]), rows[:, n_labels - 1]


def _channels_last(planes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return planes.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)


class _ArraysOnly(pickle.Unpickler):
    """Reads pickled lists, dictionaries and NumPy arrays, and refuses everything that could run code."""

    def find_class(self, module: str, name: str) -> Any:
        allowed = {"_reconstruct": np.empty(0).__reduce__()[0], "ndarray": np.ndarray, "dtype": np.dtype}
        if module.split(".")[0] != "numpy" or name not in allowed:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}")
        return allowed[name]


def _read_pickles(spec: ImageSpec, part: str, paths: list[Path]) -> Batches:
    for path in paths:
        with reading(path), path.open("rb") as file:
            batch = _ArraysOnly(file, encoding="bytes").load()
            images, labels = _channels_last(batch[b"data"]), np.array(batch[b"labels"])
        yield path, images, labels


def _read_svhn(spec: ImageSpec, part: str, paths: list[Path]) -> Batches:
    """Matlab's format: X (32, 32, 3, n), y (n, 1), where the digit 0 has the label 10."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    with reading(paths[0]):
        try:
            content = loadmat(paths[0], variable_names=["X", "y"])
        except MatReadError as error:  # derived from nothing but Exception
            raise ValueError(str(error)) from error
        images, labels = content["X"].transpose(3, 0, 1, 2), content["y"].reshape(-1) % 10
    yield paths[0], images, labels


def _read_atlases(spec: ImageSpec, part: str, paths: list[Path]) -> Batches:
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError("reading WebP pictures needs Pillow: pip install 'ldnn[data]'") from error
    height, width = spec.shape[:2]
    with reading(paths[0]), np.load(paths[0], allow_pickle=False) as arrays:
        labels = arrays[f"y_{part}"]
    start = 0
    for path in paths[1:]:
        with reading(path), Image.open(path) as picture:
            pixels = np.asarray(picture.convert("RGB"))
            rows, columns = pixels.shape[0] // height, pixels.shape[1] // width
            tiles = pixels.reshape(rows, height, columns, width, 3).transpose(0, 2, 1, 3, 4)
            images = tiles.reshape(-1, *spec.shape)
        yield path, images, labels[start : start + len(images)]
        start += len(images)
