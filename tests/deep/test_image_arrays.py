"""Arrays and folders of images, right and wrong."""

import numpy as np
import pytest
import torch
from PIL import Image

from ldnn.deep import as_images, rescale, to_grey
from ldnn.deep.image_arrays import folder_labels, image_files, read_images, survey


def test_arrays(random):
    grey = random.integers(256, size=(5, 6, 7), dtype=np.uint8)
    assert as_images(grey).shape == (5, 1, 6, 7)
    colour = random.random((5, 6, 7, 3))
    tensor = as_images(colour)
    assert tensor.dtype == torch.float32
    np.testing.assert_allclose(tensor[2, 1].numpy(), colour[2, :, :, 1], rtol=1e-6)
    grey.flags.writeable = False
    as_images(grey)[0] = 0  # a copy
    assert as_images(torch.from_numpy(colour)).shape == (5, 3, 6, 7)


@pytest.mark.parametrize(
    ("images", "message"),
    [
        (np.zeros((2, 3, 32, 32), np.uint8), r"channels come last here: use images\.transpose\(0, 2, 3, 1\)"),
        (np.zeros((32, 32), np.uint8), r"shape \(32, 32\); give \(n, height, width\)"),
        (np.zeros((2, 8, 8, 9), np.uint8), r"with 1 to 4 channels"),
        (np.zeros((0, 8, 8), np.uint8), "at least one image"),
        (np.zeros((2, 8, 8), np.int64), "dtype int64; give uint8 from 0 to 255, or floats"),
        (np.full((2, 8, 8), "a"), "dtype <U1; give uint8"),
        (np.full((2, 8, 8), 255.0), r"floats from 255 to 255; give floats from 0 to 1: divide by 255"),
        (np.full((2, 8, 8), -0.5), r"floats from -0.5 to -0.5; give floats from 0 to 1\."),
        (np.full((2, 8, 8), np.nan), "NaN or infinity"),
    ],
)
def test_bad_arrays(images, message):
    with pytest.raises(ValueError, match=message):
        as_images(images)


def test_grey():
    colours = torch.tensor([[255, 255, 255], [255, 0, 0], [0, 0, 0]], dtype=torch.uint8).view(3, 3, 1, 1)
    grey = to_grey(colours)
    assert grey.dtype == torch.uint8
    assert grey.flatten().tolist() == [255, 76, 0]
    torch.testing.assert_close(to_grey(colours / 255).flatten(), torch.tensor([1.0, 0.2989, 0.0]), atol=1e-3, rtol=0)
    with pytest.raises(ValueError, match="only .* can become grey"):
        to_grey(colours[:, :2])


def test_rescale(random):
    images = as_images(random.integers(256, size=(3, 96, 96), dtype=np.uint8))
    small = rescale(images, (48, 48))
    assert small.shape == (3, 1, 48, 48) and small.dtype == torch.uint8
    assert float(small.float().mean()) == pytest.approx(float(images.float().mean()), abs=2)
    flat = torch.full((1, 2, 9, 9), 0.25)
    torch.testing.assert_close(rescale(flat, (5, 4)), torch.full((1, 2, 5, 4), 0.25))


@pytest.fixture
def folder(tmp_path):
    for name, value in (("cat", 10), ("dog", 200)):
        (tmp_path / name).mkdir()
        for number in range(2):
            Image.new("L", (7, 5), value + number).save(tmp_path / name / f"{number}.png")
    (tmp_path / "cat" / "notes.txt").write_text("no image")
    return tmp_path


def test_folder(folder):
    files = image_files(folder)
    assert survey(files) == ({(5, 7)}, True)
    assert folder_labels(folder, files).tolist() == ["cat", "cat", "dog", "dog"]
    images = read_images(files, grey=True)
    assert images.shape == (4, 5, 7) and images[:, 0, 0].tolist() == [10, 11, 200, 201]
    assert read_images(files, (8, 8), grey=False).shape == (4, 8, 8, 3)
    Image.new("RGB", (4, 4)).save(folder / "dog" / "colour.jpg")
    assert survey(image_files(folder)) == ({(5, 7), (4, 4)}, False)


def test_bad_folders(folder, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="There are no images in the folder"):
        image_files(tmp_path / "empty")
    with pytest.raises(ValueError, match="is not a folder"):
        image_files(tmp_path / "nowhere")
    Image.new("L", (7, 5)).save(folder / "loose.png")
    with pytest.raises(ValueError, match=r"loose\.png is not in a sub-folder"):
        folder_labels(folder, image_files(folder))


@pytest.mark.parametrize("keep", [3, 60])
def test_truncated_images(folder, keep, random):
    file = folder / "cat" / "cut.png"
    Image.fromarray(random.integers(256, size=(5, 7), dtype=np.uint8)).save(file)
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(ValueError, match=r"cut\.png cannot be read as an image .*; replace or remove the file"):
        read_images(image_files(folder), grey=True)
