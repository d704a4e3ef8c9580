"""Image data sets that are absent, and the real ones where they are present."""

import numpy as np
import pytest

from ldnn import datasets


def test_absent_images(data_folder):
    with pytest.raises(FileNotFoundError, match="svhn_subset is not in .* put images/svhn-subset/labels.npz and"):
        datasets.load_svhn_subset()
    with pytest.raises(FileNotFoundError, match="download_if_missing is False.*images/cifar10/cifar-10-binary.tar.gz"):
        datasets.load_cifar10(download_if_missing=False)
    with pytest.raises(ValueError, match="subset='extra' is not one of"):
        datasets.load_svhn(subset="extra")


@pytest.mark.parametrize(
    ("name", "shape", "mean", "train", "test"),
    [
        (
            *("mnist_images", (28, 28), 0.13066048),
            [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949],
            [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009],
        ),
        ("cifar10", (32, 32, 3), [0.49139968, 0.48215841, 0.44653091], [5000] * 10, [1000] * 10),
        ("cifar100", (32, 32, 3), [0.50707516, 0.48654887, 0.44091784], [500] * 100, [100] * 100),
        (
            *("svhn_subset", (32, 32, 3), [0.4377, 0.4438, 0.4728]),
            [205, 579, 485, 337, 290, 269, 212, 229, 210, 184],
            [52, 151, 119, 91, 80, 93, 65, 60, 52, 37],
        ),
    ],
)
def test_real_images(need, name, shape, mean, train, test):
    """Sizes, classes, and the well-known mean of the training pixels; a sample of SVHN has about that of the whole."""
    need(name.removesuffix("_images"))
    bunch = getattr(datasets, f"load_{name}")()
    assert bunch.images.shape == (len(bunch.target), *shape)
    assert np.bincount(bunch.target[bunch.train]).tolist() == train
    assert np.bincount(bunch.target[bunch.test]).tolist() == test
    sums = bunch.images[bunch.train].sum(axis=0, dtype=np.int64).reshape(-1, np.size(mean))  # over images: fast
    tolerance = 0.01 if name == "svhn_subset" else 1e-7
    np.testing.assert_allclose(sums.mean(axis=0) / sum(train) / 255, np.atleast_1d(mean), atol=tolerance)
