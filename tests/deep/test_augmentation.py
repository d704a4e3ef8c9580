"""Random views of whole batches, against images that are cropped, rotated and scaled one by one."""

import math

import numpy as np
import pytest
import torch
from scipy import ndimage

from ldnn.deep import Preparation


@pytest.fixture
def images(generator):
    return torch.randint(256, (20, 3, 12, 16), dtype=torch.uint8, generator=generator)


def test_scaling_mean_and_centre_crop(images):
    plain = Preparation((3, 12, 16))
    torch.testing.assert_close(plain(images), images / 255)
    torch.testing.assert_close(plain(images.float() / 255), images / 255)
    centred = Preparation((3, 12, 16), crop=8).fit_mean(images)
    x = centred(images)
    assert x.shape == (20, 3, 8, 8) and centred.output_shape == (3, 8, 8)
    torch.testing.assert_close(x.mean(0), torch.zeros(3, 8, 8), atol=1e-6, rtol=0)
    torch.testing.assert_close(x + centred.mean[:, 2:10, 4:12], images[:, :, 2:10, 4:12] / 255)


def test_random_crops(images, generator):
    preparation = Preparation((3, 12, 16), crop=8)
    views = preparation.draw(20, generator)
    x = preparation(images, views)
    for image, (row, column, angle, scale, mirrored), crop in zip(images, views, x, strict=True):
        assert (angle, scale, mirrored) == (0, 1, 0)
        top, left = int(row), int(column)
        torch.testing.assert_close(crop, image[:, top : top + 8, left : left + 8] / 255)
    many = preparation.draw(5000, generator)
    assert sorted(set(many[:, 0].tolist())) == list(range(5))
    assert sorted(set(many[:, 1].tolist())) == list(range(9))


def test_ranges_of_views(generator):
    views = Preparation((1, 28, 28), max_rotation=15, max_scaling=0.15).draw(5000, generator)
    angles, scales = views[:, 2], views[:, 3]
    assert math.radians(14.9) < angles.max() <= math.radians(15) and angles.min() < -math.radians(14.9)
    assert 1.149 < scales.max() <= 1.15 and 0.85 <= scales.min() < 0.851


def test_views_are_repeatable(images):
    preparation = Preparation((3, 12, 16), crop=8, max_rotation=15, max_scaling=0.15)
    first, second = (preparation.draw(20, torch.Generator().manual_seed(3)) for _ in range(2))
    torch.testing.assert_close(preparation(images, first), preparation(images, second), rtol=0, atol=0)


@pytest.mark.parametrize("crop", [None, 9])
def test_distortion_is_that_of_scipy(crop, random):
    """Rotated and scaled about the centre, then cropped; smooth images, so that interpolation does not matter."""
    image = ndimage.gaussian_filter(random.random((21, 25)), 2)
    preparation = Preparation((1, 21, 25), crop=crop, max_rotation=90, max_scaling=0.5)
    row, column, angle, scale = (3, 5, 0.3, 1.2) if crop else (0, 0, 0.3, 1.2)
    stored = torch.from_numpy(image).float()[None, None]
    x, mirror_image = preparation(
        stored.expand(2, -1, -1, -1), torch.tensor([[row, column, angle, scale, mirrored] for mirrored in (0, 1)])
    ).numpy()[:, 0]
    np.testing.assert_allclose(mirror_image, x[:, ::-1], atol=1e-6)
    to_source = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]) / scale
    centre = np.array([10, 12])
    expected = ndimage.affine_transform(image, to_source, centre - to_source @ centre, order=1)
    expected = expected[row : row + x.shape[0], column : column + x.shape[1]]
    inside = ndimage.affine_transform(np.ones_like(image), to_source, centre - to_source @ centre, order=0)
    inside = ndimage.binary_erosion(inside[row : row + x.shape[0], column : column + x.shape[1]] > 0)
    np.testing.assert_allclose(x[inside], expected[inside], atol=1e-5)


