"""Loaders of the paper's image data sets."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .fetch import data_folder, download, not_found, reading, reason
from .image_formats import READERS
from .image_specs import IMAGES
from .loader_docs import documented
from .registry import find_layout
from .specs import ImageSpec, Subset, describe, parts_of

if TYPE_CHECKING:
    from sklearn.utils import Bunch


@documented
def load_mnist_images(*, subset: Subset = "all", download_if_missing: bool = True) -> "Bunch":
    """MNIST: 60,000 + 10,000 handwritten digits, uint8 of shape (n, 28, 28)."""
    return _load_images("mnist", subset, download_if_missing)


@documented
def load_cifar10(*, subset: Subset = "all", download_if_missing: bool = True) -> "Bunch":
    """CIFAR-10: 50,000 + 10,000 colour images of 10 classes, uint8 of shape (n, 32, 32, 3).

    The loader looks for atlases, then for the original binary or Python batches, then for the original binary archive,
    which is also what it fetches. The order of the images may differ between these formats.
    """
    return _load_images("cifar10", subset, download_if_missing)


@documented
def load_cifar100(*, subset: Subset = "all", download_if_missing: bool = True) -> "Bunch":
    """CIFAR-100: 50,000 + 10,000 colour images of 100 classes, uint8 of shape (n, 32, 32, 3).

    The loader looks for atlases, then for the original binary files, then for their archive, which is also what it
    fetches. The order of the images may differ between these formats. The classes are the hundred fine ones.
    """
    return _load_images("cifar100", subset, download_if_missing)


@documented
def load_svhn(*, subset: Subset = "all", extra: bool = False, download_if_missing: bool = True) -> "Bunch":
    """SVHN: 73,257 + 26,032 colour images of digits, uint8 of shape (n, 32, 32, 3).

    With `extra` the 531,131 additional, easier digits follow the training images, as in the paper; they add 1.6 GB.
    """
    return _load_images("svhn", subset, download_if_missing, leave_out=() if extra else ("extra",))


@documented
def load_svhn_subset(*, subset: Subset = "all") -> "Bunch":
    """A random sample of SVHN, with new crops: 3,000 + 800 images, uint8 of shape (n, 32, 32, 3).

    It is read from atlases only. The crops differ from those of the original files, so errors on them cannot be
    compared with published ones.
    """
    return _load_images("svhn_subset", subset, download_if_missing=False)


@documented
def load_norb(*, subset: Subset = "all", download_if_missing: bool = True) -> "Bunch":
    """Small NORB: 24,300 + 24,300 stereo pairs of toys, 5 classes, uint8 of shape (n, 2, 96, 96).

    It is read from the original files, compressed or not.
    """
    return _load_images("norb", subset, download_if_missing)


@documented
def load_norb_cluttered(*, subset: Subset = "all", download_if_missing: bool = True) -> "Bunch":
    """NORB with clutter, as in the paper: 58,320 + 58,320 stereo pairs, 6 classes, uint8 of shape (n, 2, 108, 108).

    It is read from the original files, compressed or not: the first two training folds and both test folds, which take
    2.7 GB of memory.
    """
    return _load_images("norb_cluttered", subset, download_if_missing)


def _load_images(name: str, subset: Subset, download_if_missing: bool, leave_out: tuple[str, ...] = ()) -> "Bunch":
    """Read all parts of a subset into one array."""
    spec = IMAGES[name]
    parts = [part for part in parts_of(spec.counts, subset) if part not in leave_out]
    found = {part: _find_or_download(spec, part, download_if_missing) for part in parts}
    n_images = sum(spec.counts[part] for part in parts)
    images = np.empty((n_images, *spec.shape), dtype=np.uint8)
    target = np.empty(n_images, dtype=np.intp)
    start = 0
    for part, (layout, paths) in found.items():
        rows = slice(start, start + spec.counts[part])
        _read_part(spec, part, layout, paths, images[rows], target[rows])
        start = rows.stop
    return _bunch(spec, subset, images, target)


def _find_or_download(spec: ImageSpec, part: str, download_if_missing: bool) -> tuple[str, list[Path]]:
    """A layout and its files for this part; if there is none, the original files are fetched."""
    if found := find_layout(spec, part):
        return found
    layout, files = list(spec.layouts.items())[-1]
    try:
        if spec.url is None:
            raise OSError("it is not available for download")
        if not download_if_missing:
            raise OSError("download_if_missing is False")
        folder = data_folder() / spec.folder
        for name in files[part]:
            if not (folder / name).exists():
                download(spec.url + name, folder / name, spec.checksums[name])
    except OSError as error:
        raise not_found(spec.name, reason(error), tuple(f"{spec.folder}/{name}" for name in files[part])) from error
    return layout, [folder / name for name in files[part]]


def _read_part(
    spec: ImageSpec, part: str, layout: str, paths: list[Path], images: NDArray[np.uint8], target: NDArray[np.intp]
) -> None:
    """Fill images (n, *shape) and target (n,) with one part of a set, batch by batch."""
    start = 0
    for path, batch, labels in READERS[layout](spec, part, paths):
        with reading(path):
            _check_batch(spec, batch, labels, room=len(target) - start)
        stop = start + len(batch)
        images[start:stop], target[start:stop] = batch, labels
        start = stop
    with reading(paths[0].parent if len(paths) > 1 else paths[0]):
        if start < len(target):
            raise ValueError(f"{len(target) - start} of {len(target)} {part} images are missing")


def _check_batch(spec: ImageSpec, batch: NDArray[np.uint8], labels: NDArray[Any], room: int) -> None:
    if batch.shape[1:] != spec.shape or labels.shape != batch.shape[:1] or len(batch) > room:
        raise ValueError(f"{batch.shape} images and {labels.shape} labels do not fit")
    if not ((labels >= 0) & (labels < len(spec.target_names))).all():
        raise ValueError(f"there are other classes than 0 to {len(spec.target_names) - 1}")


def _bunch(spec: ImageSpec, subset: Subset, images: NDArray[np.uint8], target: NDArray[np.intp]) -> "Bunch":
    from sklearn.utils import Bunch

    n_train = len(target) - spec.counts["test"]
    split = {"train": np.arange(n_train), "test": np.arange(n_train, len(target))} if subset == "all" else {}
    return Bunch(
        images=images,
        target=target,
        target_names=np.array(spec.target_names),
        DESCR=describe(spec.title, spec.notes, ", ".join(filter(None, (spec.source, spec.url))), spec.licence),
        **split,
    )
