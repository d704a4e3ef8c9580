"""Arrays and folders of images to the tensors that networks are trained on.

A set of images is stored as one tensor (n, channels, height, width): uint8 from 0 to 255, or float32 from 0 to 1.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch import Tensor
from torch.nn import functional as F

_MAX_CHANNELS = 4
_GREY = (0.2989, 0.5870, 0.1140)  # the luminance of red, green and blue (ITU-R BT.601)


def as_images(images: Any, *, name: str = "images") -> Tensor:
    """Check an array of images, and convert it to a tensor (n, channels, height, width).

    Parameters
    ----------
    images : array of shape (n, height, width) or (n, height, width, channels)
        Grey or colour images: uint8 from 0 to 255, or floats from 0 to 1.
    name : str, default="images"
        Of the array, for messages.

    Returns
    -------
    Tensor of shape (n, channels, height, width)
        With the same numbers: uint8, or float32.

    Examples
    --------
    >>> import numpy as np
    >>> from ldnn.deep import as_images
    >>> as_images(np.zeros((5, 28, 28), dtype=np.uint8)).shape
    torch.Size([5, 1, 28, 28])
    """
    array = np.asarray(images)
    if array.ndim == 4 and array.shape[3] > _MAX_CHANNELS >= array.shape[1] > 0:
        raise ValueError(
            f"{name} has shape {array.shape}, with the channels before the pixels; channels come last here: "
            f"use {name}.transpose(0, 2, 3, 1)."
        )
    if array.ndim not in (3, 4) or (array.ndim == 4 and not 1 <= array.shape[3] <= _MAX_CHANNELS):
        raise ValueError(
            f"{name} has shape {array.shape}; give (n, height, width) for grey images, or "
            f"(n, height, width, channels) with 1 to {_MAX_CHANNELS} channels."
        )
    if 0 in array.shape:
        raise ValueError(f"{name} has shape {array.shape}, so it has no pixels; give at least one image.")
    if array.dtype.kind == "f":
        check_range(array, name)
        array = array.astype(np.float32, copy=False)
    elif array.dtype != np.uint8:
        raise ValueError(f"{name} has dtype {array.dtype}; give uint8 from 0 to 255, or floats from 0 to 1.")
    if array.ndim == 3:
        array = array[..., None]
    return torch.from_numpy(array.transpose(0, 3, 1, 2).copy())  # the caller's array may be read-only


def check_range(array: np.ndarray | Tensor, name: str) -> None:
    """Raise a ValueError unless all floats are from 0 to 1."""
    low, high = float(array.min()), float(array.max())
    if not np.isfinite(low) or not np.isfinite(high):
        raise ValueError(f"{name} contains NaN or infinity; give floats from 0 to 1.")
    if low < 0 or high > 1:
        hint = ": divide by 255, or give uint8" if low >= 0 and 1 < high <= 255 else ""
        raise ValueError(f"{name} holds floats from {low:g} to {high:g}; give floats from 0 to 1{hint}.")


def read_images(files: Sequence[Path], image_size: tuple[int, int] | None = None, *, grey: bool) -> np.ndarray:
    """Read image files of one size, or rescale them to image_size (height, width): uint8 (n, height, width[, 3])."""
    arrays = []
    for file in files:
        picture = _read(file).convert("L" if grey else "RGB")
        if image_size is not None and picture.size != image_size[::-1]:
            picture = picture.resize(image_size[::-1], Image.Resampling.BILINEAR)
        arrays.append(np.asarray(picture))
    return np.stack(arrays)


def survey(files: Sequence[Path]) -> tuple[set[tuple[int, int]], bool]:
    """The sizes (height, width) of the images, and whether all of them are grey, from the headers of the files."""
    sizes, is_grey = set(), True
    for file in files:
        picture = _read(file, header_only=True)
        sizes.add(picture.size[::-1])
        is_grey = is_grey and picture.mode in ("1", "L", "LA", "I;16", "I", "F")
    return sizes, is_grey


def image_files(folder: str | Path) -> list[Path]:
    """The image files in a folder and its sub-folders, sorted by name."""
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder; give one with a sub-folder of images for each class.")
    known = Image.registered_extensions()
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in known and path.is_file())
    if not files:
        raise ValueError(f"There are no images in the folder {folder}; give one with a sub-folder for each class.")
    return files


def folder_labels(folder: str | Path, files: Sequence[Path]) -> np.ndarray:
    """The names of the files' sub-folders, (n,)."""
    folder = Path(folder)
    for file in files:
        if file.parent == folder:
            raise ValueError(
                f"{file} is not in a sub-folder; put the images of each class into a sub-folder of {folder} "
                f"that is named after the class."
            )
    return np.array([file.relative_to(folder).parts[0] for file in files])


def _read(file: Path, *, header_only: bool = False) -> Image.Image:
    try:
        with Image.open(file) as picture:
            if not header_only:
                picture.load()
            return picture
    except (OSError, SyntaxError, ValueError) as error:
        raise ValueError(f"{file} cannot be read as an image ({error}); replace or remove the file.") from error


def to_grey(images: Tensor) -> Tensor:
    """Convert colour images to their luminance.

    Parameters
    ----------
    images : Tensor of shape (n, 3, height, width)
        Red, green and blue.

    Returns
    -------
    Tensor of shape (n, 1, height, width)
        Of the same dtype.

    Examples
    --------
    >>> import torch
    >>> from ldnn.deep import to_grey
    >>> to_grey(torch.zeros(2, 3, 32, 32)).shape
    torch.Size([2, 1, 32, 32])
    """
    if images.dim() != 4 or images.shape[1] != 3:
        raise ValueError(f"The images have shape {tuple(images.shape)}; only (n, 3, height, width) can become grey.")
    weights = torch.tensor(_GREY, device=images.device) / sum(_GREY)
    return _in_parts(images, lambda part: (part * weights.view(3, 1, 1)).sum(1, keepdim=True))


def rescale(images: Tensor, image_size: tuple[int, int]) -> Tensor:
    """Rescale images, antialiased.

    Parameters
    ----------
    images : Tensor of shape (n, channels, height, width)
        Images of any size.
    image_size : (height, width)
        The new size.

    Returns
    -------
    Tensor of shape (n, channels, height, width)
        Of the new size and of the same dtype.

    Examples
    --------
    >>> import torch
    >>> from ldnn.deep import rescale
    >>> rescale(torch.zeros(2, 3, 32, 32), (16, 16)).shape
    torch.Size([2, 3, 16, 16])
    """
    return _in_parts(images, lambda part: F.interpolate(part, image_size, mode="bilinear", antialias=True))


def _in_parts(images: Tensor, function: Any, size: int = 1024) -> Tensor:
    """Apply a function of floats to `size` images at a time, so that a large set needs no second copy in float."""
    parts = []
    for part in images.split(size):
        result = function(part.float())
        parts.append(result.round_().clamp_(0, 255).to(torch.uint8) if images.dtype == torch.uint8 else result)
    return torch.cat(parts)