def test_distortion_can_be_turned_off(images, generator):
    preparation = Preparation((3, 12, 16), crop=8, max_rotation=15, max_scaling=0.15)
    views = preparation.draw(20, generator)
    plain = Preparation((3, 12, 16), crop=8)(images, views)
    torch.testing.assert_close(preparation(images, views, distort=False), plain)
    assert not torch.allclose(preparation(images, views), plain)
    views[:, 2:] = torch.tensor([0.0, 1.0, 0.0])
    torch.testing.assert_close(preparation(images, views), plain, atol=1e-5, rtol=0)


@pytest.mark.parametrize("crop", [None, 8])
def test_shifts_and_mirror_images_are_those_of_numpy(images, generator, crop):
    preparation = Preparation((3, 12, 16), crop=crop, flip=True, shift=2)
    views = preparation.draw(20, generator)
    height, width = preparation.output_shape[1:]
    for image, view, x in zip(images.numpy(), views, preparation(images, views).numpy(), strict=True):
        padded = np.pad(image, ((0, 0), (2, 2), (2, 2)), mode="reflect") / 255
        top, left = int(view[0]) + 2, int(view[1]) + 2
        expected = padded[:, top : top + height, left : left + width]
        np.testing.assert_allclose(x, expected[:, :, ::-1] if view[4] else expected, atol=1e-6)
    rows = set(preparation.draw(1000, generator)[:, 0].tolist())
    assert rows == set(range(-2, 12 - height + 3))


def test_two_epochs_show_each_image_both_ways(generator):
    preparation = Preparation((3, 12, 16), flip=True)
    even, odd, again = (preparation.draw(1000, generator, epoch=epoch, seed=7)[:, 4] for epoch in range(3))
    assert torch.equal(even, again) and torch.equal(even, 1 - odd)
    assert 400 < even.sum() < 600
    assert not torch.equal(even, preparation.draw(1000, generator, seed=8)[:, 4])


@pytest.mark.parametrize(
    ("options", "count"), [({}, 1), ({"flip": True}, 2), ({"shift": 2}, 3), ({"flip": True, "shift": 1}, 6)]
)
def test_fixed_views_of_whole_images(images, options, count):
    preparation = Preparation((3, 12, 16), **options)
    views = list(preparation.fixed_views(images))
    assert len(views) == count
    torch.testing.assert_close(views[0], preparation(images))
    if options.get("flip"):
        torch.testing.assert_close(views[1], views[0].flip(3))
    if options.get("shift"):
        shifted = views[-1].flip(3) if options.get("flip") else views[-1]
        torch.testing.assert_close(shifted[:, :, :-1, :-1], views[0][:, :, 1:, 1:])


@pytest.mark.parametrize(("options", "count"), [({}, 5), ({"flip": True}, 10), ({"shift": 1}, 7)])
def test_fixed_views_of_crops(images, options, count):
    preparation = Preparation((3, 12, 16), crop=8, **options).fit_mean(images)
    views = list(preparation.fixed_views(images))
    assert len(views) == count and all(view.shape == (20, 3, 8, 8) for view in views)
    x = images / 255 - preparation.mean
    crops = [x[:, :, row : row + 8, column : column + 8] for row, column in [(2, 4), (0, 0), (0, 8), (4, 0), (4, 8)]]
    step = 2 if options.get("flip") else 1
    for view, crop in zip(views[::step], crops, strict=False):
        torch.testing.assert_close(view, crop)
    if options.get("flip"):
        torch.testing.assert_close(views[9], crops[4].flip(3))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"crop": 13}, "crop=13 does not fit images of 12x16"),
        ({"crop": 0}, "crop=0 does not fit"),
        ({"max_rotation": -1}, "degrees from 0 to 180"),
        ({"max_scaling": 1}, "max_scaling=1 is not allowed"),
        ({"shift": 12}, "shift=12 does not fit images of 12x16"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        Preparation((3, 12, 16), **options)


def test_bad_images(images):
    with pytest.raises(ValueError, match=r"this model takes .* = \(n, 3, 12, 16\)"):
        Preparation((3, 12, 16))(images[:, :1])
