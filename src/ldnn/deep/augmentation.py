"""From stored images to a network's input: scaled to 0 to 1, centred, and randomly cropped, rotated and scaled.

Everything works on whole batches, on the device of the batch. The random numbers are drawn separately, by a generator
on the CPU: the same seed gives the same views on any device and for any number of processes.
"""

import math
from typing import Any

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

    Attributes
    ----------
    mean : buffer of shape (channels, height, width)
        Subtracted from every image; zero until `fit_mean` is called.
    output_shape : (channels, height, width)
        Shape of the network's input.
    """

    mean: Tensor

    def __init__(
        self,
        image_shape: tuple[int, int, int],
        *,
        crop: int | None = None,
        max_rotation: float = 0.0,
        max_scaling: float = 0.0,
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
        self.image_shape = (channels, height, width)
        self.output_shape = (channels, height, width) if crop is None else (channels, crop, crop)
        self.max_rotation = max_rotation
        self.max_scaling = max_scaling
        self.register_buffer("mean", torch.zeros(image_shape))

    def fit_mean(self, images: Tensor) -> "Preparation":
        """Set `mean` to the mean of these images (n, channels, height, width), pixel by pixel."""
        total = torch.zeros(self.image_shape, dtype=torch.float64)
        for part in images.split(1024):
            total += _unit_range(part.cpu()).sum(0, dtype=torch.float64)
        self.mean.copy_(total / len(images))
        return self

    def to_state(self) -> dict[str, Any]:
        """All that defines the preparation, with arrays in place of tensors."""
        is_cropped = self.output_shape != self.image_shape
        return {
            "image_shape": self.image_shape,
            "crop": self.output_shape[1] if is_cropped else None,
            "max_rotation": self.max_rotation,
            "max_scaling": self.max_scaling,
            "mean": self.mean.cpu().numpy(),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> "Preparation":
        """The preparation with this state, on the CPU."""
        mean = state.pop("mean")
        preparation = cls(**state)
        preparation.load_state_dict({"mean": torch.from_numpy(mean)})
        return preparation

    def draw(self, count: int, generator: torch.Generator) -> Tensor:
        """Random views of `count` images, (count, 4): row and column of the crop, angle (radians), scale factor."""
        _, height, width = self.image_shape
        rows, columns = height - self.output_shape[1] + 1, width - self.output_shape[2] + 1
        uniform = torch.rand(count, 4, generator=generator, dtype=torch.float64)
        return torch.stack(
            [
                (uniform[:, 0] * rows).floor(),
                (uniform[:, 1] * columns).floor(),
                (2 * uniform[:, 2] - 1) * math.radians(self.max_rotation),
                1 + (2 * uniform[:, 3] - 1) * self.max_scaling,
            ],
            dim=1,
        ).float()

    def forward(self, images: Tensor, views: Tensor | None = None, *, distort: bool = True) -> Tensor:
        """Stored images (B, channels, height, width) to the network's input (B, *output_shape), float32.

        views (B, 4) come from `draw`; without them every image is cropped at its centre. distort=False uses only the
        positions of the crops, without rotation and scaling.
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
        return self._cropped(x, views) if self.output_shape != self.image_shape else x

    def _cropped(self, x: Tensor, views: Tensor) -> Tensor:
        _, height, width = self.output_shape
        corners = views[:, :2].long().to(x.device)
        rows = corners[:, 0, None] + torch.arange(height, device=x.device)  # (B, height)
        columns = corners[:, 1, None] + torch.arange(width, device=x.device)
        batch = torch.arange(len(x), device=x.device)[:, None, None]
        return x[batch, :, rows[:, :, None], columns[:, None, :]].permute(0, 3, 1, 2)

    def _distorted(self, x: Tensor, views: Tensor) -> Tensor:
        """Rotate and scale about the centre, and crop, in one interpolation; outside is the mean image (zero)."""
        _, full_height, full_width = self.image_shape
        channels, height, width = self.output_shape
        row, column, angle, scale = views.to(x.device).unbind(1)
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
        grid = F.affine_grid(to_source, [len(x), channels, height, width], align_corners=False)
        return F.grid_sample(x, grid, mode="bilinear", padding_mode="zeros", align_corners=False)


def _unit_range(images: Tensor) -> Tensor:
    """The images as float32 from 0 to 1."""
    return images.float() / 255 if images.dtype == torch.uint8 else images.float()
