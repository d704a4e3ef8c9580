"""From stored images to a network's input: scaled to 0 to 1, centred, and randomly mirrored, shifted, cropped, rotated
and scaled.

Everything works on whole batches, on the device of the batch. The random numbers are drawn separately, by a generator
on the CPU: the same seed gives the same views on any device and for any number of processes.
"""

import math
from collections.abc import Iterator
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Preparation(nn.Module):
    """Makes the input of a network from stored images: random views in training, the centre crop in prediction.

    Parameters
    ----------
    image_shape : (channels, height, width)
        Shape of the stored images.
    crop : int or None
        Size of square crops, at random positions in training and at the centre in prediction; None means whole images.
    max_rotation : float
        Each training image is rotated about its centre by a random angle of at most this many degrees.
    max_scaling : float
        Each training image is scaled by a random factor from 1 - max_scaling to 1 + max_scaling.
    flip : bool
        Whether a random half of the training images is mirrored, left to right; in each epoch the other half.
    shift : int
        Each training image is shifted by a random number of at most this many pixels, horizontally and vertically.
        Pixels beyond the edge are those of the image mirrored at its edge.

    Attributes
    ----------
    mean : buffer of shape (channels, height, width)
        Subtracted from every image; zero until `fit_mean` is called.
    output_shape : (channels, height, width)
        Shape of the network's input.

    Examples
    --------
    >>> import torch
    >>> from ldnn.deep import Preparation
    >>> images = torch.randint(256, (10, 3, 32, 32), dtype=torch.uint8)
    >>> preparation = Preparation((3, 32, 32), crop=28, flip=True).fit_mean(images)
    >>> preparation(images).shape
    torch.Size([10, 3, 28, 28])
    """

    mean: Tensor
    stored_as: ClassVar[type]  # in files

    def __init__(
        self,
        image_shape: tuple[int, int, int],
        *,
        crop: int | None = None,
        max_rotation: float = 0.0,
        max_scaling: float = 0.0,
        flip: bool = False,
        shift: int = 0,
    ):
        super().__init__()
        channels, height, width = image_shape
        if crop is not None and not 1 <= crop <= min(height, width):
            raise ValueError(
                f"crop={crop!r} does not fit images of {height}x{width} pixels; use a smaller crop, or None."
            )
        if not 0 <= max_rotation <= 180:
            raise ValueError(f"max_rotation={max_rotation!r} is not allowed: give degrees from 0 to 180.")
        if not 0 <= max_scaling < 1:
            raise ValueError(f"max_scaling={max_scaling!r} is not allowed: give a number from 0 to below 1.")
        if not 0 <= shift < min(height, width):
            raise ValueError(
                f"shift={shift!r} does not fit images of {height}x{width} pixels; give a smaller number of pixels."
            )
        self.image_shape = (channels, height, width)
        self.output_shape = (channels, height, width) if crop is None else (channels, crop, crop)
        self.max_rotation = max_rotation
        self.max_scaling = max_scaling
        self.flip = flip
        self.shift = shift
        self.register_buffer("mean", torch.zeros(image_shape))

    def fit_mean(self, images: Tensor) -> "Preparation":
        """Set `mean` to the mean of these images (n, channels, height, width), pixel by pixel."""
        total = torch.zeros(self.image_shape, dtype=torch.float64)
        for part in images.split(1024):
            total += _unit_range(part.cpu()).sum(0, dtype=torch.float64)
        self.mean.copy_(total / len(images))
        return self

    def stored(self) -> Any:
        """All that a file holds of the preparation."""
        from .stored_networks import StoredPreparation

        return StoredPreparation.of(self)

    def draw(self, count: int, generator: torch.Generator, *, epoch: int = 0, seed: int = 0) -> Tensor:
        """Random views of `count` images, (count, 5).

        Row and column of the crop, angle (radians), scale factor, and whether the image is mirrored. Half of
        the images, chosen by `seed`, are mirrored in even epochs, the others in odd ones: two epochs show each image
        both ways.
        """
        rows, columns = (
            full - side + 1 + 2 * self.shift
            for full, side in zip(self.image_shape[1:], self.output_shape[1:], strict=True)
        )
        uniform = torch.rand(count, 4, generator=generator, dtype=torch.float64)
        mirrored = torch.zeros(count, dtype=torch.float64)
        if self.flip:
            half = torch.rand(count, generator=torch.Generator().manual_seed(seed)) < 0.5
            mirrored = (half ^ bool(epoch % 2)).double()
        return torch.stack(
            [
                (uniform[:, 0] * rows).floor() - self.shift,
                (uniform[:, 1] * columns).floor() - self.shift,
                (2 * uniform[:, 2] - 1) * math.radians(self.max_rotation),
                1 + (2 * uniform[:, 3] - 1) * self.max_scaling,
                mirrored,
            ],
            dim=1,
        ).float()

    def forward(self, images: Tensor, views: Tensor | None = None, *, distort: bool = True) -> Tensor:
        """Stored images (B, channels, height, width) to the network's input ``(B, *output_shape)``, float32.

        views (B, 5) come from `draw`; without them every image is cropped at its centre. distort=False uses everything
        except rotation and scaling.
        """
        if tuple(images.shape[1:]) != self.image_shape:
            raise ValueError(
                f"The images have shape {tuple(images.shape)}; this model takes (n, channels, height, width) = "
                f"(n, {', '.join(map(str, self.image_shape))})."
            )
        x = _unit_range(images) - self.mean
        _, height, width = self.output_shape
        if views is None:
            top, left = (self.image_shape[1] - height) // 2, (self.image_shape[2] - width) // 2
            return x[:, :, top : top + height, left : left + width]
        if distort and (self.max_rotation or self.max_scaling):
            return self._distorted(x, views)
        is_moved = self.flip or self.shift or self.output_shape != self.image_shape
        return self._moved(x, views) if is_moved else x

    def fixed_views(self, images: Tensor) -> Iterator[Tensor]:
        """Views ``(B, *output_shape)`` of images (B, channels, height, width), of which predictions are averaged.

        They are the centre crop, the crops at the four corners, shifts of the centre crop by a pixel towards two
        corners if training images are shifted, and the mirror images of all of these if training images are mirrored.
        """
        centre = self(images)
        _, height, width = self.output_shape
        views = [centre]
        if self.output_shape != self.image_shape:
            x = _unit_range(images) - self.mean
            views += [x[:, :, rows, columns] for rows in _ends(height) for columns in _ends(width)]
        if self.shift:
            padded = F.pad(centre, (1, 1, 1, 1), mode="reflect")
            views += [padded[:, :, :height, :width], padded[:, :, 2:, 2:]]
        for view in views:
            yield view
            if self.flip:
                yield view.flip(3)

    def _moved(self, x: Tensor, views: Tensor) -> Tensor:
        """Crop, shift and mirror, by one gathering of pixels; the result has adjacent channels."""
        _, full_height, full_width = self.image_shape
        _, height, width = self.output_shape
        views = views.to(x.device)
        columns = torch.arange(width, device=x.device).expand(len(x), -1)
        columns = torch.where(views[:, 4:] > 0, width - 1 - columns, columns) + views[:, 1:2].long()
        rows = torch.arange(height, device=x.device) + views[:, :1].long()  # (B, height)
        rows, columns = _reflected(rows, full_height), _reflected(columns, full_width)
        batch = torch.arange(len(x), device=x.device)[:, None, None]
        return x[batch, :, rows[:, :, None], columns[:, None, :]].permute(0, 3, 1, 2)

    def _distorted(self, x: Tensor, views: Tensor) -> Tensor:
        """Rotate and scale about the centre, crop, and mirror, in one interpolation; outside is the mean (zero)."""
        _, full_height, full_width = self.image_shape
        channels, height, width = self.output_shape
        row, column, angle, scale, mirrored = views.to(x.device).unbind(1)
        cosine, sine = torch.cos(angle) / scale, torch.sin(angle) / scale
        # In pixels from the image's centre: source = rotation @ (crop size / 2 * (x, y) + offset), where affine_grid
        # has x and y from -1 to 1 in the crop; grid_sample takes the source in units of half the image's sides.
        x_offset, y_offset = column + (width - full_width) / 2, row + (height - full_height) / 2
        to_source = torch.stack(
            [
                torch.stack([cosine * width / 2, -sine * height / 2, cosine * x_offset - sine * y_offset], dim=1)
                / (full_width / 2),
                torch.stack([sine * width / 2, cosine * height / 2, sine * x_offset + cosine * y_offset], dim=1)
                / (full_height / 2),
            ],
            dim=1,
        )
        to_source = torch.cat([to_source[:, :, :1] * (1 - 2 * mirrored)[:, None, None], to_source[:, :, 1:]], dim=2)
        grid = F.affine_grid(to_source, [len(x), channels, height, width], align_corners=False)
        return F.grid_sample(x, grid, mode="bilinear", padding_mode="zeros", align_corners=False)


def _reflected(positions: Tensor, side: int) -> Tensor:
    """Positions in a row of `side` pixels, mirrored at its ends."""
    return side - 1 - (side - 1 - positions.abs()).abs()


def _ends(size: int) -> tuple[slice, slice]:
    """The first and the last `size` entries."""
    return slice(size), slice(-size, None)


def _unit_range(images: Tensor) -> Tensor:
    """The images as float32 from 0 to 1."""
    return images.float() / 255 if images.dtype == torch.uint8 else images.float()
