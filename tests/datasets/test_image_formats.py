"""Image data sets from tiny files in exactly the formats of the originals."""

import gzip
import io
import pickle
import struct
import sys
import tarfile

import numpy as np
import pytest
import scipy.io

from ldnn import datasets


def some(random, *shape):
    return random.integers(0, 256, shape, dtype=np.uint8)


def check(bunch, images, labels, n_train):
    assert bunch.images.dtype == np.uint8 and bunch.images.flags.c_contiguous
    np.testing.assert_array_equal(bunch.images, images)
    np.testing.assert_array_equal(bunch.target, labels)
    assert bunch.train.tolist() == list(range(n_train))
    assert bunch.test.tolist() == list(range(n_train, len(labels)))
    assert "Licence" in bunch.DESCR


def check_damage(load, path):
    """A damaged file raises an error that names it; once it is repaired, the set can be loaded again."""
    whole = path.read_bytes()
    for content in (whole[: len(whole) * 2 // 3], whole[:6], b"", b"<html>Not found</html>" * 20):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"is damaged or not the expected file \(.*\): replace or remove it"):
            load()
    path.write_bytes(whole)
    load()


def write_idx(path, array):
    header = struct.pack(f">{1 + array.ndim}i", 0x800 + array.ndim, *array.shape)
    path.write_bytes(gzip.compress(header + array.tobytes()))


def test_mnist(shrink, random):
    folder = shrink("mnist", train=5, test=2)
    images, labels = some(random, 7, 28, 28), np.array([0, 9, 3, 3, 1, 2, 0], dtype=np.uint8)
    for stem, rows in (("train", slice(0, 5)), ("t10k", slice(5, 7))):
        write_idx(folder / f"{stem}-images-idx3-ubyte.gz", images[rows])
        write_idx(folder / f"{stem}-labels-idx1-ubyte.gz", labels[rows])
    check(datasets.load_mnist_images(), images, labels, 5)
    test = datasets.load_mnist_images(subset="test")
    np.testing.assert_array_equal(test.images, images[5:])
    assert "train" not in test
    rows = datasets.load_mnist()
    assert rows.data.dtype == np.float32 and rows.data.flags.c_contiguous
    np.testing.assert_array_equal(rows.data, images.reshape(7, 784))
    assert rows.test.tolist() == [5, 6]
    assert datasets.load_mnist(subset="train", return_X_y=True)[0].shape == (5, 784)
    check_damage(datasets.load_mnist_images, folder / "train-images-idx3-ubyte.gz")
    check_damage(datasets.load_mnist_images, folder / "t10k-labels-idx1-ubyte.gz")
    (folder / "t10k-labels-idx1-ubyte.gz").write_bytes((folder / "t10k-images-idx3-ubyte.gz").read_bytes())
    with pytest.raises(ValueError, match="t10k-labels-idx1-ubyte.gz is damaged .*its magic number is 2051"):
        datasets.load_mnist_images()
    write_idx(folder / "t10k-labels-idx1-ubyte.gz", labels[5:])
    write_idx(folder / "train-labels-idx1-ubyte.gz", labels[:4])
    with pytest.raises(ValueError, match=r"\(5, 28, 28\) images and \(4,\) labels do not fit"):
        datasets.load_mnist_images()
    write_idx(folder / "train-labels-idx1-ubyte.gz", labels[:5] + 5)
    with pytest.raises(ValueError, match="other classes than 0 to 9"):
        datasets.load_mnist_images()


def cifar_rows(images, *labels):
    return np.column_stack([*labels, images.transpose(0, 3, 1, 2).reshape(len(images), -1)]).astype(np.uint8).tobytes()


def cifar10_files(images, labels):
    """Two images in each of the six batches."""
    names = [*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]
    return {name: (images[2 * i : 2 * i + 2], labels[2 * i : 2 * i + 2]) for i, name in enumerate(names)}


@pytest.mark.parametrize("form", ["binary", "python", "archive"])
def test_cifar10(shrink, random, form):
    folder = shrink("cifar10", train=10, test=2)
    images, labels = some(random, 12, 32, 32, 3), random.integers(0, 10, 12)
    batches = cifar10_files(images, labels)
    if form == "archive":
        damaged = folder / "cifar-10-binary.tar.gz"
        with tarfile.open(damaged, "w:gz") as archive:
            archive.addfile(tarfile.TarInfo("cifar-10-batches-bin"), None)
            for name in reversed(batches):
                content = cifar_rows(batches[name][0], batches[name][1])
                member = tarfile.TarInfo(f"cifar-10-batches-bin/{name}.bin")
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    elif form == "binary":
        (folder / "cifar-10-batches-bin").mkdir()
        for name, (some_images, some_labels) in batches.items():
            (folder / "cifar-10-batches-bin" / f"{name}.bin").write_bytes(cifar_rows(some_images, some_labels))
        damaged = folder / "cifar-10-batches-bin" / "data_batch_3.bin"
    else:
        (folder / "cifar-10-batches-py").mkdir()
        for name, (some_images, some_labels) in batches.items():
            data = np.ascontiguousarray(some_images.transpose(0, 3, 1, 2)).reshape(2, -1)
            content = pickle.dumps({b"batch_label": b"", b"labels": some_labels.tolist(), b"data": data}, protocol=3)
            # The originals were written when NumPy's modules had other names.
            content = content.replace(b"numpy._core", b"numpy.core")
            (folder / "cifar-10-batches-py" / name).write_bytes(content)
        damaged = folder / "cifar-10-batches-py" / "data_batch_3"
    check(datasets.load_cifar10(), images, labels, 10)
    np.testing.assert_array_equal(datasets.load_cifar10(subset="test").images, images[10:])
    check_damage(datasets.load_cifar10, damaged)


def test_pickles_cannot_run_code(shrink, random):
    folder = shrink("cifar10", train=10, test=2) / "cifar-10-batches-py"
    folder.mkdir()
    for name in cifar10_files(some(random, 12, 32, 32, 3), np.zeros(12)):
        (folder / name).write_bytes(pickle.dumps({b"data": print, b"labels": []}))
    with pytest.raises(ValueError, match="data_batch_1 is damaged .*it contains builtins.print"):
        datasets.load_cifar10()


def write_atlas(path, images):
    """Tiles side by side, three in each row."""
    from PIL import Image

    tiles = images.reshape(-1, 3, 32, 32, 3).transpose(0, 2, 1, 3, 4)
    Image.fromarray(tiles.reshape(-1, 96, 3)).save(path, lossless=True)


def write_atlases(folder, files, images, labels):
    """Six images in each file, and the labels of all of them."""
    for i, file in enumerate(files):
        write_atlas(folder / file, images[6 * i : 6 * i + 6])
    np.savez(folder / "labels.npz", y_train=labels[:-6], y_test=labels[-6:])


ATLASES = [("cifar10", 5, 10), ("cifar100", 5, 100), ("svhn_subset", 1, 10)]  # files for training, classes


@pytest.mark.parametrize(("name", "n_train", "n_classes"), ATLASES)
def test_atlases(shrink, random, name, n_train, n_classes, monkeypatch):
    pytest.importorskip("PIL")
    files = [*(f"train_{i}.webp" for i in range(1, 6)), "test.webp"] if n_train == 5 else ["train.webp", "test.webp"]
    folder = shrink(name, train=6 * n_train, test=6)
    images, labels = some(random, 6 * len(files), 32, 32, 3), random.permutation(n_classes * 6)[: 6 * len(files)] // 6
    write_atlases(folder, files, images, labels)
    load = getattr(datasets, f"load_{name}")
    check(load(), images, labels, len(labels) - 6)
    check_damage(load, folder / files[0])
    check_damage(load, folder / "labels.npz")
    write_atlas(folder / "test.webp", images[:3])
    with pytest.raises(ValueError, match="3 of 6 test images are missing"):
        load()
    write_atlas(folder / "test.webp", images[:6])
    np.savez(folder / "labels.npz", y_train=labels[:-6], y_test=labels[-5:])
    with pytest.raises(ValueError, match=r"test\.webp is damaged .*\(6, .*\) images and \(5,\) labels do not fit"):
        load()
    np.savez(folder / "labels.npz", y_train=labels[:-6], y_test=labels[-6:] * 0 + n_classes)
    with pytest.raises(ValueError, match=f"other classes than 0 to {n_classes - 1}"):
        load()
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match="needs Pillow"):
        load()


def test_atlases_are_read_before_original_files(shrink, random):
    pytest.importorskip("PIL")
    folder = shrink("cifar100", train=30, test=6)
    images, labels = some(random, 36, 32, 32, 3), random.integers(0, 100, 36)
    (folder / "cifar-100-binary").mkdir()
    for part, rows in (("train", slice(0, 30)), ("test", slice(30, 36))):
        content = cifar_rows(images[rows], labels[rows], labels[rows])
        (folder / "cifar-100-binary" / f"{part}.bin").write_bytes(content)
    check(datasets.load_cifar100(), images, labels, 30)
    others = some(random, 36, 32, 32, 3)
    write_atlases(folder, [*(f"train_{i}.webp" for i in range(1, 6)), "test.webp"], others, labels[::-1])
    check(datasets.load_cifar100(), others, labels[::-1], 30)


def test_cifar100(shrink, random):
    folder = shrink("cifar100", train=4, test=2) / "cifar-100-binary"
    folder.mkdir()
    images, fine = some(random, 6, 32, 32, 3), np.array([0, 99, 5, 98, 3, 50])
    (folder / "train.bin").write_bytes(cifar_rows(images[:4], np.arange(4), fine[:4]))
    (folder / "test.bin").write_bytes(cifar_rows(images[4:], np.arange(2), fine[4:]))
    bunch = datasets.load_cifar100()
    check(bunch, images, fine, 4)
    assert bunch.target_names[bunch.target[1]] == "worm"
    check_damage(datasets.load_cifar100, folder / "test.bin")


@pytest.mark.parametrize("compress", [False, True])
def test_svhn(shrink, random, compress):
    folder = shrink("svhn", train=3, extra=2, test=1)
    images, labels = some(random, 6, 32, 32, 3), np.array([10, 1, 9, 10, 2, 3], dtype=np.uint8)
    for part, rows in (("train", slice(0, 3)), ("extra", slice(3, 5)), ("test", slice(5, 6))):
        content = {"X": images[rows].transpose(1, 2, 3, 0), "y": labels[rows, None]}
        scipy.io.savemat(folder / f"{part}_32x32.mat", content, do_compression=compress)
    check(datasets.load_svhn(extra=True), images, labels % 10, 5)
    check(datasets.load_svhn(), images[[0, 1, 2, 5]], labels[[0, 1, 2, 5]] % 10, 3)
    check_damage(datasets.load_svhn, folder / "train_32x32.mat")
    scipy.io.savemat(folder / "test_32x32.mat", {"Z": [1]})
    with pytest.raises(ValueError, match="test_32x32.mat is damaged"):
        datasets.load_svhn()


def write_norb(stem, images, labels, suffix):
    """A header has at least three dimensions, however few the values have."""
    pack = gzip.compress if suffix else bytes
    dat = struct.pack("<6i", 0x1E3D4C55, 4, *images.shape) + images.tobytes()
    cat = struct.pack("<5i", 0x1E3D4C54, 1, len(labels), 1, 1) + labels.astype("<i4").tobytes()
    stem.with_name(f"{stem.name}-dat.mat{suffix}").write_bytes(pack(dat))
    stem.with_name(f"{stem.name}-cat.mat{suffix}").write_bytes(pack(cat))


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_norb(shrink, random, suffix):
    folder = shrink("norb", train=3, test=2)
    images, labels = some(random, 5, 2, 96, 96), np.array([0, 4, 2, 1, 3])
    write_norb(folder / "smallnorb-5x46789x9x18x6x2x96x96-training", images[:3], labels[:3], suffix)
    write_norb(folder / "smallnorb-5x01235x9x18x6x2x96x96-testing", images[3:], labels[3:], suffix)
    check(datasets.load_norb(), images, labels, 3)
    for path in sorted(folder.iterdir()):
        check_damage(datasets.load_norb, path)


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_norb_cluttered(shrink, random, suffix):
    """Two folds for training and two for testing, one after the other; a sixth class has no toy."""
    folder = shrink("norb_cluttered", train=4, test=4)
    images, labels = some(random, 8, 2, 108, 108), np.array([0, 5, 2, 1, 3, 4, 5, 0])
    stems = [
        *(f"norb-5x46789x9x18x6x2x108x108-training-0{fold}" for fold in (1, 2)),
        *(f"norb-5x01235x9x18x6x2x108x108-testing-0{fold}" for fold in (1, 2)),
    ]
    for fold, stem in enumerate(stems):
        write_norb(folder / stem, images[2 * fold : 2 * fold + 2], labels[2 * fold : 2 * fold + 2], suffix)
    check(datasets.load_norb_cluttered(), images, labels, 4)
    check_damage(datasets.load_norb_cluttered, folder / f"{stems[1]}-dat.mat{suffix}")
