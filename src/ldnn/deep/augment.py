"""From stored images to what a network sees: scaled, without the mean image, and seen from varying positions.

All of it works on whole batches, on the device of the batch. The random numbers are drawn apart from their use, by a
generator of the processor: the same seed gives the same views on any device and for any number of processes.
"""

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Preparation(nn.Module):
    """Makes the input of a network from stored images: in training random views, at test the centre crop.

    Parameters
    ----------
    image_shape : (channels, height, width)
        Of the stored images.
    crop : int or None
        Training sees crop x crop pixels at random positions, testing those in the middle; None means whole images.
    max_rotation : float
        Degrees: each training image is turned about its centre by a random angle of at most this.
    max_scaling : float
        Each training image is magnified by a random factor from 1 - max_scaling to 1 + max_scaling.

    Attributes
    ----------
    mean : buffer of shape (channels, height, width)
        What is subtracted from every image; zero until `fit_mean`.
    output_shape : (channels, height, width)
        Of what the network sees.
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
            raise ValueError(f"max_scaling={max_scaling!r} is not allowed: give a part of the size, 0 to below 1.")
        self.image_shape = (channels, height, width)
        self.output_shape = (channels, height, width) if crop is None else (channels, crop, crop)
        self.max_rotation = max_rotation
        self.max_scaling = max_scaling
        self.register_buffer("mean", torch.zeros(image_shape))

    def fit_mean(self, images: Tensor) -> "Preparation":
        """Subtract the mean of these images (n, channels, height, width) from now on, pixel by pixel."""
        total = torch.zeros(self.image_shape, dtype=torch.float64)
        for part in images.split(1024):
            total += _unit_range(part.cpu()).sum(0, dtype=torch.float64)
        self.mean.copy_(total / len(images))
        return self

    def to_state(self) -> dict[str, Any]:
        """What this is made of, with arrays for tensors."""
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
        """The preparation that gave this state, on the processor."""
        mean = state.pop("mean")
        preparation = cls(**state)
        preparation.load_state_dict({"mean": torch.from_numpy(mean)})
        return preparation

    def draw(self, count: int, generator: torch.Generator) -> Tensor:
        """The random views of `count` images, (count, 4): crop row and column, angle (radians), magnification."""
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

        views (B, 4) come from `draw`; without them every image is cropped in the middle. distort=False uses their
        positions only, neither turned nor scaled.
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
        """Turn and scale about the image's centre, and crop, in one interpolation; outside is the mean image (zero)."""
        _, full_height, full_width = self.image_shape
        channels, height, width = self.output_shape
        row, column, angle, magnification = views.to(x.device).unbind(1)
        cosine, sine = torch.cos(angle) / magnification, torch.sin(angle) / magnification
        # In pixels from the image's centre: source = rotation @ (half the crop * (x, y) + offset), with x and y from
        # -1 to 1 in the crop, as affine_grid counts; and grid_sample counts the image's pixels in halves of its sides.
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
    """Float32 from 0 to 1."""
    return images.float() / 255 if images.dtype == torch.uint8 else images.float()
